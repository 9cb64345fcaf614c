/// The leaves of layouts: integers that are static or known only when the program runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead::layout {

/// A static integer, or a dynamic one with known factors. A stride may also be a number of steps
/// along one mode of a coordinate (`4@1`: a step of 4 in mode 1) instead of a distance between
/// indices.
class FAIRLEAD_API Int {
public:
  Int(int64_t value = 0) : value_(value), isStatic_(true) {}
  /// `symbol` is the owner's name for the value, compared by address; NULL is a value without a
  /// name, which equals nothing. Every value is a multiple of `divisibility` (1 or more); `width`
  /// is 32 or 64 bits.
  static Int dynamic(const void *symbol, int width = 32, int64_t divisibility = 1);
  /// `steps` along the mode that `path` leads to, from the outermost tuple on: at most 8 levels of
  /// at most 255 modes. No steps are the integer 0.
  static Int along(const std::vector<int> &path, const Int &steps = 1);

  bool isStatic() const { return isStatic_; }
  /// True for a static integer of this value.
  bool is(int64_t value) const { return isStatic_ && value_ == value && !path_; }
  /// The value of a static integer.
  int64_t value() const { return value_; }
  /// The name of a dynamic integer.
  const void *symbol() const { return symbol_; }
  /// 64 if the value needs more than 32 bits, otherwise 32.
  int width() const;
  /// True for steps along a mode of a coordinate.
  bool isStep() const { return path_ != 0; }
  /// The mode that a step goes along; empty for a number.
  std::vector<int> path() const;
  /// How many steps; the number itself for a number.
  Int steps() const;
  /// The largest known factor: for a static integer its magnitude, which is 0 for 0.
  int64_t divisibility() const;

  /// `4`, `?`, `?{div=4}`, `?{i64}`, `?{i64 div=4}`; `4@1`, and `4@0@1` for mode 0 of mode
  /// 1.
  std::string str() const;

  /// True when the two are known to be equal.
  friend bool operator==(const Int &a, const Int &b) {
    return a.isStatic_ == b.isStatic_ && a.path_ == b.path_ &&
           (a.isStatic_ ? a.value_ == b.value_ : a.symbol_ && a.symbol_ == b.symbol_);
  }
  friend bool operator!=(const Int &a, const Int &b) { return !(a == b); }

private:
  int64_t value_ = 0; // of a dynamic integer: its divisibility
  const void *symbol_ = nullptr;
  uint64_t path_ = 0; // a byte per level, one more than the mode; the outermost is the lowest
  bool isStatic_;
  int8_t width_ = 32;
};

/// Integer arithmetic: static operands fold, and known factors propagate. What remains is left to
/// `emit`, which a tracer overrides; here its results have no name. A step times a number is a
/// step; steps along different modes have no sum (see coordinateAt).
class FAIRLEAD_API Arithmetic {
public:
  /// Sums and products that are not static have `width` bits at least, 32 or 64: offsets in memory
  /// take 64, though coordinates and strides take 32. Quotients and remainders need no more than
  /// their operands have.
  explicit Arithmetic(int width = 32) : width_(width) {}
  virtual ~Arithmetic();

  Int add(const Int &a, const Int &b) const;
  Int mul(const Int &a, const Int &b) const;
  /// Rounds down. The divisor must be positive.
  Int floorDiv(const Int &a, const Int &b) const;
  /// a - b * floorDiv(a, b). The divisor must be positive.
  Int mod(const Int &a, const Int &b) const;
  Int min(const Int &a, const Int &b) const;
  Int max(const Int &a, const Int &b) const;
  /// Takes nonnegative numbers only.
  Int bitAnd(const Int &a, const Int &b) const;
  Int bitXor(const Int &a, const Int &b) const;
  Int shiftLeft(const Int &a, int by) const;
  Int shiftRight(const Int &a, int by) const;

  /// True when the two are known to be equal, also as results of the same computation.
  virtual bool same(const Int &a, const Int &b) const { return a == b; }

  /// True if `requireZero` checks the algebra's assumptions about dynamic integers when the program
  /// runs.
  virtual bool checks() const { return false; }
  /// Requires that `value`, which is dynamic, is 0 when the program runs. `what` names the failed
  /// operation. Called only if `checks` is true.
  virtual void requireZero(const Int &value, const std::string &what) const;

protected:
  enum class Op { Add, Mul, FloorDiv, Mod, Min, Max, And, Xor, Shl, Shr };
  /// The name of the result, of `width` bits; at least one operand is dynamic.
  virtual const void *emit(Op op, const Int &a, const Int &b, int width) const;

private:
  Int dynamic(Op op, const Int &a, const Int &b, int64_t divisibility) const;

  int width_;
};

} // namespace fairlead::layout
