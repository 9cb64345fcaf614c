/// The comparisons behind TVM_FFI_CHECK_EQ and its kin: null where they hold, else the operands as
/// text.
#ifndef TVM_FFI_INNER_CHECK_H_
#define TVM_FFI_INNER_CHECK_H_

#include <tvm/ffi/base_detail.h>

#include <memory>
#include <sstream>
#include <string>
#include <type_traits>

namespace tvm {
namespace ffi {
namespace inner {

template <typename X, typename Y>
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE std::unique_ptr<std::string> describeOperands(const X &x,
                                                                                  const Y &y) {
  std::ostringstream text;
  text << " (" << x << " vs. " << y << ") ";
  return std::make_unique<std::string>(text.str());
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

template <typename X, typename Y>
inline std::unique_ptr<std::string> checkEQ(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(equals(x, y)) ? nullptr : describeOperands(x, y);
}
template <typename X, typename Y>
inline std::unique_ptr<std::string> checkNE(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(!equals(x, y)) ? nullptr : describeOperands(x, y);
}
template <typename X, typename Y>
inline std::unique_ptr<std::string> checkLT(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(less(x, y)) ? nullptr : describeOperands(x, y);
}
template <typename X, typename Y>
inline std::unique_ptr<std::string> checkLE(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(lessOrEqual(x, y)) ? nullptr : describeOperands(x, y);
}
template <typename X, typename Y>
inline std::unique_ptr<std::string> checkGT(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(less(y, x)) ? nullptr : describeOperands(x, y);
}
template <typename X, typename Y>
inline std::unique_ptr<std::string> checkGE(const X &x, const Y &y) {
  return TVM_FFI_PREDICT_TRUE(lessOrEqual(y, x)) ? nullptr : describeOperands(x, y);
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_CHECK_H_
