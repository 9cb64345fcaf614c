/// fairlead.warpgroup_mma: products of a warpgroup, and the fence before and the wait after them
/// (nvvm.wgmma). On a CPU each thread computes its part where the program issues them. If both
/// operands are in shared memory, each thread computes its values of the result alone. If A is in
/// registers, the four lanes that hold a row exchange their parts first.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "check/compile/CheckBuilder.h"
#include "check/compile/Checks.h"
#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Runtime.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadScratch.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// The number of a type, as the runtime takes it.
int typeNumber(ir::ProductType type) { return static_cast<int>(type); }

class WarpgroupMmaModel final : public CpuModelOf<ir::WarpgroupMmaOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto mma = cast<ir::WarpgroupMmaOp>(op);
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    Type word = mma.getUpdated()[0].getType();
    Value memory = threadScratch(kernel, "fairlead.warpgroup_sums", kMostWords, b);
    auto place = [&](size_t i) { return scratchElement(memory, word, i, b); };
    for (auto [index, sum] : llvm::enumerate(mma.getSums()))
      LLVM::StoreOp::create(b, sum, place(index));
    int types = typeNumber(mma.getAType()) | typeNumber(mma.getBType()) << 8 |
                typeNumber(mma.getDType()) << 16;
    int flags = (mma.getATransposed() ? 2 : 0) | (mma.getBTransposed() ? 4 : 0);
    Value added = arith::ExtUIOp::create(b, b.getI32Type(), mma.getAdded());
    Value options = arith::OrIOp::create(b, added, i32Constant(b, flags));
    Value thread = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpgroupThreads - 1));
    Value left = mma.isAInRegisters() ? rowsOf(mma.getA(), thread, kernel, b) : mma.getA().front();
    tellIssue(op, b);
    callRuntime(b,
                mma.isAInRegisters() ? runtime::FairleadCpuWarpgroupMmaRows
                                     : runtime::FairleadCpuWarpgroupMma,
                {memory, sharedMemory(b), left, mma.getB(),
                 i32Constant(b, static_cast<int>(mma.getN())), i32Constant(b, types), options,
                 thread});
    for (auto [index, result] : llvm::enumerate(mma.getUpdated()))
      result.replaceAllUsesWith(LLVM::LoadOp::create(b, word, place(index)).getResult());
    op->erase();
  }

  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    op->setAttr(check::kSiteAttribute, checks.b.getStringAttr(checks.siteSymbol(op, {})));
    op->setAttr(check::kFollowsAttribute, checks.b.getBoolAttr(checks.inits));
  }

private:
  /// With checks, reports the product to the runtime before it runs.
  static void tellIssue(Operation *op, ImplicitLocOpBuilder &b) {
    auto site = op->getAttrOfType<StringAttr>(check::kSiteAttribute);
    if (!site)
      return;
    int64_t what = kFairleadCheckIssueProduct;
    if (op->getAttrOfType<BoolAttr>(check::kFollowsAttribute).getValue())
      what |= kFairleadCheckIssueValues;
    Value null = nullPointer(b);
    callRuntime(b, runtime::FairleadCheckOrder,
                {LLVM::AddressOfOp::create(b, null.getType(), site.getValue()), linearThread(b),
                 i32Constant(b, kFairleadCheckIssue), null, i64Constant(b, what), null});
  }

  static constexpr int kMostWords = 128, kLanesOfRow = 4;

  /// The two rows of A, of 32 bytes, whose parts this thread and its neighbours hold: register
  /// v1 + 2 v2 of lane q of four is word q + 4 v2 of row v1.
  static Value rowsOf(ValueRange registers, Value thread, gpu::GPUFuncOp kernel,
                      ImplicitLocOpBuilder &b) {
    constexpr int kRows = 2, kWords = 8, kAllLanes = -1, kWholeWarp = 31;
    Value memory = threadScratch(kernel, "fairlead.warpgroup_rows", kRows * kWords, b);
    Type word = b.getI32Type();
    auto kind = NVVM::ShflKindAttr::get(b.getContext(), NVVM::ShflKind::idx);
    Value first = arith::AndIOp::create(b, thread, i32Constant(b, ~(kLanesOfRow - 1)));
    for (auto [index, part] : llvm::enumerate(registers))
      for (int lane = 0; lane < kLanesOfRow; ++lane) {
        Value source = arith::OrIOp::create(b, first, i32Constant(b, lane));
        Value got = NVVM::ShflOp::create(b, word, i32Constant(b, kAllLanes), part, source,
                                         i32Constant(b, kWholeWarp), kind, UnitAttr());
        size_t row = index % kRows, column = index / kRows * kLanesOfRow + lane;
        LLVM::StoreOp::create(b, got, scratchElement(memory, word, row * kWords + column, b));
      }
    return memory;
  }
};

/// The threads of a warpgroup wait for each other: products begin when all have written the
/// operands, and are complete when all have computed their parts, so that one of them may have the
/// operands overwritten.
template <typename Op> class WarpgroupMeeting : public EmittedModelOf<Op> {
public:
  /// Loops over the threads already end here: there is nothing to emit.
  void emitTogether(Operation *, FissionBuilder &) const final {}

  Value emitThread(Operation *, ThreadBuilder &thread) const final {
    const Value zero = thread.zero();
    thread.wait(kFairleadWaitWarpgroup, zero, zero, zero, zero);
    return {};
  }
};

class WarpgroupFenceModel final : public WarpgroupMeeting<NVVM::WgmmaFenceAlignedOp> {
public:
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    checks.order(op, kFairleadCheckFenceProducts, {}, checks.i64(0));
  }
};

class WarpgroupWaitModel final : public WarpgroupMeeting<NVVM::WgmmaWaitGroupSyncOp> {
public:
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    const auto groups = cast<NVVM::WgmmaWaitGroupSyncOp>(op).getGroup();
    checks.order(op, kFairleadCheckWaitProducts, {}, checks.i64(static_cast<int64_t>(groups)));
  }
};

} // namespace

void attachWarpgroupMma(MLIRContext &context) {
  ir::WarpgroupMmaOp::attachInterface<WarpgroupMmaModel>(context);
  NVVM::WgmmaFenceAlignedOp::attachInterface<WarpgroupFenceModel>(context);
  NVVM::WgmmaWaitGroupSyncOp::attachInterface<WarpgroupWaitModel>(context);
}

} // namespace fairlead::lower
