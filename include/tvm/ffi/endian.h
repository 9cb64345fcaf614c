/// The byte order of the machine.
#ifndef TVM_FFI_ENDIAN_H_
#define TVM_FFI_ENDIAN_H_

#include <cstddef>
#include <cstdint>

/// 1 where the byte of least weight comes first.
#ifndef TVM_FFI_LITTLE_ENDIAN
#if defined(TVM_FFI_CMAKE_LITTLE_ENDIAN)
#define TVM_FFI_LITTLE_ENDIAN TVM_FFI_CMAKE_LITTLE_ENDIAN
#elif defined(__BYTE_ORDER__)
#define TVM_FFI_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#elif defined(_WIN32)
#define TVM_FFI_LITTLE_ENDIAN 1
#else
#error "set TVM_FFI_LITTLE_ENDIAN to 0 or 1"
#endif
#endif

/// Whether stored data has its least byte first.
#ifndef TVM_FFI_IO_USE_LITTLE_ENDIAN
#define TVM_FFI_IO_USE_LITTLE_ENDIAN 1
#endif

/// 1 where stored data needs no swap.
#define TVM_FFI_IO_NO_ENDIAN_SWAP (TVM_FFI_LITTLE_ENDIAN == TVM_FFI_IO_USE_LITTLE_ENDIAN)

namespace tvm {
namespace ffi {

/// Turns the bytes of each of `num_elems` elements round in place.
inline void ByteSwap(void *data, size_t elem_bytes, size_t num_elems) {
  auto *bytes = static_cast<uint8_t *>(data);
  for (size_t i = 0; i < num_elems; ++i, bytes += elem_bytes) {
    for (size_t j = 0; j < elem_bytes / 2; ++j) {
      uint8_t byte = bytes[elem_bytes - 1 - j];
      bytes[elem_bytes - 1 - j] = bytes[j];
      bytes[j] = byte;
    }
  }
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_ENDIAN_H_
