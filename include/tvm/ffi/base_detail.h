/// What all C++ headers of the ABI share: compiler macros, type keys and the boundary to functions
/// that cannot report an error.
#ifndef TVM_FFI_BASE_DETAIL_H_
#define TVM_FFI_BASE_DETAIL_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/endian.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <type_traits>
#include <utility>

#if defined(_MSC_VER)
#define TVM_FFI_INLINE [[msvc::forceinline]] inline
#define TVM_FFI_NO_INLINE [[msvc::noinline]]
#define TVM_FFI_UNREACHABLE() __assume(false)
#define TVM_FFI_COLD_CODE
#define TVM_FFI_PREDICT_FALSE(cond) (cond)
#define TVM_FFI_PREDICT_TRUE(cond) (cond)
#define TVM_FFI_UNSAFE_ASSUME(cond) __assume(cond)
#define TVM_FFI_FUNC_SIG __FUNCSIG__
#else
#define TVM_FFI_INLINE [[gnu::always_inline]] inline
#define TVM_FFI_NO_INLINE [[gnu::noinline]]
#define TVM_FFI_UNREACHABLE() __builtin_unreachable()
#define TVM_FFI_COLD_CODE [[gnu::cold]]
#define TVM_FFI_PREDICT_FALSE(cond) (__builtin_expect(static_cast<bool>(cond), 0))
#define TVM_FFI_PREDICT_TRUE(cond) (__builtin_expect(static_cast<bool>(cond), 1))
#define TVM_FFI_UNSAFE_ASSUME(cond)                                                                \
  do {                                                                                             \
    if (!(cond))                                                                                   \
      __builtin_unreachable();                                                                     \
  } while (0)
#define TVM_FFI_FUNC_SIG __PRETTY_FUNCTION__
#endif

/// Marks what the library exports to C++.
#define TVM_FFI_EXTRA_CXX_API TVM_FFI_DLL

#define TVM_FFI_STR_CONCAT_(a, b) a##b
#define TVM_FFI_STR_CONCAT(a, b) TVM_FFI_STR_CONCAT_(a, b)

/// `TVM_FFI_STATIC_INIT_BLOCK() { ... }` runs the block when its library is loaded. Any number a
/// file.
#define TVM_FFI_STATIC_INIT_BLOCK_DEF_(name) __attribute__((constructor)) static void name()
#define TVM_FFI_STATIC_INIT_BLOCK()                                                                \
  TVM_FFI_STATIC_INIT_BLOCK_DEF_(TVM_FFI_STR_CONCAT(tvmFfiStaticInit_, __COUNTER__))
// Clang counts __COUNTER__ among the extensions from 22 on.
#ifdef __clang__
#if __has_warning("-Wc2y-extensions")
#undef TVM_FFI_STATIC_INIT_BLOCK
#define TVM_FFI_STATIC_INIT_BLOCK()                                                                \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc2y-extensions\"")        \
      TVM_FFI_STATIC_INIT_BLOCK_DEF_(TVM_FFI_STR_CONCAT(tvmFfiStaticInit_, __COUNTER__))           \
          _Pragma("clang diagnostic pop")
#endif
#endif

#define TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName)                                      \
  TypeName(const TypeName &other) = default;                                                       \
  TypeName(TypeName &&other) = default;                                                            \
  TypeName &operator=(const TypeName &other) = default;                                            \
  TypeName &operator=(TypeName &&other) = default

/// Pointers fill the whole payload of a TVMFFIAny on 64-bit machines; elsewhere the rest must be 0.
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result)                                               \
  if constexpr (sizeof((result)->v_obj) != sizeof((result)->v_int64)) {                            \
    (result)->v_int64 = 0;                                                                         \
  }

/// Encloses the body of an ABI function that has no way to report an error: an exception is printed
/// and ends the process.
#define TVM_FFI_LOG_EXCEPTION_CALL_BEGIN()                                                         \
  try {                                                                                            \
  (void)0
#define TVM_FFI_LOG_EXCEPTION_CALL_END(Name)                                                       \
  }                                                                                                \
  catch (const std::exception &err) {                                                              \
    std::cerr << "Exception caught during " #Name ":\n" << err.what() << std::endl;                \
    exit(-1);                                                                                      \
  }

namespace tvm {
namespace ffi {

/// Helpers that third parties may name. Before 0.1.15 the namespace was `details`.
namespace detail {
/// The hashes that both libraries and all kernels share: the numbers are part of the ABI.
template <typename T, std::enable_if_t<std::is_convertible_v<T, uint64_t>, bool> = true>
constexpr uint64_t StableHashCombine(uint64_t key, const T &value) {
  return key ^ (static_cast<uint64_t>(value) + 0x9e3779b9u + (key << 6) + (key >> 2));
}

constexpr uint64_t kStableHashPrime = 2147483647u;

/// The hash of bytes: by words of 8, the last one filled with zeros.
inline uint64_t StableHashBytes(const void *data_ptr, size_t size) {
  constexpr uint64_t kFactor = 1099511628211u;
  const char *data = static_cast<const char *>(data_ptr);
  uint64_t hash = 0, word = 0;
  const char *end = data + (size & ~size_t(7));
  for (; data != end; data += sizeof(word)) {
    std::memcpy(&word, data, sizeof(word));
    hash = (hash * kFactor + word) % kStableHashPrime;
  }
  if (size_t rest = size & 7) {
    word = 0;
    std::memcpy(&word, data, rest);
    hash = (hash * kFactor + word) % kStableHashPrime;
  }
  return hash;
}

/// The same for small text and bytes, whose content fills up to one word.
inline uint64_t StableHashSmallStrBytes(const TVMFFIAny *data) {
  return data->v_uint64 % kStableHashPrime;
}

/// Calls `f(i, argument)` for each argument, numbered from 0.
template <typename F, typename... Args> void for_each(const F &f, Args &&...args) {
  size_t i = 0;
  (f(i++, std::forward<Args>(args)), ...);
  (void)i;
}
} // namespace detail
namespace details {
using namespace detail;
} // namespace details
/// Fairlead's own helpers; not part of the ABI.
namespace inner {}

using TypeIndex = TVMFFITypeIndex;
using TypeInfo = TVMFFITypeInfo;

/// The type keys of the static type indices.
struct StaticTypeKey {
  static constexpr const char *kTVMFFIAny = "Any";
  static constexpr const char *kTVMFFINone = "None";
  static constexpr const char *kTVMFFIBool = "bool";
  static constexpr const char *kTVMFFIInt = "int";
  static constexpr const char *kTVMFFIFloat = "float";
  static constexpr const char *kTVMFFIOpaquePtr = "void*";
  static constexpr const char *kTVMFFIDataType = "DataType";
  static constexpr const char *kTVMFFIDevice = "Device";
  static constexpr const char *kTVMFFIDLTensorPtr = "DLTensor*";
  static constexpr const char *kTVMFFIRawStr = "const char*";
  static constexpr const char *kTVMFFIByteArrayPtr = "TVMFFIByteArray*";
  static constexpr const char *kTVMFFIObjectRValueRef = "ObjectRValueRef";
  static constexpr const char *kTVMFFISmallStr = "ffi.SmallStr";
  static constexpr const char *kTVMFFISmallBytes = "ffi.SmallBytes";
  static constexpr const char *kTVMFFIUnchanged = "ffi.Unchanged";
  static constexpr const char *kTVMFFIObject = "ffi.Object";
  static constexpr const char *kTVMFFIStr = "ffi.String";
  static constexpr const char *kTVMFFIBytes = "ffi.Bytes";
  static constexpr const char *kTVMFFIError = "ffi.Error";
  static constexpr const char *kTVMFFIFunction = "ffi.Function";
  static constexpr const char *kTVMFFIShape = "ffi.Shape";
  static constexpr const char *kTVMFFITensor = "ffi.Tensor";
  static constexpr const char *kTVMFFIArray = "ffi.Array";
  static constexpr const char *kTVMFFIMap = "ffi.Map";
  static constexpr const char *kTVMFFIModule = "ffi.Module";
  static constexpr const char *kTVMFFIOpaquePyObject = "ffi.OpaquePyObject";
  static constexpr const char *kTVMFFIList = "ffi.List";
  static constexpr const char *kTVMFFIDict = "ffi.Dict";
  static constexpr const char *kTVMFFIVisitInterrupt = "ffi.VisitInterrupt";
  static constexpr const char *kTVMFFIBigInt = "ffi.BigInt";
};

/// The key of a type index; "unknown" for an index that no type can have.
inline const char *TypeIndexToTypeKey(int32_t type_index) {
  bool isPod = type_index >= kTVMFFINone && type_index <= kTVMFFIUnchanged;
  if (!isPod && type_index < kTVMFFIStaticObjectBegin)
    return type_index == kTVMFFIAny ? StaticTypeKey::kTVMFFIAny : "unknown";
  return TVMFFIGetTypeInfo(type_index)->type_key.data;
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_BASE_DETAIL_H_
