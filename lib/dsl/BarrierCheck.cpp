#include "dsl/BarrierCheck.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/ThreadConditions.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

using Extents = std::array<int64_t, 3>;

bool waitsForBlock(Region &region) {
  return region
      .walk([](ir::CollectiveOp op) {
        return op.getScope() == ir::Scope::Block && op.takesAll(std::nullopt)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// An operation that lanes of a warp execute together.
struct WarpWork {
  StringRef name;       ///< empty: no such operation
  uint32_t lanes = ~0u; ///< the lanes that must reach it
};

WarpWork warpWorkOf(Operation *op, const Extents &block) {
  if (op->hasTrait<ir::IssuedByOneLane>() && !isReachedByOneLane(op, block))
    return {"a bulk copy (of an elected lane)"};
  auto collective = dyn_cast<ir::CollectiveOp>(op);
  if (!collective || collective.getScope() != ir::Scope::Warp || collective.electsLane())
    return {};
  IntegerAttr mask;
  const mlir::Value lanes = collective.getLanes();
  if (!lanes)
    return {collective.getTitle()};
  if (!matchPattern(lanes, m_Constant(&mask)))
    return {};
  return {collective.getTitle(), static_cast<uint32_t>(mask.getValue().getZExtValue())};
}

/// Returns the name of the first operation that also needs lanes which skip this side.
StringRef splitWork(Region &side, bool takenSide, const ThreadCondition &condition,
                    const Extents &block) {
  constexpr int64_t kWarp = TargetInfo::kWarpThreads;
  const int64_t threads = block[0] * block[1] * block[2];
  StringRef name;
  side.walk([&](Operation *op) {
    WarpWork work = warpWorkOf(op, block);
    for (int64_t first = 0; !work.name.empty() && first < threads; first += kWarp) {
      uint32_t present = 0, absent = 0;
      for (int64_t thread = first; thread < std::min(first + kWarp, threads); ++thread)
        (condition.holdsFor(thread, block) == takenSide ? present : absent) |= 1u
                                                                               << (thread - first);
      if (present && (absent & work.lanes)) {
        name = work.name;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return name;
}

/// True if some threads of the block take the branch and others do not.
bool splits(const ThreadCondition &condition, const Extents &block) {
  const int64_t threads = block[0] * block[1] * block[2];
  for (int64_t thread = 1; thread < threads; ++thread)
    if (condition.holdsFor(thread, block) != condition.holdsFor(0, block))
      return true;
  return false;
}

/// True if threads that skip the branch certainly continue afterwards: barriers do not wait for
/// threads that have ended. False within a loop, where this is uncertain.
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

/// True if the value depends on an election, which holds in one lane of each warp.
bool dependsOnElection(mlir::Value value) {
  SmallVector<mlir::Value> left{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto collective = dyn_cast<ir::CollectiveOp>(op); collective && collective.electsLane())
      return true;
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op))
      llvm::append_range(left, op->getOperands());
  }
  return false;
}

/// True if an election decides a branch around the operation, or the number of iterations of a
/// loop around it.
bool isUnderElection(Operation *op) {
  for (op = op->getParentOp(); !isa<gpu::GPUFuncOp>(op); op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    auto branch = dyn_cast<scf::IfOp>(op);
    if ((branch && dependsOnElection(branch.getCondition())) ||
        (loop && dependsOnElection(loop.getUpperBound())))
      return true;
  }
  return false;
}

std::string threadsText(const Extents &block) {
  return std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " +
         std::to_string(block[2]);
}

/// Throws DivergentWarp for an operation of a whole warp under an election, which leaves one lane.
void checkElections(gpu::GPUFuncOp kernel, const Extents &block) {
  kernel.walk([&](Operation *op) {
    WarpWork work = warpWorkOf(op, block);
    if (!work.name.empty() && work.lanes == ~0u && isUnderElection(op))
      throw makeError(Diagnostic::DivergentWarp, {{"kernel", kernel.getName().str()},
                                                  {"threads", threadsText(block)},
                                                  {"what", work.name.str()},
                                                  {"condition", "elect_one()"}});
  });
}

} // namespace

void checkBarriers(gpu::GPUFuncOp kernel, const Extents &block) {
  checkElections(kernel, block);
  kernel.walk([&](scf::IfOp branch) {
    auto condition = ThreadCondition::of(branch.getCondition());
    if (!condition || !splits(*condition, block) || !othersGoOn(branch))
      return;
    auto refuse = [&](Diagnostic diagnostic, bool onThenSide, StringRef what) {
      throw makeError(diagnostic, {{"kernel", kernel.getName().str()},
                                   {"threads", threadsText(block)},
                                   {"what", what.str()},
                                   {"condition", (onThenSide ? "" : "not ") + condition->text()}});
    };
    const bool then = waitsForBlock(branch.getThenRegion());
    if (then != waitsForBlock(branch.getElseRegion()))
      refuse(Diagnostic::DivergentBarrier, then, "");
    const StringRef thenWork = splitWork(branch.getThenRegion(), true, *condition, block);
    const StringRef other = splitWork(branch.getElseRegion(), false, *condition, block);
    if (thenWork.empty() != other.empty())
      refuse(Diagnostic::DivergentWarp, !thenWork.empty(), thenWork.empty() ? other : thenWork);
  });
}

void requireBarrierNumber(mlir::Value number) {
  constexpr int64_t kBarriers = 16;
  IntegerAttr constant;
  if (!number || !matchPattern(number, m_Constant(&constant)))
    return;
  const int64_t value = constant.getValue().getSExtValue();
  if (value < 0 || value >= kBarriers)
    throw makeError(Diagnostic::ArgumentValue,
                    {{"function", "barrier"},
                     {"expected", "a number from 0 to 15, of which 0 is that of sync_threads"},
                     {"got", std::to_string(value)}});
}

} // namespace fairlead::dsl
