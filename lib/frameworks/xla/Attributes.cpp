#include "frameworks/xla/Call.h"

#include <cstring>
#include <vector>

namespace fairlead::frameworks::xla {
namespace {

template <typename T> T read(const void *place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

/// A float of 16 bits with `exponentBits` of exponent.
double readHalf(const void *place, int exponentBits) {
  const uint16_t bits = read<uint16_t>(place);
  const int fractionBits = 15 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  const int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  const double fraction =
      static_cast<double>(bits & ((1 << fractionBits) - 1)) / (1 << fractionBits);
  double value;
  if (exponent == (1 << exponentBits) - 1)
    value = fraction ? __builtin_nan("") : __builtin_inf();
  else if (exponent)
    value = __builtin_ldexp(1 + fraction, exponent - bias);
  else
    value = __builtin_ldexp(fraction, 1 - bias);
  return bits >> 15 ? -value : value;
}

void setInt(TVMFFIAny *out, int64_t value) {
  *out = {}, out->type_index = kTVMFFIInt, out->v_int64 = value;
}

void setFloat(TVMFFIAny *out, double value) {
  *out = {}, out->type_index = kTVMFFIFloat, out->v_float64 = value;
}

bool toNumber(int dtype, const void *value, TVMFFIAny *out) {
  switch (dtype) {
  case kPred:
    setInt(out, read<uint8_t>(value) != 0);
    out->type_index = kTVMFFIBool;
    return true;
  case kS8:
    return setInt(out, read<int8_t>(value)), true;
  case kS16:
    return setInt(out, read<int16_t>(value)), true;
  case kS32:
    return setInt(out, read<int32_t>(value)), true;
  case kS64:
    return setInt(out, read<int64_t>(value)), true;
  case kU8:
    return setInt(out, read<uint8_t>(value)), true;
  case kU16:
    return setInt(out, read<uint16_t>(value)), true;
  case kU32:
    return setInt(out, read<uint32_t>(value)), true;
  case kU64:
    return setInt(out, static_cast<int64_t>(read<uint64_t>(value))), true;
  case kF16:
    return setFloat(out, readHalf(value, 5)), true;
  case kBF16:
    return setFloat(out, readHalf(value, 8)), true;
  case kF32:
    return setFloat(out, read<float>(value)), true;
  case kF64:
    return setFloat(out, read<double>(value)), true;
  default:
    return false;
  }
}

/// An ffi.Array of the numbers.
bool toList(const Array &array, TVMFFIAny *out) {
  std::vector<TVMFFIAny> items(array.count);
  for (size_t i = 0; i < items.size(); ++i)
    if (!toNumber(array.dtype,
                  static_cast<const char *>(array.data) + i * elementType(array.dtype).bits / 8,
                  &items[i]))
      return false;
  const TVMFFIByteArray name = {"ffi.Array", sizeof "ffi.Array" - 1};
  TVMFFIObjectHandle make = nullptr;
  if (TVMFFIFunctionGetGlobal(&name, &make) || !make)
    return false;
  *out = {};
  int code = TVMFFIFunctionCall(make, items.data(), static_cast<int32_t>(items.size()), out);
  TVMFFIObjectDecRef(make);
  return !code;
}

} // namespace

Attribute find(const Attributes &attributes, std::string_view name) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const Span &own = *attributes.names[i];
    if (std::string_view(own.data, own.size) == name)
      return {attributes.types[i], attributes.values[i]};
  }
  return {};
}

Integers findIntegers(const Attributes &attributes, std::string_view name) {
  const Attribute attribute = find(attributes, name);
  if (attribute.type != kArray)
    return {};
  const auto &array = *static_cast<const Array *>(attribute.value);
  if (array.dtype != kS32)
    return {};
  return {static_cast<const int32_t *>(array.data), array.count};
}

bool toArgument(const Attribute &attribute, TVMFFIAny *out) {
  switch (attribute.type) {
  case kScalar: {
    const auto &scalar = *static_cast<const Scalar *>(attribute.value);
    return toNumber(scalar.dtype, scalar.value, out);
  }
  case kArray:
    return toList(*static_cast<const Array *>(attribute.value), out);
  case kString: {
    const auto &span = *static_cast<const Span *>(attribute.value);
    const TVMFFIByteArray text = {span.data, span.size};
    *out = {};
    return !TVMFFIStringFromByteArray(&text, out);
  }
  default:
    return false;
  }
}

} // namespace fairlead::frameworks::xla
