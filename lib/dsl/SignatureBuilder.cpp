/// Signatures from the argument descriptions of the C++ DSL.
#include <algorithm>
#include <map>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Fake.h"

namespace fairlead::dsl {

SymInt::SymInt(int64_t divisibility, int width)
    : symbol_(std::make_shared<Symbol>(Symbol{"", width, divisibility})) {}

class SignatureBuilder {
public:
  explicit SignatureBuilder(const std::string &name) { signature.name = name; }

  void add(const std::string &name, const FakeTensor &fake) {
    TensorParam tensor;
    tensor.dtype = fake.dtype;
    tensor.alignment = fake.alignment;
    for (const Dim &dim : fake.shape)
      tensor.shape.push_back(extent(dim));
    if (fake.strides.empty())
      tensor.strides = compactStrides(tensor.shape);
    for (const Dim &dim : fake.strides)
      tensor.strides.push_back(extent(dim));
    signature.params.push_back({name, std::move(tensor)});
  }
  void add(const std::string &name, const FakeScalar &fake) {
    if (!isParameterType(fake.dtype))
      throw makeError(Diagnostic::ParameterDType,
                      {{"name", name}, {"type", std::string(className(fake.dtype))}});
    signature.params.push_back({name, ScalarParam{fake.dtype}});
  }
  /// An integer argument that is equal to the symbol's other places.
  void add(const std::string &name, const SymInt &symbol) {
    int index = extent(Dim(symbol)).symbols.front();
    DType dtype = signature.symbols[index].width == 64 ? DType::Int64 : DType::Int32;
    signature.params.push_back({name, ScalarParam{dtype, -1, index}});
  }
  void add(const std::string &name, const FakePointer &fake) {
    signature.params.push_back(
        {name, PointerParam{fake.dtype, std::max<int64_t>(fake.alignment, byteSize(fake.dtype))}});
  }
  void add(const std::string &name, const FakeStream &fake) {
    signature.params.push_back({name, StreamParam{fake.environment}});
  }

  Signature signature;

private:
  Extent extent(const Dim &dim) {
    if (const auto *number = std::get_if<int64_t>(&dim))
      return {*number, {}};
    const SymInt &symbol = std::get<SymInt>(dim);
    auto [entry, inserted] =
        indices.try_emplace(symbol.symbol_.get(), static_cast<int>(signature.symbols.size()));
    if (inserted) {
      signature.symbols.push_back(*symbol.symbol_);
      signature.symbols.back().name = "n" + std::to_string(entry->second);
    }
    return {1, {entry->second}};
  }

  static std::vector<Extent> compactStrides(const std::vector<Extent> &shape) {
    std::vector<Extent> strides(shape.size());
    Extent stride;
    for (size_t mode = shape.size(); mode-- > 0;) {
      strides[mode] = stride;
      stride.coefficient *= shape[mode].coefficient;
      stride.symbols.insert(stride.symbols.end(), shape[mode].symbols.begin(),
                            shape[mode].symbols.end());
    }
    return strides;
  }

  std::map<const Symbol *, int> indices;
};

Signature makeSignature(const std::string &name, const std::vector<std::string> &parameters,
                        const std::vector<Fake> &arguments) {
  if (parameters.size() != arguments.size())
    throw makeError(Diagnostic::ParameterCount, {{"name", name},
                                                 {"expected", std::to_string(parameters.size())},
                                                 {"got", std::to_string(arguments.size())}});
  SignatureBuilder builder(name);
  for (size_t i = 0; i < arguments.size(); ++i)
    std::visit([&](const auto &fake) { builder.add(parameters[i], fake); }, arguments[i]);
  return std::move(builder.signature);
}

} // namespace fairlead::dsl
