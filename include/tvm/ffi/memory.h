/// Making objects: one allocation each, freed by the library that made it.
#ifndef TVM_FFI_MEMORY_H_
#define TVM_FFI_MEMORY_H_

#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace tvm {
namespace ffi {

/// What an object's header calls to end and to free it.
using FObjectDeleter = void (*)(void *obj, int flags);

namespace inner {

inline void *allocateObject(size_t size, size_t alignment) {
  void *memory = nullptr;
  if (alignment <= alignof(std::max_align_t))
    memory = std::malloc(size);
  else if (posix_memalign(&memory, alignment, size) != 0)
    memory = nullptr;
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

/// Frees the memory unless the object's constructor came through.
struct MemoryGuard {
  void *memory;
  ~MemoryGuard() { std::free(memory); }
};

/// The deleter of a T that allocateObject made.
template <typename T> void deleteObject(void *self, int flags) {
  auto *object = static_cast<T *>(reinterpret_cast<Object *>(self));
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong)
    object->T::~T();
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak)
    std::free(static_cast<void *>(object));
}

template <typename T, typename... Args> ObjectPtr<T> constructObject(size_t size, Args &&...args) {
  static_assert(std::is_base_of_v<Object, T>, "T must be an Object");
  MemoryGuard guard{allocateObject(size, alignof(T))};
  T *object = new (guard.memory) T(std::forward<Args>(args)...);
  guard.memory = nullptr;
  TVMFFIObject *header = detail::ObjectUnsafe::GetHeader(object);
  header->combined_ref_count = kCountBothOne;
  header->type_index = T::RuntimeTypeIndex();
  header->__padding = 0;
  header->deleter = deleteObject<T>;
  return detail::ObjectUnsafe::ObjectPtrFromOwned<T>(static_cast<Object *>(object));
}
} // namespace inner

/// A new T with one reference. std::bad_alloc, or what T's constructor throws.
template <typename T, typename... Args> inline ObjectPtr<T> make_object(Args &&...args) {
  return inner::constructObject<T>(sizeof(T), std::forward<Args>(args)...);
}

/// The same as a pointer that is never null.
template <typename T, typename... Args> inline Arc<T> make_arc(Args &&...args) {
  return Arc<T>::UnsafeFromNotNull(make_object<T>(std::forward<Args>(args)...));
}

/// A new ArrayType with room for `num_elems` ElemType right after it. The elements are not
/// constructed, and are ArrayType's to destroy.
template <typename ArrayType, typename ElemType, typename... Args>
inline ObjectPtr<ArrayType> make_inplace_array_object(size_t num_elems, Args &&...args) {
  static_assert(sizeof(ArrayType) % alignof(ElemType) == 0 &&
                    alignof(ArrayType) >= alignof(ElemType),
                "the elements would not be aligned");
  if (num_elems > (SIZE_MAX / 2 - sizeof(ArrayType)) / sizeof(ElemType))
    throw std::bad_alloc();
  return inner::constructObject<ArrayType>(sizeof(ArrayType) + num_elems * sizeof(ElemType),
                                           std::forward<Args>(args)...);
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_MEMORY_H_
