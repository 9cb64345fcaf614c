/// The result of a function that can fail, for code without exceptions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace fairlead {

/// Why a function failed, for a message: "line 3 is not ...".
struct Failed {
  std::string reason;
};

/// A value, or the failure that left none. `Failure` is Failed unless callers have to tell kinds of
/// failures apart.
template <typename T, typename Failure = Failed> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return state.index() == 0; }
  /// The value. Call it on a success only.
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }
  /// The failure. Call it on a failure only.
  const Failure &failure() const { return *std::get_if<1>(&state); }
  const auto &reason() const { return failure().reason; }

private:
  std::variant<T, Failure> state;
};

/// Success, or the failure.
template <typename Failure> class [[nodiscard]] Result<void, Failure> {
public:
  Result() = default;
  Result(Failure failure) : state(std::move(failure)) {}

  explicit operator bool() const { return !state; }
  /// The failure. Call it on a failure only.
  const Failure &failure() const { return *state; }
  const auto &reason() const { return failure().reason; }

private:
  std::optional<Failure> state;
};

} // namespace fairlead
