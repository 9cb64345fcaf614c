/// nvvm.vote.sync: combines the predicates of a warp's lanes.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Runtime.h"
#include "lower/common/PlainOps.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class Vote final : public EmittedModelOf<NVVM::VoteSyncOp> {
public:
  Divergence divergence(Operation *, const Uniformity &, std::optional<int64_t>) const final {
    return Divergence::Warp;
  }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    using arith::CmpIPredicate;
    auto vote = cast<NVVM::VoteSyncOp>(op);
    ImplicitLocOpBuilder &b = warp.b;
    // Lanes beyond the block's last thread do not vote.
    Value here = warp.i32(-1);
    if (!warp.wholeWarps)
      here = arith::ShRUIOp::create(b, here,
                                    arith::SubIOp::create(b, warp.i32(kWarpThreads), warp.lanes));
    Value yes = LLVM::BitcastOp::create(b, b.getI32Type(), warp.lanesOf(vote.getPred()));
    yes = arith::AndIOp::create(b, yes, here);
    auto compare = [&](CmpIPredicate predicate, Value with) -> Value {
      return arith::CmpIOp::create(b, predicate, yes, with);
    };
    Value result = yes;
    switch (vote.getKind()) {
    case NVVM::VoteSyncKind::any:
      result = compare(CmpIPredicate::ne, warp.i32(0));
      break;
    case NVVM::VoteSyncKind::all:
      result = compare(CmpIPredicate::eq, here);
      break;
    case NVVM::VoteSyncKind::uni:
      result = arith::OrIOp::create(b, compare(CmpIPredicate::eq, here),
                                    compare(CmpIPredicate::eq, warp.i32(0)));
      break;
    case NVVM::VoteSyncKind::ballot:
      break;
    }
    if (result.getType() != op->getResult(0).getType())
      result = arith::ExtUIOp::create(b, op->getResult(0).getType(), result);
    warp.setUniform(op->getResult(0), result);
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    constexpr int kKinds[] = {kFairleadWaitVoteAny, kFairleadWaitVoteAll, kFairleadWaitVoteBallot,
                              kFairleadWaitVoteUniform};
    auto vote = cast<NVVM::VoteSyncOp>(op);
    ImplicitLocOpBuilder &b = thread.b;
    Value zero = thread.zero();
    Value mine = arith::ExtUIOp::create(b, b.getI32Type(), vote.getPred());
    Value all =
        thread.wait(kKinds[static_cast<int>(vote.getKind())], vote.getMask(), mine, zero, zero);
    if (op->getResult(0).getType().isInteger(1))
      all = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, all, zero);
    return all;
  }
};

// nvvm.elect.sync: true in one lane of each warp.

class Election final : public CpuModelOf<NVVM::ElectSyncOp> {
public:
  /// An election among only some lanes has no CPU form: it would have to find the first of them.
  CpuForm cpuForm(Operation *op) const final {
    return op->getNumOperands() ? CpuForm::None : CpuForm::Rewritten;
  }

  /// The first lane always takes part.
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
    replaceBy(op, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32Constant(b, 0)));
  }
};

} // namespace

void attachVote(MLIRContext &context) {
  NVVM::VoteSyncOp::attachInterface<Vote>(context);
  NVVM::ElectSyncOp::attachInterface<Election>(context);
}

} // namespace fairlead::lower
