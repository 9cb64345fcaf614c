/// Bytes as base64 text (RFC 4648) and back.
#ifndef TVM_FFI_EXTRA_BASE64_H_
#define TVM_FFI_EXTRA_BASE64_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tvm {
namespace ffi {
namespace inner {

/// The six bits of a base64 digit, or -1.
inline int base64Digit(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

} // namespace inner

/// Bytes as base64, padded, in one line.
inline String Base64Encode(TVMFFIByteArray bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size; i += 3) {
    size_t count = bytes.size - i < 3 ? bytes.size - i : 3;
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes.data[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return String(std::move(text));
}
inline String Base64Encode(const Bytes &data) {
  return Base64Encode(TVMFFIByteArray{data.data(), data.size()});
}

/// The bytes of a base64 text. ValueError unless its size is a multiple of 4, its characters are
/// those of base64, and padding is at the end alone.
inline Bytes Base64Decode(TVMFFIByteArray bytes) {
  if (bytes.size % 4 != 0)
    TVM_FFI_THROW(ValueError) << "invalid base64 encoding: size " << bytes.size
                              << " is no multiple of 4";
  size_t padding = 0;
  while (padding < 2 && padding < bytes.size && bytes.data[bytes.size - 1 - padding] == '=')
    ++padding;
  std::string result;
  result.reserve(bytes.size / 4 * 3);
  for (size_t i = 0; i < bytes.size; i += 4) {
    size_t digits = i + 4 == bytes.size ? 4 - padding : 4;
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) {
      int digit = k < digits ? inner::base64Digit(bytes.data[i + k]) : 0;
      if (digit < 0)
        TVM_FFI_THROW(ValueError) << "invalid base64 encoding: no base64 digit at position "
                                  << i + k;
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t k = 0; k + 1 < digits; ++k)
      result += static_cast<char>(group >> (16 - 8 * k) & 255);
  }
  return Bytes(result);
}
inline Bytes Base64Decode(const String &data) {
  return Base64Decode(TVMFFIByteArray{data.data(), data.size()});
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_BASE64_H_
