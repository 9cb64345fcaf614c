#include "ir/Builders.h"
#include "lower/common/Calls.h"
#include "lower/cpu/CpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "lower/common/PlainOps.h"
#include "lower/cpu/fission/Uniformity.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// The growth of an integer if threadIdx.x grows by one; nothing if it is not a constant.
class Slope {
public:
  explicit Slope(const Uniformity &uniform) : uniform(uniform) {}

  std::optional<int64_t> of(Value value, int depth = 0) {
    if (uniform.inBlock(value))
      return 0;
    Operation *op = value.getDefiningOp();
    if (!op)
      return ofArgument(cast<BlockArgument>(value), depth);
    if (depth > 16)
      return std::nullopt;
    if (auto id = dyn_cast<gpu::ThreadIdOp>(op)) {
      if (id.getDimension() == gpu::Dimension::x)
        return 1;
      return 0;
    }
    if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      return of(op->getOperand(0), depth + 1);
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      auto left = of(op->getOperand(0), depth + 1), right = of(op->getOperand(1), depth + 1);
      if (!left || !right)
        return std::nullopt;
      return isa<arith::AddIOp>(op) ? *left + *right : *left - *right;
    }
    if (isa<arith::MulIOp>(op))
      for (auto [factor, other] : {std::pair(0, 1), std::pair(1, 0)})
        if (auto number = constantOf(op->getOperand(factor)))
          if (auto slope = of(op->getOperand(other), depth + 1))
            return *number * *slope;
    return std::nullopt;
  }

private:
  std::optional<int64_t> ofArgument(BlockArgument argument, int depth) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar() && uniform.inBlock(loop.getStep()))
      return of(loop.getLowerBound(), depth + 1);
    return std::nullopt;
  }

  const Uniformity &uniform;
};

/// True if an integer grows by one step from one iteration of a loop to the next.
bool growsByOne(Value value, scf::ForOp loop) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::IndexCastOp, arith::ExtSIOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (!isa<arith::AddIOp>(op))
      return false;
    auto inside = [&](Value v) {
      if (v == loop.getInductionVar())
        return true;
      Operation *definition = v.getDefiningOp();
      return definition && loop->isAncestor(definition);
    };
    Value left = op->getOperand(0), right = op->getOperand(1);
    if (inside(left) == inside(right))
      return false;
    value = inside(left) ? left : right;
  }
  return value == loop.getInductionVar() && constantOf(loop.getStep()) == 1;
}

class SplitFinder {
public:
  explicit SplitFinder(gpu::GPUFuncOp kernel) : kernel(kernel), uniform(kernel) {}

  SmallVector<scf::ForOp> find() {
    SmallVector<scf::ForOp> found;
    kernel->walk([&](scf::ForOp loop) {
      if (isUniform(loop) && isWorthIt(loop))
        found.push_back(loop);
    });
    return found;
  }

  bool startsTogether(scf::ForOp loop) const { return uniform.inBlock(loop.getLowerBound()); }

  /// Returns the thread index x in the loop's start, and sets `shared` to the remaining uniform
  /// part; null if all threads start at the same value.
  Value threadIndex(scf::ForOp loop, Value &shared) {
    Value start = loop.getLowerBound();
    if (uniform.inBlock(start)) {
      shared = start;
      return {};
    }
    SmallVector<Value> terms;
    while (!uniform.inBlock(start)) {
      Operation *op = start.getDefiningOp();
      if (!op)
        return {};
      if (auto cast = dyn_cast<arith::IndexCastOp>(op);
          cast && cast.getIn().getDefiningOp<gpu::ThreadIdOp>())
        break;
      if (isa<gpu::ThreadIdOp>(op))
        break;
      auto sum = dyn_cast<arith::AddIOp>(op);
      if (!sum || uniform.inBlock(sum.getLhs()) == uniform.inBlock(sum.getRhs()))
        return {};
      bool left = uniform.inBlock(sum.getLhs());
      terms.push_back(left ? sum.getLhs() : sum.getRhs());
      start = left ? sum.getRhs() : sum.getLhs();
    }
    Operation *op = start.getDefiningOp();
    auto id = dyn_cast<gpu::ThreadIdOp>(
        isa<arith::IndexCastOp>(op) ? op->getOperand(0).getDefiningOp() : op);
    if (!id || id.getDimension() != gpu::Dimension::x)
      return {};
    // Compute a separate value: terms may be results of loops that will be rewritten.
    ImplicitLocOpBuilder b(loop.getLoc(), loop);
    shared = arith::ConstantOp::create(b, b.getZeroAttr(start.getType()));
    for (Value term : terms)
      shared = arith::AddIOp::create(b, shared, term);
    return start;
  }

private:
  /// True if all threads of the block reach the loop together.
  bool isUniform(scf::ForOp loop) {
    for (Operation *parent = loop->getParentOp(); parent != kernel;
         parent = parent->getParentOp()) {
      if (auto branch = dyn_cast<scf::IfOp>(parent)) {
        if (!uniform.inBlock(branch.getCondition()))
          return false;
      } else if (auto around = dyn_cast<scf::ForOp>(parent)) {
        if (!uniform.inBlock(around.getLowerBound()) || !uniform.inBlock(around.getUpperBound()) ||
            !uniform.inBlock(around.getStep()))
          return false;
      } else if (auto around = dyn_cast<scf::WhileOp>(parent)) {
        if (!uniform.inBlock(around.getConditionOp().getCondition()))
          return false;
      } else {
        return false;
      }
    }
    return uniform.inBlock(loop.getUpperBound()) && uniform.inBlock(loop.getStep()) &&
           !loop.getUnsignedCmp();
  }

  bool isWorthIt(scf::ForOp loop) {
    bool contiguous = false;
    auto walked = loop->walk([&](Operation *op) {
      if (op == loop || isa<scf::YieldOp, scf::IfOp, scf::ForOp>(op) || isPlain(op))
        return WalkResult::advance();
      Value address, stored;
      if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
        address = load.getAddr();
        stored = load.getRes();
      } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
        address = store.getAddr();
        stored = store.getValue();
      }
      if (!address || !isGood(address, stored.getType(), loop, contiguous))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return !walked.wasInterrupted() && contiguous;
  }

  /// True if neighbouring threads access the same or neighbouring addresses.
  bool isGood(Value address, Type type, scf::ForOp loop, bool &contiguous) {
    Slope slope(uniform);
    int64_t all = 0;
    bool byRound = false;
    while (auto step = address.getDefiningOp<LLVM::GEPOp>()) {
      if (step.getElemType() != type || step.getRawConstantIndices().size() != 1)
        return false;
      if (!step.getDynamicIndices().empty()) {
        Value index = step.getDynamicIndices().front();
        auto grows = slope.of(index);
        if (!grows)
          return false;
        all += *grows;
        byRound |= growsByOne(index, loop);
      }
      address = step.getBase();
    }
    if (address.getDefiningOp<LLVM::AllocaOp>() || !uniform.inBlock(address) || all < 0 || all > 1)
      return false;
    if (all == 1 && byRound)
      return false; // a thread's own rounds are next to each other as well
    contiguous |= all == 1;
    return true;
  }

  gpu::GPUFuncOp kernel;
  Uniformity uniform;
};

/// for (j = thread + shared; j < end; j += step) body(j)
/// -> for (i = shared; i < end; i += step) if (thread < end - i) body(i + thread)
scf::ForOp alignStart(scf::ForOp loop, Value thread, Value shared) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  auto aligned = scf::ForOp::create(b, shared, loop.getUpperBound(), loop.getStep(),
                                    loop.getInitArgs(), ir::leaveOpen);
  b.setInsertionPointToEnd(aligned.getBody());
  auto extended = [&](Value value) { return extendTo64(b, value); };
  // Use 64 bits: i + thread may overflow the loop's own type.
  Value room =
      arith::SubIOp::create(b, extended(loop.getUpperBound()), extended(aligned.getInductionVar()));
  Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, extended(thread), room);
  auto branch = scf::IfOp::create(b, loop.getResultTypes(), isInside, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  scf::YieldOp::create(b, branch.getResults());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, aligned.getRegionIterArgs());
  b.setInsertionPointToEnd(branch.thenBlock());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(),
              Value(arith::AddIOp::create(b, aligned.getInductionVar(), thread)));
  mapping.map(loop.getRegionIterArgs(), aligned.getRegionIterArgs());
  for (Operation &op : *loop.getBody())
    b.clone(op, mapping);
  loop.replaceAllUsesWith(aligned.getResults());
  loop.erase();
  return aligned;
}

} // namespace

bool markSplitLoops(gpu::GPUFuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return false;
  bool some = false;
  kernel->walk([&](scf::ForOp) { some = true; });
  if (!some)
    return false;
  SplitFinder finder(kernel);
  SmallVector<scf::ForOp> found = finder.find();
  bool marked = false;
  // An outer loop with a different start for each thread is rewritten, and its body is then under a
  // condition that differs between threads.
  auto inRewritten = [&](scf::ForOp loop) {
    return llvm::any_of(found, [&](scf::ForOp other) {
      return other != loop && other->isAncestor(loop) && !finder.startsTogether(other);
    });
  };
  llvm::erase_if(found, inRewritten);
  // The analysis covers only values that exist before any loop is rewritten.
  struct Start {
    Value thread, shared;
  };
  SmallVector<Start> starts;
  for (scf::ForOp loop : found) {
    Value shared, thread = finder.threadIndex(loop, shared);
    starts.push_back({thread, shared});
  }
  for (auto [loop, start] : llvm::zip(found, starts)) {
    if (!start.shared ||
        (start.thread && start.thread.getType() != loop.getInductionVar().getType()))
      continue;
    scf::ForOp split = start.thread ? alignStart(loop, start.thread, start.shared) : loop;
    split->setAttr(kSplitAttribute, UnitAttr::get(split.getContext()));
    marked = true;
  }
  return marked;
}

} // namespace fairlead::lower
