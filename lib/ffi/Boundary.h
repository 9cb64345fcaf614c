/// Shared code of this library's C functions: errors without a throw, and argument checks.
#pragma once

#include <string>
#include <string_view>

#include "tvm/ffi/c_api.h"
#include "tvm/ffi/error.h"

namespace tvm::ffi {

/// The text of a byte array that a caller handed in; empty for a null one. Throws ValueError for
/// one that has a size but no data.
inline std::string_view viewOf(const TVMFFIByteArray *bytes) {
  if (!bytes || bytes->size == 0)
    return std::string_view();
  if (!bytes->data)
    TVM_FFI_THROW(ValueError) << "byte array: data is a null pointer, but its size is "
                              << bytes->size;
  return std::string_view(bytes->data, bytes->size);
}

inline TVMFFIByteArray bytesOf(std::string_view text) {
  return TVMFFIByteArray{text.data(), text.size()};
}

/// Throws ValueError unless the pointer argument `name` of `function` is there.
inline void requireArgument(const void *pointer, const char *function, const char *name) {
  if (!pointer)
    TVM_FFI_THROW(ValueError) << function << ": argument `" << name
                              << "` is a null pointer, but a valid one is expected";
}

} // namespace tvm::ffi
