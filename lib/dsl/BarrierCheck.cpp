#include "dsl/BarrierCheck.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

bool waitsForBlock(Region &region) {
  return region
      .walk([](NVVM::BarrierOp barrier) {
        return barrier.getNumberOfThreads() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The number of an axis whose thread index the value is, through conversions; -1 for others.
int threadAxis(mlir::Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto index = dyn_cast<gpu::ThreadIdOp>(op))
      return static_cast<int>(index.getDimension());
    if (!isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      return -1;
    value = op->getOperand(0);
  }
  return -1;
}

bool holds(arith::CmpIPredicate predicate, int64_t index, int64_t bound) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return index == bound;
  case arith::CmpIPredicate::ne:
    return index != bound;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return index < bound;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return index <= bound;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return index > bound;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return index >= bound;
  }
  return false;
}

/// "threadIdx.x < 32", where some threads of the block are on each side; empty for others.
std::string splitting(mlir::Value condition, const std::array<int64_t, 3> &block) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  IntegerAttr bound;
  if (!compare || !matchPattern(compare.getRhs(), m_Constant(&bound)))
    return "";
  int axis = threadAxis(compare.getLhs());
  if (axis < 0)
    return "";
  int64_t number = bound.getInt(), inside = 0;
  for (int64_t index = 0; index < block[axis]; ++index)
    inside += holds(compare.getPredicate(), index, number);
  if (inside == 0 || inside == block[axis])
    return "";
  constexpr const char *kSigns[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  return std::string("the thread index ") + "xyz"[axis] + " " +
         kSigns[static_cast<int>(compare.getPredicate())] + " " + std::to_string(number);
}

/// Whether threads that skip the branch certainly do something more: a thread that has ended is not
/// waited for. In a loop that is left open.
bool othersGoOn(Operation *branch) {
  for (Operation *op = branch; !isa<gpu::GPUFuncOp>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op))
      return false;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!next->hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(next))
        return true;
  }
  return false;
}

} // namespace

void checkBarriers(gpu::GPUFuncOp kernel, const std::array<int64_t, 3> &block) {
  kernel.walk([&](scf::IfOp branch) {
    const bool then = waitsForBlock(branch.getThenRegion());
    if (then == waitsForBlock(branch.getElseRegion()) || !othersGoOn(branch))
      return;
    if (std::string condition = splitting(branch.getCondition(), block); !condition.empty())
      throw makeError(Diagnostic::DivergentBarrier,
                      {{"kernel", kernel.getName().str()},
                       {"threads", std::to_string(block[0]) + " x " + std::to_string(block[1]) +
                                       " x " + std::to_string(block[2])},
                       {"condition", (then ? "" : "not ") + condition}});
  });
}

} // namespace fairlead::dsl
