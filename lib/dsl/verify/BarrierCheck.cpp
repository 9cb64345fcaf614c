#include "dsl/verify/Verify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/verify/ThreadConditions.h"
#include "ir/Analysis/MemoryUse.h"
#include "ir/Attributes.h"
#include "ir/Interfaces.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

using Extents = std::array<int64_t, 3>;

/// Leaves out barriers that are named by their number: threads may meet there from several
/// branches.
bool waitsForBlock(Region &region) {
  return region
      .walk([](ir::CollectiveOp op) {
        return op.getScope() == ir::Scope::Block && op.takesAll(std::nullopt) &&
                       op.getUniformOperands().empty()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

constexpr int64_t kWarp = TargetInfo::kWarpThreads, kWarpgroup = TargetInfo::kWarpgroupThreads;

/// An operation that threads of a warp, or of a warpgroup, execute together.
struct GroupWork {
  StringRef name;          ///< empty: no such operation
  uint32_t lanes = ~0u;    ///< the lanes of a warp that must reach it
  int64_t threads = kWarp; ///< the threads of a group

  Diagnostic diagnostic() const {
    return threads == kWarp ? Diagnostic::DivergentWarp : Diagnostic::DivergentWarpgroup;
  }
};

GroupWork groupWorkOf(Operation *op, const Extents &block) {
  if (ir::isArithmetic(op) || isa<LLVM::LoadOp, LLVM::StoreOp>(op)) // most of a kernel
    return {};
  if (op->hasTrait<ir::IssuedByOneLane>() && !op->hasAttr(ir::kChosenThreadAttribute) &&
      !isReachedByOneLane(op, block))
    return {op->hasTrait<ir::UsesTensorMemory>() ? "a tcgen05 instruction (of an elected lane)"
                                                 : "a bulk copy (of an elected lane)"};
  auto collective = dyn_cast<ir::CollectiveOp>(op);
  if (!collective || collective.electsLane())
    return {};
  if (collective.getScope() == ir::Scope::Warpgroup)
    return {collective.getTitle(), ~0u, kWarpgroup};
  if (collective.getScope() != ir::Scope::Warp)
    return {};
  IntegerAttr mask;
  const mlir::Value lanes = collective.getLanes();
  if (!lanes)
    return {collective.getTitle()};
  if (!matchPattern(lanes, m_Constant(&mask)))
    return {};
  return {collective.getTitle(), static_cast<uint32_t>(mask.getValue().getZExtValue())};
}

/// Returns the work that needs threads which do not take this side of the branch, while others of
/// their group do.
GroupWork splitWork(Region &side, bool whenTrue, const ThreadCondition &condition,
                    const Extents &block) {
  const int64_t threads = block[0] * block[1] * block[2];
  GroupWork divided;
  side.walk([&](Operation *op) {
    GroupWork work = groupWorkOf(op, block);
    for (int64_t first = 0; !work.name.empty() && first < threads; first += work.threads) {
      bool present = false, absent = false;
      for (int64_t thread = first; thread < std::min(first + work.threads, threads); ++thread)
        if (condition.holdsFor(thread, block) == whenTrue)
          present = true;
        else
          absent |= work.lanes >> (thread % kWarp) & 1;
      if (present && absent) {
        divided = work;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return divided;
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

/// The branches and loops of a kernel that elections decide.
class Elections {
public:
  /// True if an election decides a branch around the operation, or the number of iterations of a
  /// loop around it.
  bool decideAround(Operation *op) {
    Operation *parent = op->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return false;
    auto entry = decided.find(parent);
    if (entry == decided.end())
      entry = decided.try_emplace(parent, decides(parent) || decideAround(parent)).first;
    return entry->second;
  }

private:
  static bool decides(Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    auto branch = dyn_cast<scf::IfOp>(op);
    return (branch && dependsOnElection(branch.getCondition())) ||
           (loop && dependsOnElection(loop.getUpperBound()));
  }

  llvm::DenseMap<Operation *, bool> decided; ///< for each branch and loop: its own or around it
};

std::string threadsText(const Extents &block) {
  return std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " +
         std::to_string(block[2]);
}

/// Throws DivergentWarp or DivergentWarpgroup for an operation of all lanes under an election,
/// which leaves one.
void checkElections(gpu::GPUFuncOp kernel, Operation *op, Elections &elections,
                    const Extents &block) {
  GroupWork work = groupWorkOf(op, block);
  if (!work.name.empty() && work.lanes == ~0u && elections.decideAround(op))
    throw makeError(work.diagnostic(), {{"kernel", kernel.getName().str()},
                                        {"threads", threadsText(block)},
                                        {"what", work.name.str()},
                                        {"condition", "elect_one()"}});
}

} // namespace

void checkBarriers(gpu::GPUFuncOp kernel, const Extents &block) {
  Elections elections;
  SmallVector<scf::IfOp> branches;
  kernel.walk([&](Operation *op) {
    checkElections(kernel, op, elections, block);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches) {
    auto condition = ThreadCondition::of(branch.getCondition());
    if (!condition || !splits(*condition, block) || !othersGoOn(branch))
      continue;
    auto refuse = [&](Diagnostic diagnostic, bool onThenSide, StringRef what) {
      throw makeError(diagnostic, {{"kernel", kernel.getName().str()},
                                   {"threads", threadsText(block)},
                                   {"what", what.str()},
                                   {"condition", (onThenSide ? "" : "not ") + condition->text()}});
    };
    const bool then = waitsForBlock(branch.getThenRegion());
    if (then != waitsForBlock(branch.getElseRegion()))
      refuse(Diagnostic::DivergentBarrier, then, "");
    const GroupWork thenWork = splitWork(branch.getThenRegion(), true, *condition, block);
    const GroupWork elseWork = splitWork(branch.getElseRegion(), false, *condition, block);
    if (thenWork.name.empty() != elseWork.name.empty()) {
      const GroupWork &work = thenWork.name.empty() ? elseWork : thenWork;
      refuse(work.diagnostic(), !thenWork.name.empty(), work.name);
    }
  }
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

namespace {

/// The name of PTX's instruction.
std::string instructionOf(Operation *op) { return op->getName().stripDialect().str(); }

/// The group of an operation that has one.
std::optional<ir::CtaGroup> pairingOf(Operation *op) {
  if (auto group = op->getAttrOfType<ir::CtaGroupAttr>("group"))
    return group.getValue();
  return std::nullopt;
}

} // namespace

void checkPairs(gpu::GPUFuncOp kernel, const std::array<std::optional<int64_t>, 3> &cluster) {
  Operation *one = nullptr, *two = nullptr, *load = nullptr;
  kernel.walk([&](Operation *op) {
    if (!isa<ir::FairleadDialect>(op->getDialect()))
      return;
    const auto group = pairingOf(op);
    if (group == ir::CtaGroup::One && !one)
      one = op;
    if (group == ir::CtaGroup::Two && !two)
      two = op;
    auto box = dyn_cast<ir::TensorLoadOp>(op);
    if (box && box.getOfPair() && !load)
      load = op;
  });
  if (one && two)
    throw makeError(Diagnostic::PairsMixed, {{"kernel", kernel.getName().str()},
                                             {"one", instructionOf(one)},
                                             {"two", instructionOf(two)}});
  if (!two && !load)
    return;
  int64_t blocks = 1;
  std::string text;
  for (const auto &extent : cluster) {
    if (!extent)
      return;
    blocks *= std::max<int64_t>(1, *extent);
    text += (text.empty() ? "(" : ", ") + std::to_string(*extent);
  }
  if (blocks % 2)
    throw makeError(Diagnostic::PairsInCluster, {{"kernel", kernel.getName().str()},
                                                 {"what", two ? instructionOf(two) : "TMA load"},
                                                 {"cluster", text + ")"}});
}

} // namespace fairlead::dsl
