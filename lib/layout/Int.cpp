#include "fairlead/layout/Int.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fairlead::layout {

Int Int::dynamic(const void *symbol, int width, int64_t divisibility) {
  Int result(std::max<int64_t>(divisibility, 1));
  result.isStatic_ = false;
  result.symbol_ = symbol;
  result.width_ = static_cast<int8_t>(width);
  return result;
}

Int Int::along(const std::vector<int> &path, const Int &steps) {
  Int result = steps;
  if (steps.is(0))
    return result;
  for (size_t level = 0; level < path.size() && level < sizeof(path_); ++level)
    result.path_ |= static_cast<uint64_t>(path[level] + 1) << (8 * level);
  return result;
}

std::vector<int> Int::path() const {
  std::vector<int> modes;
  for (uint64_t rest = path_; rest; rest >>= 8)
    modes.push_back(static_cast<int>(rest & 255) - 1);
  return modes;
}

Int Int::steps() const {
  Int result = *this;
  result.path_ = 0;
  return result;
}

int Int::width() const {
  if (!isStatic_)
    return width_;
  return value_ == static_cast<int32_t>(value_) ? 32 : 64;
}

int64_t Int::divisibility() const {
  if (isStatic_ && value_ == std::numeric_limits<int64_t>::min())
    return int64_t(1) << 62; // its magnitude is no int64_t
  return isStatic_ && value_ < 0 ? -value_ : value_;
}

std::string Int::str() const {
  if (path_) {
    std::string text = steps().str(), places;
    for (int mode : path())
      places = "@" + std::to_string(mode) + places;
    return text + places;
  }
  if (isStatic_)
    return std::to_string(value_);
  std::string notes = width_ == 64 ? "i64" : "";
  if (value_ > 1)
    notes += (notes.empty() ? "div=" : " div=") + std::to_string(value_);
  return notes.empty() ? "?" : "?{" + notes + "}";
}

namespace {

bool bothStatic(const Int &a, const Int &b) { return a.isStatic() && b.isStatic(); }

int64_t floorQuotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Strides of absurd shapes may leave 64 bits: they wrap, as they do at run time.
int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

/// The product of two divisibilities, or the larger where that leaves 64 bits.
int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::max(a, b) : result;
}

} // namespace

Arithmetic::~Arithmetic() = default;

const void *Arithmetic::emit(Op, const Int &, const Int &, int) const { return nullptr; }

void Arithmetic::requireZero(const Int &, const std::string &) const {}

Int Arithmetic::dynamic(Op op, const Int &a, const Int &b, int64_t divisibility) const {
  int width = std::max(a.width(), b.width());
  if (op == Op::Add || op == Op::Mul)
    width = std::max(width, width_);
  return Int::dynamic(emit(op, a, b, width), width, divisibility);
}

Int Arithmetic::add(const Int &a, const Int &b) const {
  if (a.isStep() && b.isStep())
    return Int::along(a.path(), add(a.steps(), b.steps()));
  if (bothStatic(a, b))
    return wrap(static_cast<uint64_t>(a.value()) + static_cast<uint64_t>(b.value()));
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  return dynamic(Op::Add, a, b, std::gcd(a.divisibility(), b.divisibility()));
}

Int Arithmetic::mul(const Int &a, const Int &b) const {
  if (a.isStep() || b.isStep())
    return Int::along((a.isStep() ? a : b).path(), mul(a.steps(), b.steps()));
  if (bothStatic(a, b))
    return wrap(static_cast<uint64_t>(a.value()) * static_cast<uint64_t>(b.value()));
  if (a.is(0) || b.is(1))
    return a;
  if (b.is(0) || a.is(1))
    return b;
  return dynamic(Op::Mul, a, b, product(a.divisibility(), b.divisibility()));
}

// An empty mode has no coordinates, and one that does not move no steps to count: 0 will do.
Int Arithmetic::floorDiv(const Int &a, const Int &b) const {
  if (b.is(0))
    return 0;
  if (bothStatic(a, b))
    return floorQuotient(a.value(), b.value());
  if (a.is(0) || b.is(1))
    return a;
  if (a == b)
    return 1;
  bool exact = b.isStatic() && a.divisibility() % b.value() == 0;
  return dynamic(Op::FloorDiv, a, b, exact ? a.divisibility() / b.value() : 1);
}

Int Arithmetic::mod(const Int &a, const Int &b) const {
  if (b.is(0))
    return 0;
  if (bothStatic(a, b))
    return a.value() - b.value() * floorQuotient(a.value(), b.value());
  if (a.is(0) || b.is(1) || a == b || (b.isStatic() && a.divisibility() % b.value() == 0))
    return 0;
  return dynamic(Op::Mod, a, b, std::gcd(a.divisibility(), b.divisibility()));
}

Int Arithmetic::min(const Int &a, const Int &b) const {
  if (bothStatic(a, b))
    return std::min(a.value(), b.value());
  return a == b ? a : dynamic(Op::Min, a, b, std::gcd(a.divisibility(), b.divisibility()));
}

Int Arithmetic::max(const Int &a, const Int &b) const {
  if (bothStatic(a, b))
    return std::max(a.value(), b.value());
  return a == b ? a : dynamic(Op::Max, a, b, std::gcd(a.divisibility(), b.divisibility()));
}

/// The largest power of two that divides every value; for 0, the largest one that is representable.
static int64_t powerOfTwo(const Int &value) {
  int64_t factor = value.divisibility();
  return factor ? factor & -factor : int64_t{1} << 62;
}

Int Arithmetic::bitAnd(const Int &a, const Int &b) const {
  if (bothStatic(a, b))
    return a.value() & b.value();
  if (a.is(0) || b.is(0))
    return 0;
  return dynamic(Op::And, a, b, std::max(powerOfTwo(a), powerOfTwo(b)));
}

Int Arithmetic::bitXor(const Int &a, const Int &b) const {
  if (bothStatic(a, b))
    return a.value() ^ b.value();
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  return dynamic(Op::Xor, a, b, std::min(powerOfTwo(a), powerOfTwo(b)));
}

Int Arithmetic::shiftLeft(const Int &a, int by) const {
  if (by == 0 || a.is(0))
    return a;
  if (a.isStatic())
    return wrap(static_cast<uint64_t>(a.value()) << by);
  return dynamic(Op::Shl, a, by, product(a.divisibility(), int64_t{1} << by));
}

Int Arithmetic::shiftRight(const Int &a, int by) const {
  if (by == 0 || a.is(0))
    return a;
  if (a.isStatic())
    return a.value() >> by;
  return dynamic(Op::Shr, a, by, std::max<int64_t>(powerOfTwo(a) >> by, 1));
}

} // namespace fairlead::layout
