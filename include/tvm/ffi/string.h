/// String and Bytes: 16 bytes each, up to 7 characters inside, longer ones in a shared object.
/// Immutable.
#ifndef TVM_FFI_STRING_H_
#define TVM_FFI_STRING_H_

#include <tvm/ffi/inner/bytes_cell.h>
#include <tvm/ffi/type_traits.h>

#include <cstring>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tvm {
namespace ffi {

inline std::string_view ToStringView(TVMFFIByteArray bytes) {
  return bytes.size ? std::string_view(bytes.data, bytes.size) : std::string_view();
}

/// Immutable bytes.
class Bytes : public inner::BytesCell<kTVMFFISmallBytes, BytesObj> {
  using Base = inner::BytesCell<kTVMFFISmallBytes, BytesObj>;

public:
  Bytes() = default;
  Bytes(const char *data, size_t size) : Base(std::string_view(data, size)) {}
  Bytes(TVMFFIByteArray bytes) : Base(ToStringView(bytes)) {} // NOLINT(*)
  Bytes(const std::string &other) : Base(other) {}            // NOLINT(*)
  Bytes(std::string &&other) : Base(std::move(other)) {}      // NOLINT(*)
  /// Assigns whatever a Bytes can be made of, text among it.
  template <typename T, typename = std::enable_if_t<!std::is_base_of_v<Bytes, std::decay_t<T>> &&
                                                    std::is_constructible_v<Bytes, T>>>
  Bytes &operator=(T &&other) {
    return *this = Bytes(std::forward<T>(other));
  }

  operator std::string() const { return std::string(data(), size()); } // NOLINT(*)
  /// The order of two runs of bytes, -1, 0 or 1; and whether they are equal.
  static int memncmp(const char *lhs, const char *rhs, size_t lhs_count, size_t rhs_count) {
    int order = std::string_view(lhs, lhs_count).compare(std::string_view(rhs, rhs_count));
    return (order > 0) - (order < 0);
  }
  static bool memequal(const void *lhs, const void *rhs, size_t lhs_count, size_t rhs_count) {
    return lhs_count == rhs_count && (lhs_count == 0 || std::memcmp(lhs, rhs, lhs_count) == 0);
  }
  bool operator==(const Bytes &other) const { return view() == other.view(); }
  bool operator!=(const Bytes &other) const { return view() != other.view(); }
  bool operator<(const Bytes &other) const { return view() < other.view(); }

private:
  friend struct TypeTraits<Bytes>;
};

/// Immutable text; may contain NULs, and has one after its end.
class String : public inner::BytesCell<kTVMFFISmallStr, StringObj> {
  using Base = inner::BytesCell<kTVMFFISmallStr, StringObj>;

public:
  static constexpr size_t npos = std::string_view::npos;

  String() = default;
  String(std::nullptr_t) = delete;
  String(const char *text) : Base(std::string_view(text)) {} // NOLINT(*)
  String(const char *data, size_t size) : Base(std::string_view(data, size)) {}
  String(const std::string &other) : Base(other) {} // NOLINT(*)
  /// Always an object, however short: it takes the std::string over.
  String(std::string &&other) : Base(std::move(other)) {} // NOLINT(*)
  explicit String(TVMFFIByteArray bytes) : Base(ToStringView(bytes)) {}
  explicit String(std::string_view text) : Base(text) {}
  /// Besides these, whatever converts to std::string can be assigned: Bytes do.
  String &operator=(const std::string &other) { return *this = String(other); }
  String &operator=(std::string &&other) { return *this = String(std::move(other)); }
  String &operator=(const char *text) { return *this = String(text); }
  String &operator=(std::nullptr_t) = delete;
  String(const String &) = default;
  String(String &&) noexcept = default;
  String &operator=(const String &) = default;
  String &operator=(String &&) noexcept = default;

  const char *c_str() const noexcept { return data(); }
  operator std::string() const { return std::string(data(), size()); } // NOLINT(*)
  operator std::string_view() const noexcept { return view(); }        // NOLINT(*)

  /// The character at `pos`; std::out_of_range past the end.
  char at(size_t pos) const {
    if (pos >= size())
      throw std::out_of_range("tvm::String index out of bounds");
    return data()[pos];
  }
  /// -1, 0 or 1.
  int compare(const String &other) const { return order(other.view()); }
  int compare(const std::string &other) const { return order(other); }
  int compare(const char *other) const { return order(other); }
  int compare(const TVMFFIByteArray &other) const { return order(ToStringView(other)); }
  size_t find(const String &text, size_t pos = 0) const { return view().find(text.view(), pos); }
  size_t find(const char *text, size_t pos = 0) const { return view().find(text, pos); }
  String substr(size_t pos = 0, size_t count = npos) const {
    if (pos > size())
      throw std::out_of_range("tvm::String substr index out of bounds");
    return String(view().substr(pos, count));
  }
  bool starts_with(std::string_view prefix) const {
    return view().substr(0, prefix.size()) == prefix;
  }
  bool ends_with(std::string_view suffix) const {
    return size() >= suffix.size() && view().substr(size() - suffix.size()) == suffix;
  }
  /// The parts between `delim`; views into this string.
  template <typename Part = std::string_view> std::vector<Part> Split(char delim) const {
    std::vector<Part> parts;
    Part rest = view();
    for (size_t end; (end = rest.find(delim)) != Part::npos;) {
      parts.push_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    parts.push_back(rest);
    return parts;
  }

private:
  friend struct TypeTraits<String>;

  int order(std::string_view other) const {
    return Bytes::memncmp(data(), other.data(), size(), other.size());
  }
};

static_assert(sizeof(String) == 16 && sizeof(Bytes) == 16, "layout of String and Bytes");

inline String operator+(const String &a, const String &b) {
  return String(std::string(a).append(b.data(), b.size()));
}
inline String operator+(const String &a, const std::string &b) {
  return String(std::string(a) + b);
}
inline String operator+(const std::string &a, const String &b) {
  return String(std::string(a).append(b.data(), b.size()));
}
inline String operator+(const String &a, const char *b) { return String(std::string(a) + b); }
inline String operator+(const char *a, const String &b) {
  return String(std::string(a).append(b.data(), b.size()));
}

// Strings compare with each other, std::string and text. A comparison with nullptr is a mistake.
#define TVM_FFI_INNER_STRING_COMPARE_(op)                                                          \
  inline bool operator op(const String &a, const String &b) { return a.compare(b) op 0; }          \
  inline bool operator op(const String &a, const std::string &b) { return a.compare(b) op 0; }     \
  inline bool operator op(const std::string &a, const String &b) { return 0 op b.compare(a); }     \
  inline bool operator op(const String &a, const char *b) { return a.compare(b) op 0; }            \
  inline bool operator op(const char *a, const String &b) { return 0 op b.compare(a); }            \
  bool operator op(const String &, std::nullptr_t) = delete;                                       \
  bool operator op(std::nullptr_t, const String &) = delete;
TVM_FFI_INNER_STRING_COMPARE_(==)
TVM_FFI_INNER_STRING_COMPARE_(!=)
TVM_FFI_INNER_STRING_COMPARE_(<)
TVM_FFI_INNER_STRING_COMPARE_(<=)
TVM_FFI_INNER_STRING_COMPARE_(>)
TVM_FFI_INNER_STRING_COMPARE_(>=)
#undef TVM_FFI_INNER_STRING_COMPARE_

inline std::ostream &operator<<(std::ostream &os, const String &text) {
  return os.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// The text as a JSON string, quotes included.
inline String EscapeStringJSON(const String &text) {
  std::string result = "\"";
  for (char c : std::string_view(text.data(), text.size())) {
    static constexpr const char *kHex = "0123456789abcdef";
    switch (c) {
    case '"':
      result += "\\\"";
      break;
    case '\\':
      result += "\\\\";
      break;
    case '/':
      result += "\\/";
      break;
    case '\b':
      result += "\\b";
      break;
    case '\f':
      result += "\\f";
      break;
    case '\n':
      result += "\\n";
      break;
    case '\r':
      result += "\\r";
      break;
    case '\t':
      result += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        result += "\\u00";
        result += kHex[(c >> 4) & 15];
        result += kHex[c & 15];
      } else {
        result += c;
      }
    }
  }
  return String(result + "\"");
}

[[deprecated("use EscapeStringJSON")]] inline String EscapeString(const String &text) {
  return EscapeStringJSON(text);
}

namespace inner {
/// The code point that begins at `i`, which moves past it; the byte itself where it is not UTF-8.
inline uint32_t nextCodePoint(const unsigned char *text, size_t size, size_t &i, bool &valid) {
  unsigned char lead = text[i];
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xF0 && lead < 0xF8 ? 4
                  : lead >= 0xE0 && lead < 0xF0 ? 3
                  : lead >= 0xC2 && lead < 0xE0 ? 2
                                                : 0;
  valid = length != 0 && i + length <= size;
  for (size_t k = 1; valid && k < length; ++k)
    valid = (text[i + k] & 0xC0) == 0x80;
  if (!valid || length == 1) {
    ++i;
    return lead;
  }
  uint32_t point = lead & (0xFFu >> (length + 1));
  for (size_t k = 1; k < length; ++k)
    point = (point << 6) | (text[i + k] & 0x3Fu);
  i += length;
  return point;
}
} // namespace inner

/// The text as Python writes it in double quotes: ASCII, the rest as escapes.
template <typename Result = String>
Result EscapedStringPy(const std::enable_if_t<true, Result> &text) {
  std::string out = "\"";
  auto escape = [&out](char kind, uint32_t value, int digits) {
    (out += '\\') += kind;
    while (digits-- > 0)
      out += "0123456789abcdef"[(value >> (4 * digits)) & 15];
  };
  const auto *bytes = reinterpret_cast<const unsigned char *>(text.data());
  for (size_t i = 0; i < text.size();) {
    bool valid = false;
    uint32_t point = inner::nextCodePoint(bytes, text.size(), i, valid);
    if (point == '"' || point == '\\')
      (out += '\\') += static_cast<char>(point);
    else if (point == '\n')
      out += "\\n";
    else if (point == '\t')
      out += "\\t";
    else if (point == '\r')
      out += "\\r";
    else if (valid && point >= 0x20 && point < 0x7F)
      out += static_cast<char>(point);
    else if (!valid || point < 0x80)
      escape('x', point, 2);
    else if (point <= 0xFFFF)
      escape('u', point, 4);
    else
      escape('U', point, 8);
  }
  return Result(out + "\"");
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

namespace inner {
/// What String and Bytes share.
template <typename T, int32_t LentIndex, int32_t SmallIndex, int32_t ObjectIndex>
struct BytesTraits : TypeTraitsBase {
  // A field of it is a value, small or not, and no object.
  static constexpr int32_t field_static_type_index = kTVMFFIAny;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) { *result = src.data_; }
  static void MoveToAny(T src, TVMFFIAny *result) { *result = src.release(); }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == SmallIndex || src->type_index == ObjectIndex;
  }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    T result;
    result.assignFrom(*src);
    return result;
  }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) {
    T result;
    result.takeFrom(src);
    return result;
  }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (src->type_index == LentIndex) {
      if constexpr (LentIndex == kTVMFFIRawStr)
        return T(src->v_c_str);
      else
        return T(*static_cast<const TVMFFIByteArray *>(src->v_ptr));
    }
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() { return LentIndex == kTVMFFIRawStr ? "str" : "bytes"; }
  static std::string TypeSchema() {
    return atomSchema(LentIndex == kTVMFFIRawStr ? StaticTypeKey::kTVMFFIStr
                                                 : StaticTypeKey::kTVMFFIBytes);
  }
};
} // namespace inner

template <>
struct TypeTraits<String> : inner::BytesTraits<String, kTVMFFIRawStr, kTVMFFISmallStr, kTVMFFIStr> {
};
template <>
struct TypeTraits<Bytes>
    : inner::BytesTraits<Bytes, kTVMFFIByteArrayPtr, kTVMFFISmallBytes, kTVMFFIBytes> {};

namespace inner {
template <typename T> struct TextPointerTraits : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = kTVMFFIRawStr;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    setPointer(kTVMFFIRawStr, src, result);
  }
  static void MoveToAny(T src, TVMFFIAny *result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    TypeTraits<String>::MoveToAny(String(src), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return src->type_index == kTVMFFIRawStr; }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return src->v_c_str; }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return src->v_c_str;
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIRawStr; }
  static std::string TypeSchema() { return atomSchema("const char*"); }
};
} // namespace inner

/// Text that is only lent; a String once it is stored.
template <> struct TypeTraits<const char *> : inner::TextPointerTraits<const char *> {};

template <size_t N> struct TypeTraits<char[N]> : TypeTraits<const char *> {
  static void CopyToAnyView(const char (&src)[N], TVMFFIAny *result) {
    inner::setPointer(kTVMFFIRawStr, src, result);
  }
};

namespace inner {
template <typename T> struct BytesPointerTraits : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = kTVMFFIByteArrayPtr;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    setPointer(kTVMFFIByteArrayPtr, src, result);
  }
  static void MoveToAny(T src, TVMFFIAny *result) {
    TVM_FFI_ICHECK_NOTNULL(src);
    TypeTraits<Bytes>::MoveToAny(Bytes(*src), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIByteArrayPtr;
  }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return static_cast<T>(src->v_ptr); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    return std::nullopt;
  }
  static std::string TypeStr() { return StaticTypeKey::kTVMFFIByteArrayPtr; }
  static std::string TypeSchema() { return atomSchema(StaticTypeKey::kTVMFFIByteArrayPtr); }
};
} // namespace inner

/// Bytes that are only lent; Bytes once they are stored.
template <> struct TypeTraits<TVMFFIByteArray *> : inner::BytesPointerTraits<TVMFFIByteArray *> {};

namespace inner {
inline bool isText(int32_t typeIndex) {
  return typeIndex == kTVMFFISmallStr || typeIndex == kTVMFFIStr || typeIndex == kTVMFFIRawStr;
}

/// The bytes of any kind of text or bytes; false for anything else.
inline bool tryGetBytes(const TVMFFIAny *src, TVMFFIByteArray *out) {
  switch (src->type_index) {
  case kTVMFFISmallStr:
  case kTVMFFISmallBytes:
    *out = TVMFFISmallBytesGetContentByteArray(src);
    return true;
  case kTVMFFIStr:
  case kTVMFFIBytes:
    *out = *TVMFFIBytesGetByteArrayPtr(src->v_obj);
    return true;
  case kTVMFFIRawStr:
    *out = TVMFFIByteArray{src->v_c_str, std::strlen(src->v_c_str)};
    return true;
  case kTVMFFIByteArrayPtr:
    *out = *static_cast<const TVMFFIByteArray *>(src->v_ptr);
    return true;
  default:
    return false;
  }
}

template <typename T> struct StdStringTraits : TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  static constexpr int32_t field_static_type_index = kTVMFFIStr;
  static void CopyToAnyView(const T &src, TVMFFIAny *result) {
    setPointer(kTVMFFIRawStr, src.c_str(), result);
  }
  static void MoveToAny(T src, TVMFFIAny *result) {
    TypeTraits<String>::MoveToAny(String(std::move(src)), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return TypeTraits<String>::CheckAnyStrict(src);
  }
  static T CopyFromAnyViewAfterCheck(const TVMFFIAny *src) { return *TryCastFromAnyView(src); }
  static T MoveFromAnyAfterCheck(TVMFFIAny *src) { return *TryCastFromAnyView(src); }
  static std::optional<T> TryCastFromAnyView(const TVMFFIAny *src) {
    TVMFFIByteArray bytes;
    if (!tryGetBytes(src, &bytes))
      return std::nullopt;
    return T(ToStringView(bytes));
  }
  static std::string TypeStr() { return "std::string"; }
  static std::string TypeSchema() { return atomSchema("std::string"); }
};
} // namespace inner

/// Text or bytes copied; a String once it is stored.
template <> struct TypeTraits<std::string> : inner::StdStringTraits<std::string> {};

} // namespace ffi
} // namespace tvm

namespace std {
template <> struct hash<::tvm::ffi::Bytes> {
  size_t operator()(const ::tvm::ffi::Bytes &bytes) const {
    return std::hash<std::string_view>()(std::string_view(bytes.data(), bytes.size()));
  }
};
template <> struct hash<::tvm::ffi::String> {
  size_t operator()(const ::tvm::ffi::String &text) const {
    return std::hash<std::string_view>()(std::string_view(text.data(), text.size()));
  }
};
} // namespace std
#endif // TVM_FFI_STRING_H_
