/// BigInt: an integer of any size. One that fits int64_t lies in the value itself, a larger one in
/// a shared object that nobody changes.
#ifndef TVM_FFI_BIG_INT_H_
#define TVM_FFI_BIG_INT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/inner/any_hash.h>
#include <tvm/ffi/inner/big_words.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/// An integer. Laid out as a TVMFFIAny with tag Int or BigInt, never None; a moved-from one is 0.
///
/// Division and remainder (also truncdiv, truncmod) cut towards zero as C++'s do; floordiv and
/// floormod round down. Bit operations see infinite two's complement. Operands may be plain
/// integers, which are exact, and floating-point numbers: arithmetic cuts them towards zero first,
/// comparisons take them exactly.
namespace detail {
struct BigIntUnsafe;
} // namespace detail

class BigInt {
  template <typename T>
  using IfInteger = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>;
  template <typename T> using IfFloat = std::enable_if_t<std::is_floating_point_v<T>>;

public:
  BigInt() noexcept { inner::setInt64(kTVMFFIInt, 0, &data_); }
  template <typename T, typename = IfInteger<T>> BigInt(T value) { // NOLINT(*)
    if constexpr (std::is_enum_v<T>)
      setInteger(static_cast<std::underlying_type_t<T>>(value));
    else
      setInteger(value);
  }
  /// Cuts towards zero. ValueError for NaN, OverflowError for an infinite value.
  explicit BigInt(double value);
  explicit BigInt(float value) : BigInt(static_cast<double>(value)) {}
  BigInt(const BigInt &other) noexcept : data_(other.data_) { retain(); }
  BigInt(BigInt &&other) noexcept : data_(other.release()) {}
  BigInt &operator=(const BigInt &other) noexcept {
    BigInt(other).swap(*this);
    return *this;
  }
  BigInt &operator=(BigInt &&other) noexcept {
    BigInt(std::move(other)).swap(*this);
    return *this;
  }
  ~BigInt() {
    if (onHeap())
      inner::decRef(data_.v_obj);
  }
  void swap(BigInt &other) noexcept { std::swap(data_, other.data_); }

  /// The words of a value, least significant first, in two's complement; they are the value's.
  class ArrayView {
  public:
    ArrayView(const int64_t *data, size_t size) : data_(data), size_(size) {}
    size_t size() const { return size_; }
    const int64_t &operator[](size_t i) const { return data_[i]; }

  private:
    const int64_t *data_;
    size_t size_;
  };

  /// The value as an integer of that type, empty where it does not fit.
  template <typename Int, typename = std::enable_if_t<std::is_integral_v<Int>>>
  std::optional<Int> as() const {
    static_assert(sizeof(Int) <= sizeof(int64_t), "integers of up to 64 bits");
    if (*this < BigInt(std::numeric_limits<Int>::min()) ||
        *this > BigInt(std::numeric_limits<Int>::max()))
      return std::nullopt;
    return static_cast<Int>(view().data[0]);
  }
  /// Of one that fits int64_t that, else the hash of the words, as `__any_hash__` has it.
  uint64_t hash() const {
    if (!onHeap())
      return static_cast<uint64_t>(data_.v_int64);
    TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&data_);
    return detail::StableHashBytes(bytes.data, bytes.size);
  }

  /// OverflowError where it does not fit.
  explicit operator int64_t() const {
    if (TVM_FFI_PREDICT_FALSE(onHeap()))
      TVM_FFI_THROW(OverflowError) << "BigInt does not fit int64_t";
    return data_.v_int64;
  }
  /// The nearest double; OverflowError where that is infinite.
  explicit operator double() const {
    if (!onHeap())
      return static_cast<double>(data_.v_int64);
    double value = inner::doubleOf(view());
    if (std::isinf(value))
      TVM_FFI_THROW(OverflowError) << "BigInt does not fit finite double";
    return value;
  }
  explicit operator bool() const noexcept { return onHeap() || data_.v_int64 != 0; }

  BigInt operator+() const { return *this; }
  BigInt operator-() const { return subtract(BigInt(), *this); }
  BigInt operator~() const { return subtract(BigInt(-1), *this); }
  BigInt &operator++() { return *this = add(*this, 1); }
  BigInt &operator--() { return *this = subtract(*this, 1); }
  BigInt operator++(int) {
    BigInt old = *this;
    ++*this;
    return old;
  }
  BigInt operator--(int) {
    BigInt old = *this;
    --*this;
    return old;
  }

#define TVM_FFI_INNER_BIG_INT_ARITHMETIC_(name, function)                                          \
  friend BigInt name(const BigInt &a, const BigInt &b) { return function(a, b); }                  \
  template <typename T, typename = IfFloat<T>> friend BigInt name(const BigInt &a, T b) {          \
    return function(a, BigInt(static_cast<double>(b)));                                            \
  }                                                                                                \
  template <typename T, typename = IfFloat<T>> friend BigInt name(T a, const BigInt &b) {          \
    return function(BigInt(static_cast<double>(a)), b);                                            \
  }
#define TVM_FFI_INNER_BIG_INT_OPERATOR_(op, function)                                              \
  TVM_FFI_INNER_BIG_INT_ARITHMETIC_(operator op, function)                                         \
  BigInt &operator op## = (const BigInt &other) { return *this = function(*this, other); }
  TVM_FFI_INNER_BIG_INT_OPERATOR_(+, add)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(-, subtract)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(*, multiply)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(/, quotient)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(%, remainder)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(&, bitAnd)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(|, bitOr)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(^, bitXor)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(<<, shiftLeft)
  TVM_FFI_INNER_BIG_INT_OPERATOR_(>>, shiftRight)
  TVM_FFI_INNER_BIG_INT_ARITHMETIC_(truncdiv, quotient)
  TVM_FFI_INNER_BIG_INT_ARITHMETIC_(truncmod, remainder)
  TVM_FFI_INNER_BIG_INT_ARITHMETIC_(floordiv, floorQuotient)
  TVM_FFI_INNER_BIG_INT_ARITHMETIC_(floormod, floorRemainder)
#undef TVM_FFI_INNER_BIG_INT_OPERATOR_
#undef TVM_FFI_INNER_BIG_INT_ARITHMETIC_

#define TVM_FFI_INNER_BIG_INT_COMPARE_(op)                                                         \
  friend bool operator op(const BigInt &a, const BigInt &b) { return a.order(b) op 0; }            \
  template <typename T, typename = IfFloat<T>> friend bool operator op(const BigInt &a, T b) {     \
    return a.order(static_cast<double>(b)) op 0;                                                   \
  }                                                                                                \
  template <typename T, typename = IfFloat<T>> friend bool operator op(T a, const BigInt &b) {     \
    return 0 op b.order(static_cast<double>(a));                                                   \
  }
  TVM_FFI_INNER_BIG_INT_COMPARE_(==)
  TVM_FFI_INNER_BIG_INT_COMPARE_(!=)
  TVM_FFI_INNER_BIG_INT_COMPARE_(<)
  TVM_FFI_INNER_BIG_INT_COMPARE_(<=)
  TVM_FFI_INNER_BIG_INT_COMPARE_(>)
  TVM_FFI_INNER_BIG_INT_COMPARE_(>=)
#undef TVM_FFI_INNER_BIG_INT_COMPARE_

  friend BigInt min(const BigInt &a, const BigInt &b) { return b < a ? b : a; }
  friend BigInt max(const BigInt &a, const BigInt &b) { return a < b ? b : a; }

  /// Decimal, whatever the stream's base; width and fill count.
  friend std::ostream &operator<<(std::ostream &os, const BigInt &value) {
    return os << inner::decimalOf(value.view());
  }
  /// Reads decimal digits with a sign or without. Where there is none, it fails and leaves `value`.
  friend std::istream &operator>>(std::istream &is, BigInt &value) { return value.read(is); }

private:
  friend struct TypeTraits<BigInt>;
  friend struct detail::BigIntUnsafe;

  enum class Rounding { Cut, Floor };

  bool onHeap() const noexcept { return data_.type_index != kTVMFFIInt; }
  bool negative() const { return onHeap() ? view().negative() : data_.v_int64 < 0; }
  void retain() noexcept {
    if (onHeap())
      inner::incRef(data_.v_obj);
  }
  TVMFFIAny release() noexcept {
    TVMFFIAny result = data_;
    inner::setInt64(kTVMFFIInt, 0, &data_);
    return result;
  }
  /// The words, for as long as this value lives unchanged.
  inner::BigView view() const noexcept {
    TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(&data_);
    return {reinterpret_cast<const uint64_t *>(bytes.data), bytes.size / sizeof(uint64_t)};
  }
  static BigInt fromWords(const inner::BigWords &words) {
    BigInt result;
    TVMFFIByteArray bytes{reinterpret_cast<const char *>(words.data()),
                          words.size() * sizeof(uint64_t)};
    if (TVMFFIBigIntFromByteArray(&bytes, &result.data_) != 0) {
      inner::setInt64(kTVMFFIInt, 0, &result.data_); // for its destructor
      throw detail::MoveFromSafeCallRaised();
    }
    return result;
  }
  template <typename T> void setInteger(T value) {
    static_assert(sizeof(T) <= sizeof(int64_t), "integers of up to 64 bits");
    inner::setInt64(kTVMFFIInt, static_cast<int64_t>(value), &data_);
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(int64_t))
      if (data_.v_int64 < 0)
        *this = fromWords({static_cast<uint64_t>(value), 0});
  }

  static bool bothSmall(const BigInt &a, const BigInt &b) { return !a.onHeap() && !b.onHeap(); }

  static BigInt add(const BigInt &a, const BigInt &b) {
    int64_t sum;
    if (bothSmall(a, b) && !__builtin_add_overflow(a.data_.v_int64, b.data_.v_int64, &sum))
      return BigInt(sum);
    return fromWords(inner::addWords(a.view(), b.view(), false));
  }
  static BigInt subtract(const BigInt &a, const BigInt &b) {
    int64_t difference;
    if (bothSmall(a, b) && !__builtin_sub_overflow(a.data_.v_int64, b.data_.v_int64, &difference))
      return BigInt(difference);
    return fromWords(inner::addWords(a.view(), b.view(), true));
  }
  static BigInt multiply(const BigInt &a, const BigInt &b) {
    int64_t product;
    if (bothSmall(a, b) && !__builtin_mul_overflow(a.data_.v_int64, b.data_.v_int64, &product))
      return BigInt(product);
    inner::BigDigits digits =
        inner::multiplyDigits(inner::digitsOf(a.view()), inner::digitsOf(b.view()));
    return fromWords(inner::wordsOf(digits, a.negative() != b.negative()));
  }
  /// The quotient; `rest`, where asked for, becomes the remainder.
  static BigInt divide(const BigInt &a, const BigInt &b, Rounding rounding, BigInt *rest) {
    if (TVM_FFI_PREDICT_FALSE(!b))
      TVM_FFI_THROW(ZeroDivisionError) << "Division by zero";
    BigInt quotient, remainder;
    if (bothSmall(a, b) && b.data_.v_int64 != -1) { // -2^63 / -1 is too large
      quotient = BigInt(a.data_.v_int64 / b.data_.v_int64);
      remainder = BigInt(a.data_.v_int64 % b.data_.v_int64);
    } else {
      inner::BigDigits left = inner::digitsOf(a.view());
      inner::BigDigits digits = inner::divideDigits(left, inner::digitsOf(b.view()));
      quotient = fromWords(inner::wordsOf(digits, a.negative() != b.negative()));
      remainder = fromWords(inner::wordsOf(left, a.negative()));
    }
    if (rounding == Rounding::Floor && remainder && remainder.negative() != b.negative()) {
      --quotient;
      remainder += b;
    }
    if (rest)
      *rest = std::move(remainder);
    return quotient;
  }
  static BigInt quotient(const BigInt &a, const BigInt &b) {
    return divide(a, b, Rounding::Cut, nullptr);
  }
  static BigInt remainder(const BigInt &a, const BigInt &b) {
    BigInt rest;
    divide(a, b, Rounding::Cut, &rest);
    return rest;
  }
  static BigInt floorQuotient(const BigInt &a, const BigInt &b) {
    return divide(a, b, Rounding::Floor, nullptr);
  }
  static BigInt floorRemainder(const BigInt &a, const BigInt &b) {
    BigInt rest;
    divide(a, b, Rounding::Floor, &rest);
    return rest;
  }
  static BigInt bitAnd(const BigInt &a, const BigInt &b) {
    return fromWords(inner::combineWords(a.view(), b.view(), std::bit_and<uint64_t>()));
  }
  static BigInt bitOr(const BigInt &a, const BigInt &b) {
    return fromWords(inner::combineWords(a.view(), b.view(), std::bit_or<uint64_t>()));
  }
  static BigInt bitXor(const BigInt &a, const BigInt &b) {
    return fromWords(inner::combineWords(a.view(), b.view(), std::bit_xor<uint64_t>()));
  }
  static void checkShift(const BigInt &count) {
    if (count.negative())
      TVM_FFI_THROW(ValueError) << "Negative BigInt shift count";
  }
  static BigInt shiftLeft(const BigInt &a, const BigInt &count) {
    // 128 GiB of bits; what is below fails by std::bad_alloc where memory is short.
    constexpr int64_t kLimit = int64_t(1) << 40;
    checkShift(count);
    if (!a)
      return BigInt();
    if (count.onHeap() || count.data_.v_int64 >= kLimit)
      TVM_FFI_THROW(OverflowError) << "BigInt shift count is too large";
    return fromWords(inner::shiftWordsLeft(a.view(), static_cast<uint64_t>(count.data_.v_int64)));
  }
  static BigInt shiftRight(const BigInt &a, const BigInt &count) {
    checkShift(count);
    inner::BigView words = a.view();
    if (count.onHeap() || static_cast<uint64_t>(count.data_.v_int64) / 64 >= words.size)
      return BigInt(a.negative() ? -1 : 0);
    return fromWords(inner::shiftWordsRight(words, static_cast<uint64_t>(count.data_.v_int64)));
  }

  int order(const BigInt &other) const {
    if (!bothSmall(*this, other))
      return inner::compareWords(view(), other.view());
    return (data_.v_int64 > other.data_.v_int64) - (data_.v_int64 < other.data_.v_int64);
  }
  /// -1, 0, 1, or NaN as the other is.
  double order(double other) const {
    if (std::isnan(other))
      return other;
    if (std::isinf(other))
      return other > 0 ? -1 : 1;
    double whole = std::trunc(other);
    if (int known = order(BigInt(whole)))
      return known;
    return (whole > other) - (whole < other);
  }
  std::istream &read(std::istream &is);

  TVMFFIAny data_;
};
static_assert(sizeof(BigInt) == 16, "layout of BigInt");

// For calls that name the namespace.
BigInt truncdiv(const BigInt &a, const BigInt &b);
BigInt truncmod(const BigInt &a, const BigInt &b);
BigInt floordiv(const BigInt &a, const BigInt &b);
BigInt floormod(const BigInt &a, const BigInt &b);
BigInt min(const BigInt &a, const BigInt &b);
BigInt max(const BigInt &a, const BigInt &b);

inline BigInt::BigInt(double value) : BigInt() {
  if (std::isnan(value))
    TVM_FFI_THROW(ValueError) << "Cannot convert NaN to BigInt";
  if (std::isinf(value))
    TVM_FFI_THROW(OverflowError) << "Cannot convert infinity to BigInt";
  constexpr double kLimit = 9223372036854775808.0; // 2^63
  if (value >= -kLimit && value < kLimit) {
    data_.v_int64 = static_cast<int64_t>(value);
    return;
  }
  int exponent;
  double fraction = std::frexp(value, &exponent); // value = fraction * 2^exponent, exponent > 63
  constexpr int kBits = std::numeric_limits<double>::digits;
  *this = BigInt(static_cast<int64_t>(std::ldexp(fraction, kBits))) << (exponent - kBits);
}

inline std::istream &BigInt::read(std::istream &is) {
  std::istream::sentry ready(is);
  if (!ready)
    return is;
  std::string text;
  int next = is.peek();
  bool minus = next == '-';
  if (minus || next == '+') {
    is.get();
    next = is.peek();
  }
  for (; next >= '0' && next <= '9'; next = is.peek()) {
    text += static_cast<char>(next);
    is.get();
  }
  if (text.empty())
    is.setstate(std::ios::failbit);
  else
    *this = fromWords(inner::wordsOf(inner::digitsOfDecimal(text), minus));
  return is;
}

template <> inline constexpr bool use_default_type_traits_v<BigInt> = false;

template <> struct TypeTraits<BigInt> : TypeTraitsBase {
  static void CopyToAnyView(const BigInt &src, TVMFFIAny *result) { *result = src.data_; }
  static void MoveToAny(BigInt src, TVMFFIAny *result) { *result = src.release(); }
  static bool CheckAnyStrict(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIInt || src->type_index == kTVMFFIBigInt;
  }
  static BigInt CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    BigInt result;
    result.data_ = *src;
    result.retain();
    return result;
  }
  static BigInt MoveFromAnyAfterCheck(TVMFFIAny *src) {
    BigInt result;
    result.data_ = *src;
    inner::setNone(src);
    return result;
  }
  static std::optional<BigInt> TryCastFromAnyView(const TVMFFIAny *src) {
    if (CheckAnyStrict(src))
      return CopyFromAnyViewAfterCheck(src);
    if (src->type_index == kTVMFFIBool)
      return BigInt(src->v_int64);
    return std::nullopt;
  }
  static std::string TypeStr() { return "BigInt"; }
  static std::string TypeSchema() { return inner::atomSchema(StaticTypeKey::kTVMFFIBigInt); }
};

} // namespace ffi
} // namespace tvm

template <> struct std::hash<tvm::ffi::BigInt> {
  std::size_t operator()(const tvm::ffi::BigInt &value) const noexcept {
    return static_cast<std::size_t>(value.hash());
  }
};

#include <tvm/ffi/inner/big_int_object.h> // detail::BigIntObj, detail::BigIntUnsafe
#endif                                    // TVM_FFI_BIG_INT_H_
