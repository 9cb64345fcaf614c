/// fairlead.try_cancel and fairlead.query_cancel: a cluster takes over one that has not started. On
/// a CPU the launch gives them away one by one, and answers at once.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class TryCancel final : public CpuModelOf<ir::TryCancelOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto ask = cast<ir::TryCancelOp>(op);
    byOneLane(op, b, [&] {
      callRuntime(b, runtime::FairleadCpuTryCancel,
                  {generic(b, ask.getResponse()), generic(b, ask.getBarrier()),
                   i32Constant(b, ask.getMulticast())});
    });
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    constexpr int64_t kBytes = 16, kAllBlocks = 0xffff;
    auto ask = cast<ir::TryCancelOp>(op);
    byOneLane(op, checks.b, [&] {
      Value blocks = ask.getMulticast() ? i32Constant(checks.b, kAllBlocks) : Value();
      checks.orderCopy(op, ask.getResponse(), checks.i64(kBytes), ask.getBarrier(), blocks);
      if (checks.inits)
        checks.order(op, kFairleadCheckIssue, {}, checks.i64(kFairleadCheckIssueValues), {},
                     "an answer to try_cancel");
    });
  }
};

class QueryCancel final : public CpuModelOf<ir::QueryCancelOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    constexpr int kWords = 4;
    auto query = cast<ir::QueryCancelOp>(op);
    SmallVector<Value> results;
    for (int i = 0; i < kWords; ++i)
      results.push_back(LLVM::ExtractElementOp::create(b, query.getWords(), i32Constant(b, i)));
    results.back() =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, results.back(), i32Constant(b, 0));
    op->replaceAllUsesWith(results);
    op->erase();
  }
};

} // namespace

void attachLaunchControl(MLIRContext &context) {
  ir::TryCancelOp::attachInterface<TryCancel>(context);
  ir::QueryCancelOp::attachInterface<QueryCancel>(context);
}

} // namespace fairlead::lower
