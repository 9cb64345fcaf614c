#include "signature/SignatureBytes.h"

#include <charconv>

#include "fairlead/Cache.h"

namespace fairlead {
namespace {

using Fields = std::vector<std::string>;

std::string number(int64_t value) { return std::to_string(value); }

// The kinds of parameters in the bytes.
constexpr const char *kTensor = "tensor", *kScalar = "scalar", *kStream = "stream",
                     *kPointer = "pointer", *kNoAlias = "no_alias";

class Writer {
public:
  void operator()(const TensorParam &tensor) {
    Fields fields{kTensor,
                  std::string(dtypeName(tensor.dtype)),
                  extents(tensor.shape),
                  extents(tensor.strides),
                  number(tensor.alignment),
                  std::string(nameOf(tensor.space)),
                  number(tensor.dtypeVariable),
                  number(tensor.onHost),
                  access(tensor.access)};
    if (tensor.noAlias)
      fields.push_back(kNoAlias);
    add(fields);
  }
  void operator()(const ScalarParam &scalar) {
    add({kScalar, std::string(dtypeName(scalar.dtype)), number(scalar.dtypeVariable),
         number(scalar.symbol)});
  }
  void operator()(const StreamParam &stream) { add({kStream, number(stream.environment)}); }
  void operator()(const PointerParam &pointer) {
    add({kPointer, std::string(dtypeName(pointer.dtype)), number(pointer.alignment),
         std::string(nameOf(pointer.space)), access(pointer.access)});
  }
  void add(const Fields &fields) { params.push_back(packFields(fields)); }

  Fields params;

private:
  /// A bit for each member.
  static std::string access(const MemoryAccess &access) {
    return number(access.read | access.written << 1 | access.escapes << 2);
  }
  static std::string extents(const std::vector<Extent> &list) {
    Fields fields;
    for (const Extent &extent : list) {
      Fields one{number(extent.coefficient)};
      for (int symbol : extent.symbols)
        one.push_back(number(symbol));
      fields.push_back(packFields(one));
    }
    return packFields(fields);
  }
};

/// Reads fields one after another. An unexpected field clears `ok`.
class Reader {
public:
  explicit Reader(std::string_view bytes) {
    if (auto fields = unpackFields(bytes))
      all = std::move(*fields);
    else
      ok = false;
  }

  bool atEnd() const { return next >= all.size(); }
  std::string text() {
    if (atEnd()) {
      ok = false;
      return {};
    }
    return all[next++];
  }
  int64_t number() {
    std::string field = text();
    int64_t value = 0;
    auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    ok &= error == std::errc() && end == field.data() + field.size();
    return value;
  }
  DType dtype() {
    std::optional<DType> dtype = parseDType(text());
    ok &= dtype.has_value();
    return dtype.value_or(DType::Float32);
  }
  AddressSpace addressSpace() {
    std::optional<AddressSpace> space = addressSpaceNamed(text());
    ok &= space.has_value();
    return space.value_or(AddressSpace::Global);
  }
  MemoryAccess access() {
    const int64_t bits = number();
    ok &= bits >= 0 && bits < 8;
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
  }
  std::vector<Extent> extents() {
    Reader list(text());
    std::vector<Extent> result;
    while (list.ok && !list.atEnd()) {
      Reader one(list.text());
      Extent extent{one.number(), {}};
      while (one.ok && !one.atEnd())
        extent.symbols.push_back(static_cast<int>(one.number()));
      list.ok &= one.ok;
      result.push_back(std::move(extent));
    }
    ok &= list.ok;
    return result;
  }

  bool ok = true;

private:
  Fields all;
  size_t next = 0;
};

/// Members of a braced list are read in their order.
std::variant<TensorParam, ScalarParam, StreamParam, PointerParam> readParam(Reader &reader) {
  std::string kind = reader.text();
  if (kind == kTensor) {
    TensorParam tensor{reader.dtype(), reader.extents(), reader.extents(), reader.number(),
                       reader.addressSpace()};
    tensor.dtypeVariable = static_cast<int>(reader.number());
    tensor.onHost = reader.number() != 0;
    tensor.access = reader.access();
    tensor.noAlias = !reader.atEnd();
    if (tensor.noAlias)
      reader.ok &= reader.text() == kNoAlias;
    return tensor;
  }
  if (kind == kScalar) {
    ScalarParam scalar{reader.dtype()};
    scalar.dtypeVariable = static_cast<int>(reader.number());
    scalar.symbol = static_cast<int>(reader.number());
    return scalar;
  }
  if (kind == kPointer)
    return PointerParam{reader.dtype(), reader.number(), reader.addressSpace(), reader.access()};
  reader.ok &= kind == kStream;
  return StreamParam{reader.number() != 0};
}

} // namespace

std::string packSignature(const Signature &signature) {
  Fields params, symbols, equalities;
  for (const Param &param : signature.params) {
    Writer writer;
    std::visit(writer, param.type);
    params.push_back(packFields({param.name, writer.params.front()}));
  }
  for (const Symbol &symbol : signature.symbols)
    symbols.push_back(packFields({symbol.name, number(symbol.width), number(symbol.divisibility)}));
  for (const ExtentEquality &equal : signature.equalities)
    equalities.push_back(packFields({number(equal.param), number(equal.mode),
                                     number(equal.otherParam), number(equal.otherMode)}));
  return packFields(
      {signature.name, packFields(params), packFields(symbols), packFields(equalities)});
}

bool unpackSignature(std::string_view bytes, Signature &signature) {
  Reader whole(bytes);
  signature.name = whole.text();
  bool ok = true;
  auto forEach = [&](auto &&read) {
    Reader list(whole.text());
    while (list.ok && !list.atEnd()) {
      Reader item(list.text());
      read(item);
      list.ok &= item.ok && item.atEnd();
    }
    ok &= list.ok;
  };
  forEach([&](Reader &item) {
    std::string name = item.text();
    Reader fields(item.text());
    signature.params.push_back({std::move(name), readParam(fields)});
    item.ok &= fields.ok && fields.atEnd();
  });
  forEach([&](Reader &item) {
    std::string name = item.text();
    int width = static_cast<int>(item.number());
    signature.symbols.push_back({std::move(name), width, item.number()});
  });
  forEach([&](Reader &item) {
    int values[4];
    for (int &value : values)
      value = static_cast<int>(item.number());
    signature.equalities.push_back({values[0], values[1], values[2], values[3]});
  });
  return ok && whole.ok && whole.atEnd();
}

} // namespace fairlead
