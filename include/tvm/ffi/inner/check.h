/// The comparisons behind TVM_FFI_CHECK_EQ and its kin: null where they hold, else the operands as
/// text.
#ifndef TVM_FFI_INNER_CHECK_H_
#define TVM_FFI_INNER_CHECK_H_

#include <tvm/ffi/base_detail.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace inner {

/// What failed, or nothing.
class Failure {
public:
  Failure() noexcept = default;
  explicit Failure(std::string *text) noexcept : text(text) {}
  Failure(Failure &&other) noexcept : text(std::exchange(other.text, nullptr)) {}
  Failure &operator=(Failure &&) = delete;
  ~Failure() { delete text; }
  explicit operator bool() const noexcept { return text != nullptr; }
  const std::string &operator*() const noexcept { return *text; }

private:
  std::string *text = nullptr; // owned
};

template <typename X, typename Y>
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE Failure describeOperands(const X &x, const Y &y) {
  std::ostringstream text;
  text << " (" << x << " vs. " << y << ") ";
  return Failure(new std::string(text.str()));
}

/// Integers of mixed signedness, but no bool: they compare by value, not by representation.
template <typename X, typename Y>
inline constexpr bool isMixedSign =
    std::is_integral_v<X> && std::is_integral_v<Y> && !std::is_same_v<X, bool> &&
    !std::is_same_v<Y, bool> && std::is_signed_v<X> != std::is_signed_v<Y>;

template <typename X, typename Y> constexpr bool equals(const X &x, const Y &y) {
  if constexpr (isMixedSign<X, Y>) {
    if constexpr (std::is_signed_v<X>)
      return x >= 0 && static_cast<std::make_unsigned_t<X>>(x) == y;
    else
      return y >= 0 && x == static_cast<std::make_unsigned_t<Y>>(y);
  } else {
    return static_cast<bool>(x == y);
  }
}

// Not the negation of `less`: a NaN is neither.
template <typename X, typename Y> constexpr bool lessOrEqual(const X &x, const Y &y) {
  if constexpr (isMixedSign<X, Y>) {
    if constexpr (std::is_signed_v<X>)
      return x < 0 || static_cast<std::make_unsigned_t<X>>(x) <= y;
    else
      return y >= 0 && x <= static_cast<std::make_unsigned_t<Y>>(y);
  } else {
    return static_cast<bool>(x <= y);
  }
}

template <typename X, typename Y> constexpr bool less(const X &x, const Y &y) {
  if constexpr (isMixedSign<X, Y>) {
    if constexpr (std::is_signed_v<X>)
      return x < 0 || static_cast<std::make_unsigned_t<X>>(x) < y;
    else
      return y >= 0 && x < static_cast<std::make_unsigned_t<Y>>(y);
  } else {
    return static_cast<bool>(x < y);
  }
}

template <typename X, typename Y> inline Failure checkEQ(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(equals(x, y)) ? Failure() : describeOperands(x, y);
}
template <typename X, typename Y> inline Failure checkNE(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(!equals(x, y)) ? Failure() : describeOperands(x, y);
}
template <typename X, typename Y> inline Failure checkLT(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(less(x, y)) ? Failure() : describeOperands(x, y);
}
template <typename X, typename Y> inline Failure checkLE(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(lessOrEqual(x, y)) ? Failure() : describeOperands(x, y);
}
template <typename X, typename Y> inline Failure checkGT(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(less(y, x)) ? Failure() : describeOperands(x, y);
}
template <typename X, typename Y> inline Failure checkGE(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(lessOrEqual(y, x)) ? Failure() : describeOperands(x, y);
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_CHECK_H_
