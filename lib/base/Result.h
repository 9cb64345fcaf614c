/// The result of a function that can fail, for code without exceptions.
#ifndef FAIRLEAD_LIB_BASE_RESULT_H_
#define FAIRLEAD_LIB_BASE_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace fairlead {

/// Why a function failed, for a message: "line 3 is not ...".
struct Failed {
  std::string reason;
};

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Failed failed) : state(std::in_place_index<1>, std::move(failed)) {}

  explicit operator bool() const { return state.index() == 0; }
  /// The value. Only if there is one.
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }
  /// The reason. Only if there is no value.
  const std::string &reason() const { return std::get_if<1>(&state)->reason; }

private:
  std::variant<T, Failed> state;
};

/// Success, or the reason why there is none.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Failed failed) : failed(std::move(failed)) {}

  explicit operator bool() const { return !failed; }
  /// The reason. Only after a failure.
  const std::string &reason() const { return failed->reason; }

private:
  std::optional<Failed> failed;
};

} // namespace fairlead
#endif // FAIRLEAD_LIB_BASE_RESULT_H_
