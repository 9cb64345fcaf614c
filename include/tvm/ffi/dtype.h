/// DLDataType in C++: text both ways, comparison, and its place in Any.
#ifndef TVM_FFI_DTYPE_H_
#define TVM_FFI_DTYPE_H_

#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/type_traits.h>

#include <ostream>
#include <string>

namespace tvm {
namespace ffi {

/// The first type code that programs may give meanings of their own.
enum DLExtDataTypeCode { kDLExtCustomBegin = 129 };

/// Reads a dtype such as `float32`; ValueError for anything else.
inline DLDataType StringToDLDataType(const String &text) {
  DLDataType result;
  TVMFFIByteArray bytes{text.data(), text.size()};
  if (TVMFFIDataTypeFromString(&bytes, &result) != 0)
    throw detail::MoveFromSafeCallRaised();
  return result;
}

inline String DLDataTypeToString(DLDataType dtype) {
  TVMFFIAny result;
  inner::setNone(&result);
  if (TVMFFIDataTypeToString(&dtype, &result) != 0)
    throw detail::MoveFromSafeCallRaised();
  return TypeTraits<String>::MoveFromAnyAfterCheck(&result);
}

inline bool DTypeIsFloat(DLDataType dtype) {
  return dtype.code == kDLFloat || dtype.code == kDLBfloat ||
         (dtype.code >= kDLFloat8_e3m4 && dtype.code <= kDLFloat4_e2m1fn);
}
inline bool DTypeIsInt(DLDataType dtype) { return dtype.code == kDLInt || dtype.code == kDLUInt; }
inline bool DTypeIsBool(DLDataType dtype) { return dtype.code == kDLBool; }

/// The short name of a dtype: f32, bf16, i8, f8_e4m3fn; its full text where it has none.
inline std::string DTypeAbbrev(DLDataType dtype) {
  std::string text = DLDataTypeToString(dtype);
  if (text.empty())
    return "void";
  auto shorten = [&](const char *name, const char *shortName) {
    std::string_view prefix = name;
    if (std::string_view(text).substr(0, prefix.size()) != prefix)
      return false;
    text.replace(0, prefix.size(), shortName);
    return true;
  };
  shorten("float", "f") || shorten("bfloat", "bf") || shorten("uint", "u") || shorten("int", "i");
  return text;
}

namespace inner {
template <typename T> struct DTypeTraits : TypeTraitsBase {
  static constexpr int32_t field_static_type_index = kTVMFFIDataType;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    setInt64(kTVMFFIDataType, 0, result);
    result->v_dtype = src;
  }
  static void MoveToAny(T src, TVMFFIAny *result) { CopyToAnyView(src, result); }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIDataType; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return src->v_dtype; }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return src->v_dtype; }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return src->v_dtype;
    TVMFFIByteArray text;
    T dtype;
    if (!tryGetBytes(src, &text))
      return std::nullopt;
    if (TVMFFIDataTypeFromString(&text, &dtype) != 0)
      throw detail::MoveFromSafeCallRaised();
    return dtype;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIDataType; }
  static std::string TypeSchema() { return atomSchema("DataType"); }
};
} // namespace inner

template <> struct TypeTraits<DLDataType> : inner::DTypeTraits<DLDataType> {};

} // namespace ffi
} // namespace tvm

// DLDataType is a type of the global namespace, so that is where its operators are found.
inline bool operator==(const DLDataType &a, const DLDataType &b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
inline bool operator!=(const DLDataType &a, const DLDataType &b) { return !(a == b); }
inline std::ostream &operator<<(std::ostream &os, DLDataType dtype) {
  return os << ::tvm::ffi::DLDataTypeToString(dtype);
}
#endif // TVM_FFI_DTYPE_H_
