#include "lower/cpu/CpuPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "ir/Builders.h"
#include "lower/common/PlainOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Limit of a loop's size: rotation duplicates both of its halves.
constexpr size_t kMostOperations = 8192;

bool touchesMemory(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<LLVM::LoadOp, LLVM::StoreOp>(inner) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if the operation only makes the threads of the block wait for each other, without results.
bool isBlockBarrier(Operation *op) {
  auto collective = dyn_cast<ir::CollectiveOp>(op);
  return collective && collective.getScope() == Scope::Block && op->getNumResults() == 0;
}

class Rotation {
public:
  explicit Rotation(scf::ForOp loop) : loop(loop), b(loop.getLoc(), loop) {}

  /// True if rotating the loop saves time.
  bool match() {
    if (loop.getUnsignedCmp() || constantOf(loop.getStep()) != 1)
      return false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (endsLoops(&op)) {
        if (barrier || !isBlockBarrier(&op))
          return false;
        barrier = &op;
        continue;
      }
      (barrier ? after : before).push_back(&op);
    }
    return barrier && before.size() + after.size() <= kMostOperations &&
           llvm::any_of(before, touchesMemory) && llvm::any_of(after, touchesMemory) &&
           findShared();
  }

  void rotate() {
    Value first = loop.getLowerBound(), end = loop.getUpperBound();
    Type type = first.getType();
    Value one = arith::ConstantOp::create(b, b.getIntegerAttr(type, 1));
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, first, end);
    auto branch = scf::IfOp::create(b, loop.getResultTypes(), some, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loop.getInitArgs());

    b.setInsertionPointToEnd(branch.thenBlock());
    Value last = arith::SubIOp::create(b, end, one);
    cloneBefore(first, loop.getInitArgs());
    auto rounds = scf::ForOp::create(b, first, last, one, loop.getInitArgs(), ir::leaveOpen);
    rounds->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(rounds.getBody());
      SmallVector<Value> carried = cloneAfter(rounds.getInductionVar(), rounds.getRegionIterArgs());
      Value next = arith::AddIOp::create(b, rounds.getInductionVar(), one);
      cloneBefore(next, carried);
      scf::YieldOp::create(b, carried);
    }
    SmallVector<Value> results = cloneAfter(last, rounds.getResults());
    scf::YieldOp::create(b, results);
    loop.replaceAllUsesWith(branch.getResults());
    loop.erase();
  }

private:
  /// Finds the operations of the first half that the second one reads. Returns true if they are
  /// all arithmetic, which the second half can repeat.
  bool findShared() {
    llvm::SmallPtrSet<Operation *, 16> first(before.begin(), before.end()), needed;
    bool plain = true;
    auto need = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op || !first.contains(op))
        return;
      plain &= isPlain(op);
      needed.insert(op);
    };
    for (Operation *op : after)
      op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), need); });
    llvm::for_each(barrier->getOperands(), need);
    llvm::for_each(loop.getBody()->getTerminator()->getOperands(), need);
    for (Operation *op : llvm::reverse(before))
      if (needed.contains(op))
        llvm::for_each(op->getOperands(), need);
    for (Operation *op : before)
      if (needed.contains(op))
        shared.push_back(op);
    return plain;
  }

  IRMapping mappingOf(Value index, ValueRange carried) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    mapping.map(loop.getRegionIterArgs(), carried);
    return mapping;
  }
  void cloneBefore(Value index, ValueRange carried) {
    IRMapping mapping = mappingOf(index, carried);
    for (Operation *op : before)
      b.clone(*op, mapping);
  }
  /// Clones the barrier and the second half. Returns the values that they carry on.
  SmallVector<Value> cloneAfter(Value index, ValueRange carried) {
    IRMapping mapping = mappingOf(index, carried);
    for (Operation *op : shared)
      b.clone(*op, mapping);
    b.clone(*barrier, mapping);
    for (Operation *op : after)
      b.clone(*op, mapping);
    return llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  Operation *barrier = nullptr;
  SmallVector<Operation *> before, after, shared;
};

} // namespace

void rotateBarrierLoops(gpu::GPUFuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    if (Rotation rotation(loop); rotation.match())
      rotation.rotate();
}

} // namespace fairlead::lower
