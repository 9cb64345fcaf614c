/// Copies of boxes and of neighbouring bytes, and edits of tensor maps. On a CPU copies
/// are made where they are asked for, by one thread of each warp, and their order is that of the
/// program.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "fairlead/AsyncCpu.h"
#include "ir/Ops.h"
#include "lower/cpu/collective/Calls.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Writes what one thread of the warp does: that which the program chose, or the first.
template <typename Body> void byOneLane(Operation *op, ImplicitLocOpBuilder &b, const Body &body) {
  if (op->hasAttr(ir::kChosenThreadAttribute))
    return body();
  Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
  Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32Constant(b, 0));
  auto branch = scf::IfOp::create(b, first, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// The runtime's arguments for the coordinates of a box.
void addCoordinates(ImplicitLocOpBuilder &b, ValueRange coordinates,
                    SmallVector<Value> &arguments) {
  constexpr size_t kMostDimensions = 5;
  arguments.append(coordinates.begin(), coordinates.end());
  for (size_t d = coordinates.size(); d < kMostDimensions; ++d)
    arguments.push_back(i32Constant(b, 0));
}

void emitCopy(ir::TensorLoadOp op, ImplicitLocOpBuilder &b) {
  SmallVector<Value> arguments{op.getMap(), generic(b, op.getTarget())};
  arguments.push_back(generic(b, op.getBarrier()));
  if (op.getBlocks())
    arguments.push_back(arith::ExtUIOp::create(b, b.getI32Type(), op.getBlocks()).getResult());
  else
    arguments.push_back(i32Constant(b, kFairleadBoxLoad));
  addCoordinates(b, op.getCoordinates(), arguments);
  callRuntime(b, op.getBlocks() ? "FairleadCpuTensorMulticast" : "FairleadCpuTensorCopy",
              arguments);
}

/// A copy from shared memory; `action` is one of FairleadBox.
template <typename Op> void emitStore(Op op, int action, ImplicitLocOpBuilder &b) {
  SmallVector<Value> arguments{op.getMap(), generic(b, op.getSource())};
  arguments.push_back(nullPointer(b));
  arguments.push_back(i32Constant(b, action));
  addCoordinates(b, op.getCoordinates(), arguments);
  callRuntime(b, "FairleadCpuTensorCopy", arguments);
}
void emitCopy(ir::TensorStoreOp op, ImplicitLocOpBuilder &b) {
  emitStore(op, kFairleadBoxStore, b);
}
void emitCopy(ir::TensorReduceOp op, ImplicitLocOpBuilder &b) {
  emitStore(op, kFairleadBoxReduce + static_cast<int>(op.getKind()), b);
}

void emitCopy(ir::BulkLoadOp op, ImplicitLocOpBuilder &b) {
  if (op.getBlocks()) {
    Value blocks = arith::ExtUIOp::create(b, b.getI32Type(), op.getBlocks());
    callRuntime(b, "FairleadCpuBulkMulticast",
                {generic(b, op.getTarget()), generic(b, op.getSource()), op.getBytes(),
                 generic(b, op.getBarrier()), blocks});
    return;
  }
  callRuntime(b, "FairleadCpuBulkCopy",
              {generic(b, op.getTarget()), generic(b, op.getSource()), op.getBytes(),
               generic(b, op.getBarrier())});
}
void emitCopy(ir::BulkCopyToBlockOp op, ImplicitLocOpBuilder &b) {
  callRuntime(b, "FairleadCpuBulkCopy",
              {generic(b, op.getTarget()), generic(b, op.getSource()), op.getBytes(),
               generic(b, op.getBarrier())});
}
void emitCopy(ir::BulkStoreOp op, ImplicitLocOpBuilder &b) {
  callRuntime(
      b, "FairleadCpuBulkCopy",
      {generic(b, op.getTarget()), generic(b, op.getSource()), op.getBytes(), nullPointer(b)});
}

template <typename Op> class Copy final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    byOneLane(op, b, [&] { emitCopy(cast<Op>(op), b); });
    op->erase();
  }
};

class TensorPrefetch final : public CpuModelOf<ir::TensorPrefetchOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

/// The CPU's maps are the fields themselves.
class MapReplace final : public CpuModelOf<ir::MapReplaceOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto replace = cast<ir::MapReplaceOp>(op);
    Value map = generic(b, replace.getMap());
    Value place = LLVM::GEPOp::create(b, map.getType(), b.getI8Type(), map,
                                      ArrayRef<LLVM::GEPArg>{offsetOf(replace)});
    LLVM::StoreOp::create(b, replace.getValue(), place);
    op->erase();
  }

private:
  static int32_t offsetOf(ir::MapReplaceOp op) {
    const auto dimension = static_cast<int32_t>(op.getDimension());
    constexpr int32_t kBytes = sizeof(int64_t);
    switch (op.getField()) {
    case ir::MapField::Address:
      return offsetof(FairleadTensorMap, address);
    case ir::MapField::Extent:
      return static_cast<int32_t>(offsetof(FairleadTensorMap, extents)) + kBytes * dimension;
    case ir::MapField::Stride: // those of a map begin with that of dimension 1
      return static_cast<int32_t>(offsetof(FairleadTensorMap, strides)) + kBytes * (dimension - 1);
    }
    llvm_unreachable("a field of a tensor map");
  }
};

class MapPublish final : public CpuModelOf<ir::MapPublishOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto publish = cast<ir::MapPublishOp>(op);
    Value map = generic(b, publish.getGlobal());
    byOneLane(op, b, [&] {
      callRuntime(b, "FairleadCpuBulkCopy",
                  {map, generic(b, publish.getShared()), i32Constant(b, sizeof(FairleadTensorMap)),
                   nullPointer(b)});
    });
    op->erase();
  }
};

template <typename... Ops> void attachCopies(MLIRContext &context) {
  (Ops::template attachInterface<Copy<Ops>>(context), ...);
}

} // namespace

void attachAsyncCopies(MLIRContext &context) {
  attachCopies<ir::TensorLoadOp, ir::TensorStoreOp, ir::TensorReduceOp, ir::BulkLoadOp,
               ir::BulkStoreOp, ir::BulkCopyToBlockOp>(context);
  ir::TensorPrefetchOp::attachInterface<TensorPrefetch>(context);
  ir::MapReplaceOp::attachInterface<MapReplace>(context);
  ir::MapPublishOp::attachInterface<MapPublish>(context);
}

} // namespace fairlead::lower
