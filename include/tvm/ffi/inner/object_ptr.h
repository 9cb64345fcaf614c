/// Pointers that own references to objects: ObjectPtr, WeakObjectPtr and Arc.
#ifndef TVM_FFI_INNER_OBJECT_PTR_H_
#define TVM_FFI_INNER_OBJECT_PTR_H_

#include <tvm/ffi/inner/object_base.h>

#include <cstddef>
#include <utility>

namespace tvm {
namespace ffi {

class ObjectRef;
template <typename T> class Arc;

/// A strong reference, or null. 8 bytes: the header's address.
template <typename T> class ObjectPtr {
public:
  ObjectPtr() noexcept = default;
  ObjectPtr(std::nullptr_t) noexcept {} // NOLINT(*)
  ObjectPtr(const ObjectPtr &other) noexcept : ObjectPtr(other.data_) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  ObjectPtr(const ObjectPtr<U> &other) noexcept : ObjectPtr(other.data_) {} // NOLINT(*)
  ObjectPtr(ObjectPtr &&other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  ObjectPtr(ObjectPtr<U> &&other) noexcept // NOLINT(*)
      : data_(std::exchange(other.data_, nullptr)) {}
  ~ObjectPtr() { reset(); }

  ObjectPtr &operator=(const ObjectPtr &other) noexcept {
    ObjectPtr(other).swap(*this);
    return *this;
  }
  ObjectPtr &operator=(ObjectPtr &&other) noexcept {
    ObjectPtr(std::move(other)).swap(*this);
    return *this;
  }

  T *get() const noexcept { return static_cast<T *>(data_); }
  T *operator->() const noexcept { return get(); }
  T &operator*() const noexcept { return *get(); }
  explicit operator bool() const noexcept { return data_ != nullptr; }

  void swap(ObjectPtr &other) noexcept { std::swap(data_, other.data_); }
  void reset() noexcept {
    if (Object *old = std::exchange(data_, nullptr))
      inner::decRef(&old->header_);
  }
  int use_count() const noexcept { return data_ ? static_cast<int>(data_->use_count()) : 0; }
  bool unique() const noexcept { return data_ && data_->unique(); }

  bool operator==(const ObjectPtr &other) const noexcept { return data_ == other.data_; }
  bool operator!=(const ObjectPtr &other) const noexcept { return data_ != other.data_; }
  bool operator==(std::nullptr_t) const noexcept { return data_ == nullptr; }
  bool operator!=(std::nullptr_t) const noexcept { return data_ != nullptr; }

private:
  explicit ObjectPtr(Object *data) noexcept : data_(data) {
    if (data_)
      inner::incRef(&data_->header_);
  }

  Object *data_ = nullptr;

  friend struct detail::ObjectUnsafe;
  template <typename> friend class ObjectPtr;
  template <typename> friend class WeakObjectPtr;
};

/// A reference that does not keep the object's payload alive.
template <typename T> class WeakObjectPtr {
public:
  WeakObjectPtr() noexcept = default;
  WeakObjectPtr(std::nullptr_t) noexcept {} // NOLINT(*)
  WeakObjectPtr(const WeakObjectPtr &other) noexcept : WeakObjectPtr(other.data_) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  WeakObjectPtr(const WeakObjectPtr<U> &other) noexcept // NOLINT(*)
      : WeakObjectPtr(other.data_) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  WeakObjectPtr(const ObjectPtr<U> &other) noexcept // NOLINT(*)
      : WeakObjectPtr(other.data_) {}
  WeakObjectPtr(WeakObjectPtr &&other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  WeakObjectPtr(WeakObjectPtr<U> &&other) noexcept // NOLINT(*)
      : data_(std::exchange(other.data_, nullptr)) {}
  ~WeakObjectPtr() { reset(); }

  WeakObjectPtr &operator=(const WeakObjectPtr &other) noexcept {
    WeakObjectPtr(other).swap(*this);
    return *this;
  }
  WeakObjectPtr &operator=(WeakObjectPtr &&other) noexcept {
    WeakObjectPtr(std::move(other)).swap(*this);
    return *this;
  }

  /// A strong reference, or null where the object is gone.
  ObjectPtr<T> lock() const noexcept {
    ObjectPtr<T> result;
    if (data_ && inner::tryPromote(&data_->header_))
      result.data_ = data_;
    return result;
  }
  bool expired() const noexcept { return use_count() == 0; }
  int use_count() const noexcept { return data_ ? static_cast<int>(data_->use_count()) : 0; }
  void swap(WeakObjectPtr &other) noexcept { std::swap(data_, other.data_); }
  void reset() noexcept {
    if (Object *old = std::exchange(data_, nullptr))
      inner::decWeakRef(&old->header_);
  }

private:
  explicit WeakObjectPtr(Object *data) noexcept : data_(data) {
    if (data_)
      inner::incWeakRef(&data_->header_);
  }

  Object *data_ = nullptr;

  template <typename> friend class WeakObjectPtr;
};

namespace detail {
/// Access to headers and handles, for code that upholds the reference counts itself.
struct ObjectUnsafe {
  static TVMFFIObject *GetHeader(const Object *src) noexcept {
    return const_cast<TVMFFIObject *>(&src->header_);
  }
  static void IncRefObjectHandle(TVMFFIObjectHandle handle) noexcept {
    inner::incRef(static_cast<TVMFFIObject *>(handle));
  }
  static void DecRefObjectHandle(TVMFFIObjectHandle handle) noexcept {
    if (handle)
      inner::decRef(static_cast<TVMFFIObject *>(handle));
  }

  /// Bytes from a T to its header.
  template <typename T> static int64_t GetObjectOffsetToSubclass() noexcept {
    // Not null: a cast of null would stay null whatever the bases.
    auto *object = reinterpret_cast<T *>(uintptr_t(1) << 16);
    return reinterpret_cast<char *>(static_cast<Object *>(object)) -
           reinterpret_cast<char *>(object);
  }
  template <typename T> static T *RawObjectPtrFromUnowned(TVMFFIObject *raw) noexcept {
    return static_cast<T *>(reinterpret_cast<Object *>(raw));
  }

  template <typename T> static ObjectPtr<T> ObjectPtrFromOwned(Object *raw) noexcept {
    ObjectPtr<T> result;
    result.data_ = raw;
    return result;
  }
  template <typename T> static ObjectPtr<T> ObjectPtrFromOwned(TVMFFIObject *raw) noexcept {
    return ObjectPtrFromOwned<T>(reinterpret_cast<Object *>(raw));
  }
  template <typename T> static ObjectPtr<T> ObjectPtrFromUnowned(Object *raw) noexcept {
    return ObjectPtr<T>(raw);
  }
  template <typename T> static ObjectPtr<T> ObjectPtrFromUnowned(TVMFFIObject *raw) noexcept {
    return ObjectPtr<T>(reinterpret_cast<Object *>(raw));
  }
  template <typename Ref> static Ref ObjectRefFromObjectPtr(const ObjectPtr<Object> &ptr);
  template <typename Ref> static Ref ObjectRefFromObjectPtr(ObjectPtr<Object> &&ptr);
  template <typename T, typename Ref> static ObjectPtr<T> ObjectPtrFromObjectRef(const Ref &ref);
  template <typename T, typename Ref>
  static std::enable_if_t<!std::is_lvalue_reference_v<Ref>, ObjectPtr<T>>
  ObjectPtrFromObjectRef(Ref &&ref);

  template <typename T>
  static TVMFFIObject *MoveObjectPtrToTVMFFIObjectPtr(ObjectPtr<T> &&ptr) noexcept {
    Object *raw = std::exchange(ptr.data_, nullptr);
    return raw ? &raw->header_ : nullptr;
  }
  static Object *RawObjectPtrFromObjectRef(const ObjectRef &ref) noexcept;
  /// Of a pointer that is known not to be null.
  template <typename T> static Arc<T> ArcFromObjectPtr(ObjectPtr<T> &&ptr) noexcept;
  static TVMFFIObject *TVMFFIObjectPtrFromObjectRef(const ObjectRef &ref) noexcept;
  static TVMFFIObject *MoveObjectRefToTVMFFIObjectPtr(ObjectRef &&ref) noexcept;
  template <typename T>
  static TVMFFIObject *TVMFFIObjectPtrFromObjectPtr(const ObjectPtr<T> &ptr) noexcept {
    return ptr.data_ ? &ptr.data_->header_ : nullptr;
  }
};
} // namespace detail

/// Selects the constructor that leaves an object or reference to be filled in by the caller.
struct UnsafeInit {};

/// A strong reference that is never null (but after it was moved from). Made by make_arc.
template <typename T> class Arc : public ObjectPtr<T> {
public:
  Arc() = delete;
  Arc(std::nullptr_t) = delete;
  /// Null, to be filled in.
  explicit Arc(UnsafeInit) noexcept {}
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  Arc(const Arc<U> &other) noexcept : ObjectPtr<T>(other) {} // NOLINT(*)
  template <typename U, typename = std::enable_if_t<std::is_base_of_v<T, U>>>
  Arc(Arc<U> &&other) noexcept : ObjectPtr<T>(std::move(other)) {} // NOLINT(*)
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Arc);

  const ObjectPtr<T> &ptr() const noexcept { return *this; }

  /// Wraps a pointer that the caller knows not to be null.
  static Arc UnsafeFromNotNull(ObjectPtr<T> ptr) noexcept { return Arc(std::move(ptr)); }

private:
  // They would leave it null, or something else than an Arc in its place.
  using ObjectPtr<T>::reset;
  using ObjectPtr<T>::swap;

  explicit Arc(ObjectPtr<T> ptr) noexcept : ObjectPtr<T>(std::move(ptr)) {}
};

namespace detail {
template <typename T> inline Arc<T> ObjectUnsafe::ArcFromObjectPtr(ObjectPtr<T> &&ptr) noexcept {
  return Arc<T>::UnsafeFromNotNull(std::move(ptr));
}
} // namespace detail

/// Whether T is an ObjectPtr, or an Arc.
template <typename T> inline constexpr bool is_object_ptr_type_v = false;
template <typename T> inline constexpr bool is_object_ptr_type_v<ObjectPtr<T>> = true;
template <typename T> inline constexpr bool is_arc_type_v = false;
template <typename T> inline constexpr bool is_arc_type_v<Arc<T>> = true;

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_OBJECT_PTR_H_
