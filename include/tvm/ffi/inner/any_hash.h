/// AnyHash and AnyEqual: what makes two values the same key. The library, and kernels of either
/// project's headers, look into the same tables: the numbers are part of the ABI.
#ifndef TVM_FFI_INNER_ANY_HASH_H_
#define TVM_FFI_INNER_ANY_HASH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/inner/published.h>

#include <cstdint>
#include <cstring>

namespace tvm {
namespace ffi {
namespace inner {

inline const TVMFFIAny &rawOf(const Any &value) {
  return *detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value);
}
inline const Any &anyOf(const TVMFFIAny &raw) { return reinterpret_cast<const Any &>(raw); }

inline const TVMFFITypeAttrColumn *findColumn(const char *name, size_t size) {
  TVMFFIByteArray bytes{name, size};
  return TVMFFIGetTypeAttrColumn(&bytes);
}

/// The cell of a type in an attribute's column; null where it has none.
inline const TVMFFIAny *findHook(const TVMFFITypeAttrColumn *column, int32_t typeIndex) {
  return TVM_FFI_PREDICT_TRUE(column != nullptr) ? findCell(column, typeIndex) : nullptr;
}

/// True if the library is older than 0.1.15, whose native hooks return a bare number or bool.
inline bool hasBareHooks() {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  return version.major == 0 && version.minor == 1 && version.patch < 16;
}

/// Calls a hook: a Function, or a native pointer of the type `Native`, or `Bare` under a library
/// before 0.1.15. Throws what it throws, and TypeError if its result is not of the expected type.
template <typename Native, typename Bare, typename... Values>
TVM_FFI_NO_INLINE int64_t callHook(const TVMFFIAny &hook, int32_t expected, const char *name,
                                   const Values &...values) {
  Any result;
  if (hook.type_index == kTVMFFIOpaquePtr) {
    static const bool bare = hasBareHooks();
    if (bare)
      return reinterpret_cast<Bare>(hook.v_ptr)(values...);
    TVMFFIAny raw = reinterpret_cast<Native>(hook.v_ptr)(values...);
    result = detail::AnyUnsafe::MoveTVMFFIAnyToAny(raw);
    if (result.type_index() == kTVMFFIError)
      throw *std::move(result).as<Error>();
  } else if (hook.type_index == kTVMFFIFunction) {
    AnyView args[] = {AnyView(values)...};
    const TVMFFIFunctionCell *cell = TVMFFIFunctionGetCellPtr(hook.v_obj);
    if (cell->safe_call(hook.v_obj, reinterpret_cast<const TVMFFIAny *>(args),
                        static_cast<int32_t>(sizeof...(Values)),
                        reinterpret_cast<TVMFFIAny *>(&result)) != 0)
      throw detail::MoveFromSafeCallRaised();
  }
  if (result.type_index() != expected)
    TVM_FFI_THROW(TypeError) << "Hook `" << name << "` returned `" << result.GetTypeKey()
                             << "`, but `" << TypeIndexToTypeKey(expected) << "` is expected";
  return rawOf(result).v_int64;
}

/// The bytes behind any text or bytes that an Any owns.
inline TVMFFIByteArray ownedBytes(const TVMFFIAny &value) {
  return isObject(&value) ? *TVMFFIBytesGetByteArrayPtr(value.v_obj)
                          : TVMFFISmallBytesGetContentByteArray(&value);
}

/// The heap form of the index of a text or bytes, small or not; else the index itself.
inline int32_t heapBytesIndex(int32_t typeIndex) {
  if (typeIndex == kTVMFFISmallStr)
    return kTVMFFIStr;
  return typeIndex == kTVMFFISmallBytes ? static_cast<int32_t>(kTVMFFIBytes) : typeIndex;
}

inline uint64_t hashObject(const TVMFFIAny &value) {
  uint64_t kind = static_cast<uint64_t>(value.type_index);
  if (value.type_index == kTVMFFIStr || value.type_index == kTVMFFIBytes) {
    TVMFFIByteArray bytes = *TVMFFIBytesGetByteArrayPtr(value.v_obj);
    return detail::StableHashCombine(kind, detail::StableHashBytes(bytes.data, bytes.size));
  }
  static const TVMFFITypeAttrColumn *const column = findColumn("__any_hash__", 12);
  if (const TVMFFIAny *hook = findHook(column, value.type_index)) {
    using Native = TVMFFIAny (*)(const Any &) noexcept;
    using Bare = int64_t (*)(const Any &);
    return detail::StableHashCombine(kind, static_cast<uint64_t>(callHook<Native, Bare>(
                                               *hook, kTVMFFIInt, "__any_hash__", anyOf(value))));
  }
  return detail::StableHashCombine(kind, value.v_uint64);
}

/// AnyHash, also of a value that is only lent.
inline uint64_t hashValue(const TVMFFIAny &value) {
  if (isObject(&value))
    return hashObject(value);
  if (TVM_FFI_PREDICT_FALSE(value.type_index == kTVMFFISmallStr ||
                            value.type_index == kTVMFFISmallBytes))
    return detail::StableHashCombine(static_cast<uint64_t>(heapBytesIndex(value.type_index)),
                                     detail::StableHashSmallStrBytes(&value));
  return detail::StableHashCombine(static_cast<uint64_t>(value.type_index), value.v_uint64);
}

TVM_FFI_NO_INLINE inline bool equalObjects(const TVMFFIAny &a, const TVMFFIAny &b) {
  int32_t kind = heapBytesIndex(a.type_index);
  if (kind != heapBytesIndex(b.type_index))
    return false;
  if (kind == kTVMFFIStr || kind == kTVMFFIBytes) {
    TVMFFIByteArray x = ownedBytes(a), y = ownedBytes(b);
    return x.size == y.size && (x.size == 0 || std::memcmp(x.data, y.data, x.size) == 0);
  }
  static const TVMFFITypeAttrColumn *const column = findColumn("__any_equal__", 13);
  const TVMFFIAny *hook = findHook(column, a.type_index);
  if (!hook)
    return false;
  using Native = TVMFFIAny (*)(const Any &, const Any &) noexcept;
  using Bare = bool (*)(const Any &, const Any &);
  return callHook<Native, Bare>(*hook, kTVMFFIBool, "__any_equal__", anyOf(a), anyOf(b)) != 0;
}

/// AnyEqual, also of values that are only lent.
inline bool equalValues(const TVMFFIAny &a, const TVMFFIAny &b) {
  if (a.v_uint64 == b.v_uint64 && a.type_index == b.type_index && a.zero_padding == b.zero_padding)
    return true;
  // Of equal values that differ in their bytes, one at least is an object.
  return (isObject(&a) || isObject(&b)) && equalObjects(a, b);
}
} // namespace inner

/// The hash of a value: of its content for text, bytes and types with a hook `__any_hash__`; else
/// of its payload, which is the address for objects.
struct AnyHash {
  uint64_t operator()(const Any &value) const { return inner::hashValue(inner::rawOf(value)); }
};

/// Whether two values are the same key: the same 16 bytes, the same text or bytes, or what the
/// type's hook `__any_equal__` says.
struct AnyEqual {
  bool operator()(const Any &a, const Any &b) const {
    return inner::equalValues(inner::rawOf(a), inner::rawOf(b));
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_ANY_HASH_H_
