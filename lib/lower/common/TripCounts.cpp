/// Makes loops end at the end of their range, even close to the largest number of the type.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include "ir/Builders.h"
#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// True if `iv + step` certainly stays within the type while `iv` is below the upper bound.
bool neverWraps(scf::ForOp loop) {
  APInt step, end;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  if (step.isOne())
    return true;
  if (!matchPattern(loop.getUpperBound(), m_ConstantInt(&end)))
    return false;
  const unsigned width = end.getBitWidth();
  APInt largest =
      loop.getUnsignedCmp() ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  if (!loop.getUnsignedCmp() && end.isNegative())
    return true;
  return (largest - end).uge(step - 1);
}

/// for (i = start; i < end; i += step) body(i)
/// -> count = start < end ? (end - start - 1) / step + 1 : 0, all without a sign;
///    for (n = 0, i = start; n < count; ++n, i += step) body(i)
void countTrips(scf::ForOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
  };
  Value zero = constant(0), one = constant(1);
  Value start = loop.getLowerBound(), end = loop.getUpperBound(), step = loop.getStep();
  Value some = b.createOrFold<arith::CmpIOp>(
      loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, start, end);
  Value distance = b.createOrFold<arith::SubIOp>(b.createOrFold<arith::SubIOp>(end, start), one);
  Value count = b.createOrFold<arith::AddIOp>(b.createOrFold<arith::DivUIOp>(distance, step), one);
  count = b.createOrFold<arith::SelectOp>(some, count, zero);

  SmallVector<Value> initial{start};
  llvm::append_range(initial, loop.getInitArgs());
  auto counted =
      scf::ForOp::create(b, zero, count, one, initial, ir::leaveOpen, /*unsignedCmp=*/true);
  for (NamedAttribute attribute : loop->getDiscardableAttrs())
    counted->setDiscardableAttr(attribute.getName(), attribute.getValue());
  Block *from = loop.getBody(), *to = counted.getBody();
  to->getOperations().splice(to->end(), from->getOperations());
  for (auto [old, made] : llvm::zip(from->getArguments(), to->getArguments().drop_front()))
    old.replaceAllUsesWith(made);
  auto yield = cast<scf::YieldOp>(to->getTerminator());
  b.setInsertionPoint(yield);
  Value next = arith::AddIOp::create(b, to->getArgument(1), step);
  yield->insertOperands(0, next);
  loop.replaceAllUsesWith(counted.getResults().drop_front());
  loop.erase();
}

struct TripCountsPass : PassWrapper<TripCountsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TripCountsPass)
  StringRef getArgument() const final { return "fairlead-trip-counts"; }
  StringRef getDescription() const final { return "Keep loops from wrapping at the end of a type"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!neverWraps(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      countTrips(loop);
  }
};

} // namespace

std::unique_ptr<Pass> createTripCountsPass() { return std::make_unique<TripCountsPass>(); }

} // namespace fairlead::lower
