/// Signatures from the argument descriptions of the C++ DSL.
#include <algorithm>

#include <map>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Fake.h"
#include "fairlead/dsl/Program.h"
#include "fairlead/layout/IntTuple.h"
#include "fairlead/layout/Layout.h"

namespace fairlead::dsl {

SymInt::SymInt(int64_t divisibility, int width)
    : symbol_(std::make_shared<Symbol>(Symbol{"", width, divisibility})) {}

/// Makes a description, whose errors have this line. A trace adds it itself.
template <typename Make> static auto madeAt(SourceLoc at, const Make &make) {
  AtSourceLoc placed(at);
  try {
    return make();
  } catch (const Error &error) {
    if (Program::current())
      throw;
    throw dsl::withSourceLoc(error);
  }
}

SymInt SymInt::multipleOf(int64_t divisibility, int width, SourceLoc at) {
  auto reject = [](const char *what, const char *expected, int64_t got) {
    throw makeError(Diagnostic::SymbolArgument,
                    {{"what", what}, {"expected", expected}, {"got", std::to_string(got)}});
  };
  return madeAt(at, [&] {
    if (width != 32 && width != 64)
      reject("a width of", "32 or 64", width);
    if (divisibility < 1)
      reject("a divisibility of", "1 or more", divisibility);
    return SymInt(divisibility, width);
  });
}

static void requireAlignment(int64_t alignment, const std::string &what) {
  if (alignment < 1 || (alignment & (alignment - 1)))
    throw makeError(
        Diagnostic::FakeExtentRange,
        {{"what", what}, {"expected", "a power of two"}, {"got", std::to_string(alignment)}});
}

class SignatureBuilder {
public:
  explicit SignatureBuilder(const std::string &name) { signature.name = name; }

  void add(const std::string &name, const FakeTensor &fake) {
    requireAlignment(fake.alignment, "`" + name + "`: the alignment");
    TensorParam tensor;
    tensor.dtype = fake.dtype;
    tensor.alignment = fake.alignment;
    for (const Dim &dim : fake.shape)
      tensor.shape.push_back(extent(dim));
    tensor.space = fake.space;
    tensor.noAlias = fake.noAlias;
    if (fake.strides.empty())
      tensor.strides = compactStrides(tensor.shape, fake.order);
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
  /// Adds an integer argument that must equal the symbol's other values.
  void add(const std::string &name, const SymInt &symbol) {
    int index = extent(Dim(symbol)).symbols.front();
    DType dtype = signature.symbols[index].width == 64 ? DType::Int64 : DType::Int32;
    signature.params.push_back({name, ScalarParam{dtype, -1, index}});
  }
  void add(const std::string &name, const FakePointer &fake) {
    requireAlignment(fake.alignment, "`" + name + "`: the alignment of the pointer");
    signature.params.push_back(
        {name, PointerParam{fake.dtype, std::max<int64_t>(fake.alignment, byteSize(fake.dtype))}});
  }
  void add(const std::string &name, const FakeStream &fake) {
    signature.params.push_back({name, StreamParam{fake.environment}});
  }
  /// Adds a parameter for each integer that the call passes.
  void add(const std::string &name, const FakeTuple &fake) {
    for (size_t mode = 0; mode < fake.modes().size(); ++mode)
      add(name + "[" + std::to_string(mode) + "]", fake.modes()[mode]);
    if (fake.isTuple())
      return;
    if (const auto *symbol = std::get_if<SymInt>(&fake.leaf()))
      add(name, *symbol);
    else if (const auto *scalar = std::get_if<FakeScalar>(&fake.leaf()))
      add(name, *scalar);
  }
  void add(const std::string &name, const FakeLayout &fake) {
    add(name + ".shape", fake.shape);
    add(name + ".stride", fake.stride);
  }
  void add(const std::string &, const FakeNone &) {}

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
      std::string name(1, 'n');
      signature.symbols.back().name = name.append(std::to_string(entry->second));
    }
    return {1, {entry->second}};
  }

  static std::vector<Extent> compactStrides(const std::vector<Extent> &shape,
                                            const std::vector<int> &order) {
    std::vector<Extent> strides(shape.size());
    Extent stride;
    for (size_t mode : fromFastest(shape.size(), order)) {
      strides[mode] = stride;
      stride.coefficient *= shape[mode].coefficient;
      stride.symbols.insert(stride.symbols.end(), shape[mode].symbols.begin(),
                            shape[mode].symbols.end());
    }
    return strides;
  }

  /// Returns the modes, sorted from the smallest stride.
  static std::vector<size_t> fromFastest(size_t modes, const std::vector<int> &order) {
    std::vector<size_t> places(modes, modes);
    for (size_t mode = 0; mode < modes; ++mode) {
      int place = order.empty()         ? static_cast<int>(modes - 1 - mode)
                  : mode < order.size() ? order[mode]
                                        : -1;
      if (order.size() > modes || place < 0 || place >= static_cast<int>(modes) ||
          places[place] != modes)
        throw makeError(Diagnostic::StrideOrder, {{"last", std::to_string(int(modes) - 1)},
                                                  {"got", layout::IntTuple(entries(order)).str()}});
      places[place] = mode;
    }
    return places;
  }
  static std::vector<layout::IntTuple> entries(const std::vector<int> &numbers) {
    return {numbers.begin(), numbers.end()};
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

// Descriptions of arguments, derived from existing tensors.

namespace {

std::vector<int64_t> stridesOf(const DLTensor &tensor) {
  std::vector<int64_t> strides(tensor.ndim);
  int64_t stride = 1;
  for (int mode = tensor.ndim; mode-- > 0; stride *= tensor.shape[mode])
    strides[mode] = tensor.strides ? tensor.strides[mode] : stride;
  return strides;
}

std::string layoutText(const DLTensor &tensor, const std::vector<int64_t> &strides) {
  using layout::IntTuple;
  IntTuple shape(std::vector<IntTuple>(tensor.shape, tensor.shape + tensor.ndim));
  IntTuple stride(std::vector<IntTuple>(strides.begin(), strides.end()));
  return shape.str() + ":" + stride.str();
}

/// Returns the mode with stride 1, or -1.
int leadingModeOf(const DLTensor &tensor, const std::vector<int64_t> &strides,
                  std::optional<int> requested) {
  int rank = tensor.ndim;
  if (requested) {
    if (*requested < -rank || *requested >= rank)
      throw makeError(Diagnostic::LeadingDimRange,
                      {{"rank", std::to_string(rank)}, {"got", std::to_string(*requested)}});
    int mode = (*requested + rank) % rank;
    if (strides[mode] != 1)
      throw makeError(Diagnostic::LeadingDimStride, {{"got", std::to_string(strides[mode])}});
    return mode;
  }
  std::vector<int> ones, wide;
  for (int mode = 0; mode < rank; ++mode)
    if (strides[mode] == 1) {
      ones.push_back(mode);
      if (tensor.shape[mode] > 1)
        wide.push_back(mode);
    }
  if (ones.size() > 1 && wide.size() != 1)
    throw makeError(Diagnostic::LeadingDimUnclear, {{"layout", layoutText(tensor, strides)}});
  return ones.empty() ? -1 : ones.size() == 1 ? ones.front() : wide.front();
}

} // namespace

FakeTensor fakeTensor(DType dtype, std::vector<Dim> shape, std::vector<int> order,
                      int64_t alignment, SourceLoc at) {
  return madeAt(at, [&]() -> FakeTensor {
    requireAlignment(alignment, "the alignment");
    return {dtype, std::move(shape), {}, alignment, std::move(order)};
  });
}

FakeTensor fakeLike(const DLTensor &tensor, int64_t alignment, SourceLoc at) {
  std::optional<DType> dtype = fromDLDataType(tensor.dtype);
  madeAt(at, [&] {
    if (!dtype)
      throw makeError(Diagnostic::DLPackDType,
                      {{"got", "code " + std::to_string(tensor.dtype.code) + ", bits " +
                                   std::to_string(tensor.dtype.bits) + "x" +
                                   std::to_string(tensor.dtype.lanes)}});
    requireAlignment(alignment, "the alignment");
  });
  std::vector<int64_t> strides = stridesOf(tensor);
  FakeTensor fake{*dtype, {tensor.shape, tensor.shape + tensor.ndim}};
  fake.strides.assign(strides.begin(), strides.end());
  fake.alignment = alignment;
  bool onCpu = tensor.device.device_type == kDLCPU || tensor.device.device_type == kDLCUDAHost;
  fake.space = onCpu ? AddressSpace::Generic : AddressSpace::Global;
  return fake;
}

FakeTensor fakeDynamicLike(const DLTensor &tensor, std::optional<int> leadingMode,
                           int64_t alignment, SourceLoc at) {
  FakeTensor fake = fakeLike(tensor, alignment, at);
  std::vector<int64_t> strides = stridesOf(tensor);
  const int leading = madeAt(at, [&] { return leadingModeOf(tensor, strides, leadingMode); });
  for (int mode = 0; mode < tensor.ndim; ++mode) {
    fake.shape[mode] = SymInt();
    if (mode != leading && strides[mode] != 0)
      fake.strides[mode] = SymInt::ofWidth(64);
  }
  return fake;
}

} // namespace fairlead::dsl
