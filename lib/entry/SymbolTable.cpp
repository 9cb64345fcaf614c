#include "entry/ArgumentChecks.h"

#include <limits>

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace fairlead::entry {

/// Extents are never negative; strides may be.
SymbolTable::Range SymbolTable::range(int symbol, bool isStride) const {
  bool narrow = e.signature.symbols[symbol].width == 32;
  int64_t most = narrow ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  return {isStride ? -most - 1 : 0, most};
}

/// Null if every 64-bit integer is in range.
Value *SymbolTable::inRange(int symbol, Range range, Value *value) {
  bool narrow = e.signature.symbols[symbol].width == 32;
  if (range.least == 0)
    return narrow ? e.b.CreateICmpULE(value, e.i64(range.most))
                  : e.b.CreateICmpSGE(value, e.i64(0));
  if (!narrow)
    return nullptr;
  return e.b.CreateICmpEQ(value, e.signExtend(e.b.CreateTrunc(value, e.b.getInt32Ty())));
}

/// Null if every integer is a multiple.
Value *SymbolTable::divisible(int symbol, Value *value) {
  int64_t divisor = e.signature.symbols[symbol].divisibility;
  if (divisor <= 1)
    return nullptr;
  Value *rest = isPowerOf2_64(divisor) ? e.b.CreateAnd(value, e.i64(divisor - 1))
                                       : e.b.CreateSRem(value, e.i64(divisor));
  return e.equal(rest, 0);
}

void SymbolTable::checkConstraints(int symbol, Value *value, const NamedValue &place,
                                   bool isStride) {
  std::string site = e.site(place.argument);
  Range bounds = range(symbol, isStride);
  if (Value *ok = inRange(symbol, bounds, value))
    e.check(ok, Diagnostic::ExtentRange,
            {{"place", place.name},
             {"site", site},
             {"least", std::to_string(bounds.least)},
             {"most", std::to_string(bounds.most)}},
            [&] { return FailureValues{nullptr, value}; });
  if (Value *ok = divisible(symbol, value))
    e.check(ok, Diagnostic::ExtentDivisibility, {{"place", place.name}, {"site", site}},
            [&] { return FailureValues{e.i64(e.signature.symbols[symbol].divisibility), value}; });
}

void SymbolTable::checkSame(Value *value, Value *expected, const NamedValue &place,
                            const NamedValue &other) {
  e.check(e.b.CreateICmpEQ(value, expected), Diagnostic::ExtentSymbol,
          {{"place", place.name}, {"site", e.site(place.argument)}, {"other", other.name}},
          [&] { return FailureValues{expected, value}; });
}

void SymbolTable::bind(int symbol, Value *value, const NamedValue &place, bool mayBeNegative) {
  State &state = symbols[symbol];
  if (state.value)
    return checkSame(value, state.value, place, state.binding);
  checkConstraints(symbol, value, place, mayBeNegative);
  state.value = value;
  state.binding = place;
}

void SymbolTable::addStride(int symbol, Value *value, const NamedValue &place,
                            std::function<Value *()> emitUnused) {
  State &state = symbols[symbol];
  if (!state.value) {
    Value *ok = inRange(symbol, range(symbol, true), value), *whole = divisible(symbol, value);
    if (ok && whole)
      ok = e.b.CreateAnd(ok, whole);
    else if (whole)
      ok = whole;
    state.value = value;
    if (ok)
      state.value = e.checkElse(ok, value, [&] {
        e.checkElse(emitUnused(), [&] { checkConstraints(symbol, value, place, true); });
        return e.i64(0);
      });
  } else {
    Value *same = e.b.CreateICmpEQ(value, state.value);
    state.value = e.checkElse(same, state.value, [&] {
      return e.checkElse(emitUnused(), state.value,
                         [&] { return reconcile(symbol, value, place); });
    });
  }
  state.strides.push_back({place, std::move(emitUnused)});
}

/// A used stride differs from the value so far, which stands unless no place before used it.
Value *SymbolTable::reconcile(int symbol, Value *value, const NamedValue &place) {
  State &state = symbols[symbol];
  for (const Candidate &before : state.strides)
    e.checkElse(before.emitUnused(), [&] {
      e.fail(
          Diagnostic::ExtentSymbol,
          {{"place", place.name}, {"site", e.site(place.argument)}, {"other", before.place.name}},
          {state.value, value});
    });
  checkConstraints(symbol, value, place, true);
  return value;
}

Value *SymbolTable::value(int symbol) const {
  if (!symbols[symbol].value)
    throw makeError(Diagnostic::SymbolUnbound,
                    {{"function", e.signature.name}, {"symbol", e.signature.symbols[symbol].name}});
  return symbols[symbol].value;
}

Value *SymbolTable::product(const Extent &extent) {
  Value *result = nullptr;
  auto multiply = [&](Value *factor) { result = result ? e.b.CreateMul(result, factor) : factor; };
  if (extent.coefficient != 1 || extent.isStatic())
    multiply(e.i64(extent.coefficient));
  for (int symbol : extent.symbols)
    multiply(value(symbol));
  return result;
}

} // namespace fairlead::entry
