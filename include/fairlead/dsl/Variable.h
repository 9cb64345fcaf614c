/// Variables of kernels: assigned in run-time branches and loops, read after them.
#pragma once

#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/ControlFlow.h"

namespace fairlead::dsl {

/// A number of the running thread's own that changes: where Python carries a name through a region,
/// C++ assigns one of these in it. Has the type of its first value. For kernels.
///
///     Variable sum(0.0f);
///     for_(0, n, [&](Scalar i) { sum += a[i]; });
class Variable {
public:
  /// Throws fairlead::Error (RuntimeError, OutsideKernel) outside of kernels.
  explicit Variable(const Operand &value)
      : cell_(registerTensor(Scalar(value).dtype(), layout::Layout(layout::IntTuple(1)),
                             value.at())) {
    *this = value;
  }
  Variable(const Variable &other) : Variable(Scalar(other)) {}

  operator Scalar() const { return cell_.load({Scalar(0)}); }
  /// Throws fairlead::Error (TypeError, StoreType) for a float if the variable is an integer.
  Variable &operator=(const Operand &value) {
    AtSourceLoc at(value.at());
    cell_.store({Scalar(0)}, value);
    return *this;
  }
  Variable &operator=(const Variable &other) { return *this = Scalar(other); }
  Variable &operator+=(const Operand &value) {
    return *this = Operand(Scalar(*this) + value, value.at());
  }
  Variable &operator-=(const Operand &value) {
    return *this = Operand(Scalar(*this) - value, value.at());
  }
  Variable &operator*=(const Operand &value) {
    return *this = Operand(Scalar(*this) * value, value.at());
  }
  Variable &operator/=(const Operand &value) {
    return *this = Operand(Scalar(*this) / value, value.at());
  }
  Variable &operator^=(const Operand &value) {
    return *this = Operand(Scalar(*this) ^ value, value.at());
  }

private:
  Tensor cell_;
};

/// `while condition(): body()`.
inline void while_(const std::function<Scalar()> &condition, const std::function<void()> &body,
                   SourceLoc at = SourceLoc::here()) {
  whileLoop(
      {}, [&](const Scalars &) { return condition(); },
      [&](const Scalars &) {
        body();
        return Scalars();
      },
      at);
}
/// for_ with attributes, and any step but 0.
inline void for_(const Scalar &start, const Scalar &stop, const Scalar &step,
                 const LoopAttributes &attributes, const std::function<void(const Scalar &)> &body,
                 SourceLoc at = SourceLoc::here()) {
  forLoop(
      start, stop, step, {},
      [&](const Scalar &variable, const Scalars &) {
        body(variable);
        return Scalars();
      },
      attributes, at);
}

} // namespace fairlead::dsl
