/// Naming one function of a C++ overload set.
#ifndef TVM_FFI_INNER_OVERLOAD_CAST_H_
#define TVM_FFI_INNER_OVERLOAD_CAST_H_

#include <type_traits>

namespace tvm {
namespace ffi {
namespace inner {
/// Picks the overload with parameters Args, else the only one whose first parameters they are.
template <typename... Args> struct OverloadCast {
  template <typename R> constexpr auto operator()(R (*func)(Args...)) const noexcept {
    return func;
  }
  template <typename R, typename... Rest>
  constexpr auto operator()(R (*func)(Args..., Rest...)) const noexcept {
    return func;
  }
  template <typename R, typename Class>
  constexpr auto operator()(R (Class::*func)(Args...), std::false_type = {}) const noexcept {
    return func;
  }
  template <typename R, typename Class, typename... Rest>
  constexpr auto operator()(R (Class::*func)(Args..., Rest...),
                            std::false_type = {}) const noexcept {
    return func;
  }
  template <typename R, typename Class>
  constexpr auto operator()(R (Class::*func)(Args...) const, std::true_type) const noexcept {
    return func;
  }
  template <typename R, typename Class, typename... Rest>
  constexpr auto operator()(R (Class::*func)(Args..., Rest...) const,
                            std::true_type) const noexcept {
    return func;
  }
};
} // namespace inner

namespace reflection {
/// `overload_cast<int64_t>(&Class::method)`; with const_ the one for const objects. As many
/// parameters are named as it takes to tell which.
template <typename... Args> inline constexpr inner::OverloadCast<Args...> overload_cast{};
inline constexpr std::true_type const_{};
} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_OVERLOAD_CAST_H_
