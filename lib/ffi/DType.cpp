/// Element types as text, both ways.
#include <limits>
#include <string>

#include "Boundary.h"
#include "tvm/ffi/dtype.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

struct NamedCode {
  std::string_view name;
  uint8_t code;
};

// Suffixes of `float8_`, `float6_` and `float4_`.
constexpr NamedCode kFloat8[] = {
    {"e3m4", kDLFloat8_e3m4},
    {"e4m3", kDLFloat8_e4m3},
    {"e4m3b11fnuz", kDLFloat8_e4m3b11fnuz},
    {"e4m3fn", kDLFloat8_e4m3fn},
    {"e4m3fnuz", kDLFloat8_e4m3fnuz},
    {"e5m2", kDLFloat8_e5m2},
    {"e5m2fnuz", kDLFloat8_e5m2fnuz},
    {"e8m0fnu", kDLFloat8_e8m0fnu},
};
constexpr NamedCode kFloat6[] = {{"e2m3fn", kDLFloat6_e2m3fn}, {"e3m2fn", kDLFloat6_e3m2fn}};
constexpr NamedCode kFloat4[] = {{"e2m1fn", kDLFloat4_e2m1fn}};

struct SmallFloat {
  std::string_view name; ///< for messages and printing
  std::string_view shortNames[2];
  uint8_t bits;
  const NamedCode *begin, *end;
};
const SmallFloat kSmallFloats[] = {
    {"float8", {"fp8_", "f8_"}, 8, std::begin(kFloat8), std::end(kFloat8)},
    {"float6", {"fp6_", "f6_"}, 6, std::begin(kFloat6), std::end(kFloat6)},
    {"float4", {"fp4_", "f4_"}, 4, std::begin(kFloat4), std::end(kFloat4)},
};

struct PlainType {
  std::string_view name;
  uint8_t code;
  uint8_t bits; ///< where the text has none
  bool needsBits;
};
// A name that begins with another one comes first.
constexpr PlainType kPlainTypes[] = {
    {"int", kDLInt, 32, false},
    {"uint", kDLUInt, 32, false},
    {"float", kDLFloat, 32, false},
    {"bfloat", kDLBfloat, 16, false},
    {"handle", kDLOpaqueHandle, 64, false},
    {"bool", kDLBool, 8, false},
    {"complex", kDLComplex, 64, false},
    {"bf", kDLBfloat, 16, true},
    {"i", kDLInt, 32, true},
    {"u", kDLUInt, 32, true},
    {"f", kDLFloat, 32, true},
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Parser {
public:
  explicit Parser(std::string_view text) : text(text), rest(text) {}

  DLDataType parse() {
    if (text.empty() || text == "void")
      return DLDataType{kDLOpaqueHandle, 0, 0};
    if (!parseSmallFloat() && !parseCustom() && !parsePlain())
      fail();
    parseLanes();
    if (!rest.empty())
      fail();
    return result;
  }

private:
  bool consume(std::string_view prefix) {
    if (rest.substr(0, prefix.size()) != prefix)
      return false;
    rest.remove_prefix(prefix.size());
    return true;
  }

  [[noreturn]] void fail() {
    TVM_FFI_THROW(ValueError) << "unknown dtype `" << text << "`";
    TVM_FFI_UNREACHABLE();
  }

  /// Takes the number at the front, if any.
  std::optional<uint32_t> parseNumber() {
    size_t length = 0;
    uint64_t value = 0;
    while (length < rest.size() && isDigit(rest[length])) {
      value = value * 10 + static_cast<uint64_t>(rest[length++] - '0');
      if (value > std::numeric_limits<uint32_t>::max())
        TVM_FFI_THROW(ValueError) << "Integer value in dtype string '"
                                  << rest.substr(0, rest.find_first_not_of("0123456789"))
                                  << "' is out of range for uint32_t";
    }
    if (length == 0)
      return std::nullopt;
    rest.remove_prefix(length);
    return static_cast<uint32_t>(value);
  }

  void parseBits() {
    std::optional<uint32_t> bits = parseNumber();
    if (!bits)
      return;
    if (*bits > std::numeric_limits<uint8_t>::max())
      TVM_FFI_THROW(ValueError) << "Bits value " << *bits
                                << " is out of range for uint8_t in dtype '" << text << "'";
    result.bits = static_cast<uint8_t>(*bits);
  }

  bool parseSmallFloat() {
    for (const SmallFloat &type : kSmallFloats) {
      std::string longName = std::string(type.name) + "_";
      if (!consume(longName) && !consume(type.shortNames[0]) && !consume(type.shortNames[1]))
        continue;
      // The variant ends where the lanes begin; no variant has an x or an underscore.
      std::string_view variant = rest.substr(0, rest.find_first_of("x_"));
      for (const NamedCode *named = type.begin; named != type.end; ++named) {
        if (named->name != variant)
          continue;
        rest.remove_prefix(variant.size());
        result = DLDataType{named->code, type.bits, 1};
        if (named->code == kDLFloat4_e2m1fn && rest.substr(0, 2) == "_x")
          rest.remove_prefix(1);
        return true;
      }
      TVM_FFI_THROW(ValueError) << "unknown " << type.name << " type `" << text << "`";
    }
    return false;
  }

  bool parseCustom() {
    if (!consume("custom["))
      return false;
    size_t end = rest.find(']');
    if (end == std::string_view::npos)
      TVM_FFI_THROW(ValueError) << "expected closing brace after 'custom' type in" << text;
    Function code = Function::GetGlobalRequired("dtype.get_custom_type_code");
    result = DLDataType{code(String(rest.substr(0, end))).cast<uint8_t>(), 32, 1};
    rest.remove_prefix(end + 1);
    parseBits();
    return true;
  }

  bool parsePlain() {
    for (const PlainType &type : kPlainTypes) {
      bool follows = rest.size() > type.name.size() && isDigit(rest[type.name.size()]);
      if ((type.needsBits && !follows) || !consume(type.name))
        continue;
      result = DLDataType{type.code, type.bits, 1};
      parseBits();
      return true;
    }
    return false;
  }

  void parseLanes() {
    bool scalable = consume("xvscalex");
    if (!scalable && !consume("x"))
      return;
    std::optional<uint32_t> lanes = parseNumber();
    if (!lanes || *lanes == 0)
      TVM_FFI_THROW(ValueError) << "Invalid lanes specification in dtype '" << text
                                << "'. Lanes must be a positive integer.";
    // Scalable lanes are stored negated, in 16 bits.
    uint32_t most =
        scalable ? std::numeric_limits<int16_t>::max() : std::numeric_limits<uint16_t>::max();
    if (*lanes > most)
      TVM_FFI_THROW(ValueError) << "Lanes value " << *lanes
                                << " is out of range for uint16_t in dtype '" << text << "'";
    result.lanes = static_cast<uint16_t>(scalable ? -static_cast<int32_t>(*lanes)
                                                  : static_cast<int32_t>(*lanes));
  }

  std::string_view text, rest;
  DLDataType result{kDLInt, 32, 1};
};

/// Returns the name of a type code, with its bits unless the name includes them.
std::string printType(DLDataType dtype) {
  if (dtype.code >= kDLExtCustomBegin) {
    Function name = Function::GetGlobalRequired("dtype.get_custom_type_name");
    return inner::concat("custom[", name(static_cast<int>(dtype.code)).cast<std::string>(), "]",
                         std::to_string(dtype.bits));
  }
  for (const SmallFloat &type : kSmallFloats)
    for (const NamedCode *named = type.begin; named != type.end; ++named)
      if (named->code == dtype.code)
        return std::string(type.name) + "_" + std::string(named->name);
  for (const PlainType &type : kPlainTypes) {
    if (type.code != dtype.code)
      continue;
    bool bare = dtype.code == kDLOpaqueHandle || (dtype.code == kDLBool && dtype.bits == 8);
    return std::string(type.name) + (bare ? "" : std::to_string(dtype.bits));
  }
  TVM_FFI_THROW(ValueError) << "DLDataType contains unknown type_code="
                            << static_cast<int>(dtype.code);
  TVM_FFI_UNREACHABLE();
}

std::string print(DLDataType dtype) {
  if (dtype.code == kDLOpaqueHandle && dtype.bits == 0 && dtype.lanes == 0)
    return "";
  std::string text = printType(dtype);
  auto lanes = static_cast<int16_t>(dtype.lanes);
  if (lanes > 1)
    text += inner::concat("x", std::to_string(lanes));
  else if (lanes < -1)
    text += inner::concat("xvscalex", std::to_string(-static_cast<int32_t>(lanes)));
  return text;
}

} // namespace

int TVMFFIDataTypeFromString(const TVMFFIByteArray *str, DLDataType *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(out, "TVMFFIDataTypeFromString", "out");
  *out = Parser(viewOf(str)).parse();
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(dtype, "TVMFFIDataTypeToString", "dtype");
  requireArgument(out, "TVMFFIDataTypeToString", "out");
  std::string text = print(*dtype);
  TypeTraits<String>::MoveToAny(String(std::string_view(text)), out);
  TVM_FFI_SAFE_CALL_END();
}
