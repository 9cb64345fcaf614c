/// Reading, without a lock, what other threads add to types: fields, methods and attributes.
///
/// The writer stores a count, or the type of an attribute's value, after everything that it
/// announces. Readers load it first, with acquire order: processors other than x86-64 may otherwise
/// read the rest too early.
#ifndef TVM_FFI_INNER_PUBLISHED_H_
#define TVM_FFI_INNER_PUBLISHED_H_

#include <tvm/ffi/c_api.h>

#include <cstdint>

namespace tvm {
namespace ffi {
namespace inner {

/// The number of a type's fields or methods; the array that is read afterwards has as many.
inline int32_t publishedCount(const int32_t &count) noexcept {
  return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

/// The value of a type in an attribute's column; null if there is none.
inline const TVMFFIAny *findCell(const TVMFFITypeAttrColumn *column, int64_t typeIndex) noexcept {
  const int32_t size = publishedCount(column->size);
  const int64_t at = typeIndex - column->begin_index;
  if (at < 0 || at >= size)
    return nullptr;
  const TVMFFIAny *cell = __atomic_load_n(&column->data, __ATOMIC_ACQUIRE) + at;
  return __atomic_load_n(&cell->type_index, __ATOMIC_ACQUIRE) == kTVMFFINone ? nullptr : cell;
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_PUBLISHED_H_
