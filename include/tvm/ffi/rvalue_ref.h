/// RValueRef: an object reference that is handed over to the callee, so that it can be the only
/// owner.
#ifndef TVM_FFI_RVALUE_REF_H_
#define TVM_FFI_RVALUE_REF_H_

#include <tvm/ffi/any.h>

#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {

/// Holds a moved reference. As an argument, it lets the callee move the reference out of the
/// caller's. A copy is a second owner.
template <typename TObjRef, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, TObjRef>>>
class RValueRef {
public:
  using ContainerType = typename TObjRef::ContainerType;

  explicit RValueRef(TObjRef &&ref)
      : data_(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(ref))) {}

  TObjRef operator*() && {
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<TObjRef>(std::move(data_));
  }

private:
  // Mutable: the callee moves it out through a view of a const argument.
  mutable ObjectPtr<Object> data_;

  template <typename, typename> friend struct TypeTraits;
};

template <typename TObjRef> struct TypeTraits<RValueRef<TObjRef>> : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static void CopyToAnyView(const RValueRef<TObjRef> &src, TVMFFIAny *result) {
    static_assert(sizeof(src.data_) == sizeof(TVMFFIObject *), "the slot is the pointer itself");
    inner::setPointer(kTVMFFIObjectRValueRef, &src.data_, result);
  }
  static std::optional<RValueRef<TObjRef>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIObjectRValueRef) {
      if (std::optional<TObjRef> ref = TypeTraits<TObjRef>::TryCastFromAnyView(src))
        return RValueRef<TObjRef>(*std::move(ref));
      return std::nullopt;
    }
    auto *slot = static_cast<TVMFFIObject **>(src->v_ptr);
    TVMFFIAny value;
    inner::setObject(*slot, &value);
    if (TypeTraits<TObjRef>::CheckAnyStrict(&value)) {
      *slot = nullptr;
      return RValueRef<TObjRef>(TypeTraits<TObjRef>::MoveFromAnyAfterCheck(&value));
    }
    if (std::optional<TObjRef> ref = TypeTraits<TObjRef>::TryCastFromAnyView(&value))
      return RValueRef<TObjRef>(*std::move(ref));
    return std::nullopt;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIObjectRValueRef)
      return TypeTraits<TObjRef>::GetMismatchTypeInfo(src);
    TVMFFIAny value;
    inner::setObject(*static_cast<TVMFFIObject **>(src->v_ptr), &value);
    return inner::concat("RValueRef<", TypeTraits<TObjRef>::GetMismatchTypeInfo(&value), ">");
  }
  static std::string TypeStr() {
    return inner::concat("RValueRef<", TypeTraits<TObjRef>::TypeStr(), ">");
  }
  static std::string TypeSchema() {
    return inner::compositeSchema("ObjectRValueRef", TypeTraits<TObjRef>::TypeSchema());
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_RVALUE_REF_H_
