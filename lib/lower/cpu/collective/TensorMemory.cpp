/// fairlead.tcgen05.*: columns, registers, products and order of tensor memory. On a CPU all of it
/// is done where the program issues it, so that waits and fences have nothing to do.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/TensorMemoryCpu.h"
#include "fairlead/TensorOperandCpu.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadScratch.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// The number of an address of tensor memory.
Value addressNumber(ImplicitLocOpBuilder &b, Value address) {
  return LLVM::PtrToIntOp::create(b, b.getI32Type(), address);
}

/// With checks, announces an operation whose call uses tensor memory or values.
void tellIssue(Operation *op, StringRef title, CheckBuilder &checks) {
  const int kind = (checks.inits ? kFairleadCheckIssueValues : 0) |
                   (checks.races ? kFairleadCheckIssueOrder : 0);
  if (kind)
    checks.order(op, kFairleadCheckIssue, {}, checks.i64(kind), {}, title);
}

/// Announces a product, and the memory of its operands in shared memory.
template <typename Product> void tellProduct(Product product, bool readsA, CheckBuilder &checks) {
  byOneLane(product, checks.b, [&] {
    tellIssue(product, "a product", checks);
    if (readsA)
      checks.operand(product, product.getA(), /*isB=*/false);
    checks.operand(product, product.getB(), /*isB=*/true);
  });
}

/// An operation that does nothing on a CPU.
template <typename Op> class Nothing final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

//===--- columns -------------------------------------------------------------------------------===

/// `address` is the runtime's first argument: where the address goes, or the address itself.
void changeColumns(Operation *op, Value address, Value columns, const RuntimeFunction &function,
                   ImplicitLocOpBuilder &b) {
  // The first lane does it for the warp: after what all lanes did before, and before they go on.
  auto waitForAll = [&] { NVVM::SyncWarpOp::create(b, i32Constant(b, -1)); };
  waitForAll();
  byOneLane(op, b, [&] { callRuntime(b, function, {address, columns}); });
  waitForAll();
}

/// All lanes wait until both blocks of the pair have asked for columns.
void waitForPair(ImplicitLocOpBuilder &b) {
  constexpr unsigned kSharedSpace = 3;
  Value barrier = callRuntime(b, runtime::FairleadCpuTensorMemoryPair, {});
  Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), barrier);
  Value address =
      LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace), number);
  ir::MbarrierWaitOp::create(b, address, i32Constant(b, 0));
}

class ColumnAlloc final : public CpuModelOf<ir::TensorMemoryAllocOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto alloc = cast<ir::TensorMemoryAllocOp>(op);
    Value columns = alloc.getColumns();
    if (alloc.getGroup() == ir::CtaGroup::Two)
      columns = arith::OrIOp::create(b, columns, i32Constant(b, kFairleadColumnsOfPair));
    changeColumns(op, generic(b, alloc.getTarget()), columns, runtime::FairleadCpuTensorMemoryAlloc,
                  b);
    if (alloc.getGroup() == ir::CtaGroup::Two)
      waitForPair(b);
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    byOneLane(op, checks.b, [&] {
      if (checks.races)
        checks.order(op, kFairleadCheckTensorReserve, {}, checks.i64(0), {},
                     "columns that are reserved");
      tellIssue(op, "a reservation of tensor memory", checks);
    });
  }
};

class ColumnDealloc final : public CpuModelOf<ir::TensorMemoryDeallocOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto dealloc = cast<ir::TensorMemoryDeallocOp>(op);
    changeColumns(op, addressNumber(b, dealloc.getMemory()), dealloc.getColumns(),
                  runtime::FairleadCpuTensorMemoryFree, b);
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    auto dealloc = cast<ir::TensorMemoryDeallocOp>(op);
    constexpr int kNumber = 32;
    byOneLane(op, checks.b, [&] {
      if (checks.races) {
        Value number =
            arith::ShLIOp::create(checks.b, checks.wide(dealloc.getColumns()), checks.i64(kNumber));
        Value first = checks.wide(addressNumber(checks.b, dealloc.getMemory()));
        checks.order(op, kFairleadCheckTensorFree, {},
                     arith::OrIOp::create(checks.b, number, first), {}, "columns that are freed");
      }
      tellIssue(op, "columns that are freed", checks);
    });
  }
};

class Relinquish final : public CpuModelOf<ir::TensorMemoryRelinquishOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    byOneLane(op, b, [&] { callRuntime(b, runtime::FairleadCpuTensorMemoryRelinquish, {}); });
    op->erase();
  }
};

//===--- registers -----------------------------------------------------------------------------===

Value registerMemory(Operation *op, ImplicitLocOpBuilder &b) {
  constexpr int kMostRegisters = 128;
  return threadScratch(op->getParentOfType<gpu::GPUFuncOp>(), "fairlead.tensor_registers",
                       kMostRegisters, b);
}

/// Lanes and bits of a step of a copy.
struct CopyStep {
  int64_t lanes = 32, bits = 32;
  template <typename Op> static CopyStep of(Op op) {
    return {op.getStepLanes(), op.getStepBits() + (op.getHalves() ? kFairleadTensorHalves : 0)};
  }
};

void copyRegisters(Value address, const CopyStep &step, size_t count, Value memory,
                   const RuntimeFunction &function, ImplicitLocOpBuilder &b) {
  callRuntime(b, function,
              {memory, addressNumber(b, address), i32Constant(b, static_cast<int64_t>(count)),
               i32Constant(b, step.lanes), i32Constant(b, step.bits), linearThread(b)});
}

/// Replace the registers of a load by the contents of tensor memory.
void loadRegisters(Operation *op, Value address, const CopyStep &step, ResultRange registers,
                   ImplicitLocOpBuilder &b) {
  Value memory = registerMemory(op, b);
  copyRegisters(address, step, registers.size(), memory, runtime::FairleadCpuTensorMemoryLoad, b);
  for (auto [index, result] : llvm::enumerate(registers)) {
    Value element = scratchElement(memory, b.getI32Type(), index, b);
    result.replaceAllUsesWith(LLVM::LoadOp::create(b, b.getI32Type(), element).getResult());
  }
}

class RegisterLoad final : public CpuModelOf<ir::TensorMemoryLoadOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto load = cast<ir::TensorMemoryLoadOp>(op);
    loadRegisters(op, load.getMemory(), CopyStep::of(load), load.getRegisters(), b);
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    tellIssue(op, "a load from tensor memory", checks);
  }
};

class ExtremeLoad final : public CpuModelOf<ir::TensorMemoryExtremeLoadOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto load = cast<ir::TensorMemoryExtremeLoadOp>(op);
    Value memory = registerMemory(op, b);
    loadRegisters(op, load.getMemory(), CopyStep(), load.getRegisters(), b);
    Value extreme;
    for (size_t index = 0; index < load.getRegisters().size(); ++index) {
      Value element = scratchElement(memory, b.getF32Type(), index, b);
      Value number = LLVM::LoadOp::create(b, b.getF32Type(), element);
      extreme = !extreme ? number
                : load.getExtreme() == ir::Extreme::Max
                    ? arith::MaxNumFOp::create(b, extreme, number).getResult()
                    : arith::MinNumFOp::create(b, extreme, number).getResult();
    }
    load.getFound().replaceAllUsesWith(extreme);
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    tellIssue(op, "a load from tensor memory", checks);
  }
};

class RegisterStore final : public CpuModelOf<ir::TensorMemoryStoreOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto store = cast<ir::TensorMemoryStoreOp>(op);
    Value memory = registerMemory(op, b);
    for (auto [index, value] : llvm::enumerate(store.getRegisters()))
      LLVM::StoreOp::create(b, value, scratchElement(memory, b.getI32Type(), index, b));
    copyRegisters(store.getMemory(), CopyStep::of(store), store.getRegisters().size(), memory,
                  runtime::FairleadCpuTensorMemoryStore, b);
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    tellIssue(op, "a store to tensor memory", checks);
  }
};

class RegisterWait final : public CpuModelOf<ir::TensorMemoryWaitOp> {
public:
  /// All lanes have loaded or stored when one of them goes on.
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    NVVM::SyncWarpOp::create(b, i32Constant(b, -1));
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    if (cast<ir::TensorMemoryWaitOp>(op).getAccess() == ir::TensorMemoryAccess::Stores)
      checks.order(op, kFairleadCheckTensorStored, {}, checks.i64(0));
  }
};

//===--- products ------------------------------------------------------------------------------===

class TensorMma final : public CpuModelOf<ir::TensorMemoryMmaOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto mma = cast<ir::TensorMemoryMmaOp>(op);
    const int types = static_cast<int>(mma.getAType()) | static_cast<int>(mma.getBType()) << 8 |
                      static_cast<int>(mma.getDType()) << 16;
    const int flags = (mma.getATransposed() ? kFairleadProductTransposesA : 0) |
                      (mma.getBTransposed() ? kFairleadProductTransposesB : 0) |
                      (mma.getGroup() == ir::CtaGroup::Two ? kFairleadProductOfPair : 0) |
                      (mma.isAInTensorMemory() ? kFairleadProductOfTensorA : 0);
    byOneLane(op, b, [&] {
      Value added = arith::ExtUIOp::create(b, b.getI32Type(), mma.getAdded());
      static_assert(kFairleadProductAdds == 1);
      Value a = mma.getA();
      if (mma.isAInTensorMemory())
        a = arith::ExtUIOp::create(b, b.getI64Type(), addressNumber(b, a));
      callRuntime(b, runtime::FairleadCpuTensorMemoryMma,
                  {sharedMemory(b), addressNumber(b, mma.getD()), a, mma.getB(),
                   i32Constant(b, mma.getM()), i32Constant(b, mma.getN()), i32Constant(b, types),
                   arith::OrIOp::create(b, added, i32Constant(b, flags))});
    });
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    auto mma = cast<ir::TensorMemoryMmaOp>(op);
    tellProduct(mma, !mma.isAInTensorMemory(), checks);
  }
};

class ScaledMma final : public CpuModelOf<ir::TensorMemoryScaledMmaOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto mma = cast<ir::TensorMemoryScaledMmaOp>(op);
    const int types = static_cast<int>(mma.getAType()) | static_cast<int>(mma.getBType()) << 8 |
                      static_cast<int>(mma.getKind()) << 16 |
                      (mma.getScaleType() == ir::ScaleType::UE8M0) << 24 |
                      (mma.getK() == 96 ? kFairleadProductIsLong : 0);
    const int flags = (mma.getATransposed() ? kFairleadProductTransposesA : 0) |
                      (mma.getBTransposed() ? kFairleadProductTransposesB : 0) |
                      (mma.getGroup() == ir::CtaGroup::Two ? kFairleadProductOfPair : 0) |
                      static_cast<int>(mma.getVector()) << 8;
    byOneLane(op, b, [&] {
      Value added = arith::ExtUIOp::create(b, b.getI32Type(), mma.getAdded());
      callRuntime(b, runtime::FairleadCpuTensorMemoryScaledMma,
                  {sharedMemory(b), addressNumber(b, mma.getD()), mma.getA(), mma.getB(),
                   addressNumber(b, mma.getScalesA()), addressNumber(b, mma.getScalesB()),
                   i32Constant(b, mma.getM() | mma.getN() << 16), i32Constant(b, types),
                   arith::OrIOp::create(b, added, i32Constant(b, flags))});
    });
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    tellProduct(cast<ir::TensorMemoryScaledMmaOp>(op), /*readsA=*/true, checks);
  }
};

class RowCopy final : public CpuModelOf<ir::TensorMemoryCopyOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto copy = cast<ir::TensorMemoryCopyOp>(op);
    byOneLane(op, b, [&] {
      callRuntime(b, runtime::FairleadCpuTensorMemoryCopy,
                  {sharedMemory(b), addressNumber(b, copy.getMemory()), copy.getSource(),
                   i32Constant(b, static_cast<int64_t>(copy.getShape())),
                   i32Constant(b, copy.getGroup() == ir::CtaGroup::Two)});
    });
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    byOneLane(op, checks.b, [&] {
      tellIssue(op, "a copy to tensor memory", checks);
      checks.operand(op, cast<ir::TensorMemoryCopyOp>(op).getSource(), /*isB=*/false);
    });
  }
};

class TensorCommit final : public CpuModelOf<ir::TensorMemoryCommitOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto commit = cast<ir::TensorMemoryCommitOp>(op);
    byOneLane(op, b, [&] {
      Value barrier = generic(b, commit.getBarrier());
      if (!commit.getBlocks())
        return (void)callRuntime(
            b, runtime::FairleadCpuMbarrier,
            {barrier, i32Constant(b, kFairleadMbarrierArrive), i32Constant(b, 1)});
      Value blocks = arith::ExtUIOp::create(b, b.getI32Type(), commit.getBlocks());
      callRuntime(b, runtime::FairleadCpuTensorMemoryCommit, {barrier, blocks});
    });
    op->erase();
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    auto commit = cast<ir::TensorMemoryCommitOp>(op);
    byOneLane(op, checks.b, [&] {
      Value blocks = commit.getBlocks() ? checks.wide(commit.getBlocks()) : checks.i64(0);
      checks.order(op, kFairleadCheckTensorCommit, commit.getBarrier(), blocks);
      if (commit.getBlocks())
        tellIssue(op, "a commit of products", checks);
    });
  }
};

} // namespace

void attachTensorMemory(MLIRContext &context) {
  ir::TensorMemoryAllocOp::attachInterface<ColumnAlloc>(context);
  ir::TensorMemoryDeallocOp::attachInterface<ColumnDealloc>(context);
  ir::TensorMemoryRelinquishOp::attachInterface<Relinquish>(context);
  ir::TensorMemoryLoadOp::attachInterface<RegisterLoad>(context);
  ir::TensorMemoryExtremeLoadOp::attachInterface<ExtremeLoad>(context);
  ir::TensorMemoryStoreOp::attachInterface<RegisterStore>(context);
  ir::TensorMemoryMmaOp::attachInterface<TensorMma>(context);
  ir::TensorMemoryScaledMmaOp::attachInterface<ScaledMma>(context);
  ir::TensorMemoryCopyOp::attachInterface<RowCopy>(context);
  ir::TensorMemoryCommitOp::attachInterface<TensorCommit>(context);
  ir::TensorMemoryWaitOp::attachInterface<RegisterWait>(context);
  ir::TensorMemoryFenceOp::attachInterface<Nothing<ir::TensorMemoryFenceOp>>(context);
}

} // namespace fairlead::lower
