/// Copies of boxes and of neighbouring bytes, and edits of tensor maps. On a CPU one thread
/// of each warp executes the copies synchronously, in program order, where the program issues
/// them.
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

/// The runtime's arguments for the coordinates of a box.
void addCoordinates(ImplicitLocOpBuilder &b, ValueRange coordinates,
                    SmallVector<Value> &arguments) {
  constexpr size_t kMostDimensions = 5;
  arguments.append(coordinates.begin(), coordinates.end());
  for (size_t d = coordinates.size(); d < kMostDimensions; ++d)
    arguments.push_back(i32Constant(b, 0));
}

/// The blocks that get a box, as the runtime takes them.
Value targetBlocks(ir::TensorLoadOp op, ImplicitLocOpBuilder &b) {
  Value pair = i32Constant(b, op.getOfPair() ? kFairleadBlocksOfPairs : 0);
  if (!op.getBlocks())
    return pair;
  Value blocks = arith::ExtUIOp::create(b, b.getI32Type(), op.getBlocks());
  return arith::OrIOp::create(b, blocks, pair);
}

void emitCopy(ir::TensorLoadOp op, ImplicitLocOpBuilder &b) {
  SmallVector<Value> arguments{op.getMap(), generic(b, op.getTarget())};
  arguments.push_back(generic(b, op.getBarrier()));
  const bool sharesBarriers = op.getBlocks() || op.getOfPair();
  arguments.push_back(sharesBarriers ? targetBlocks(op, b) : i32Constant(b, kFairleadBoxLoad));
  addCoordinates(b, op.getCoordinates(), arguments);
  callRuntime(b,
              sharesBarriers ? runtime::FairleadCpuTensorMulticast : runtime::FairleadCpuTensorCopy,
              arguments);
}

/// A copy from shared memory; `action` is one of FairleadBox.
template <typename Op> void emitStore(Op op, int action, ImplicitLocOpBuilder &b) {
  SmallVector<Value> arguments{op.getMap(), generic(b, op.getSource())};
  arguments.push_back(nullPointer(b));
  arguments.push_back(i32Constant(b, action));
  addCoordinates(b, op.getCoordinates(), arguments);
  callRuntime(b, runtime::FairleadCpuTensorCopy, arguments);
}
void emitCopy(ir::TensorStoreOp op, ImplicitLocOpBuilder &b) {
  emitStore(op, kFairleadBoxStore, b);
}
void emitCopy(ir::TensorReduceOp op, ImplicitLocOpBuilder &b) {
  emitStore(op, kFairleadBoxReduce + static_cast<int>(op.getKind()), b);
}

template <typename Op> void emitBulkCopy(Op op, Value barrier, ImplicitLocOpBuilder &b) {
  callRuntime(b, runtime::FairleadCpuBulkCopy,
              {generic(b, op.getTarget()), generic(b, op.getSource()), op.getBytes(), barrier});
}
void emitCopy(ir::BulkLoadOp op, ImplicitLocOpBuilder &b) {
  if (op.getBlocks()) {
    Value blocks = arith::ExtUIOp::create(b, b.getI32Type(), op.getBlocks());
    callRuntime(b, runtime::FairleadCpuBulkMulticast,
                {generic(b, op.getTarget()), generic(b, op.getSource()), op.getBytes(),
                 generic(b, op.getBarrier()), blocks});
    return;
  }
  emitBulkCopy(op, generic(b, op.getBarrier()), b);
}
void emitCopy(ir::BulkCopyToBlockOp op, ImplicitLocOpBuilder &b) {
  emitBulkCopy(op, generic(b, op.getBarrier()), b);
}
void emitCopy(ir::BulkStoreOp op, ImplicitLocOpBuilder &b) { emitBulkCopy(op, nullPointer(b), b); }

//===--- checks --------------------------------------------------------------------------------===

/// Copies from shared memory may be in flight until a wait for their group.
template <typename Op> void tellCopy(Op op, CheckBuilder &checks) {
  const int64_t values = checks.inits ? kFairleadCheckIssueValues : 0;
  checks.order(op, kFairleadCheckIssue, {}, checks.i64(values), {}, "a copy to global memory");
}

/// Returns the bytes of shared memory that a box takes, including those outside of the tensor. A
/// row that is narrower than its swizzle takes all of its width.
Value boxBytes(Value map, CheckBuilder &checks) {
  ImplicitLocOpBuilder &b = checks.b;
  auto number = [&](int64_t offset) {
    Value place = LLVM::GEPOp::create(b, map.getType(), b.getI8Type(), map,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    return LLVM::LoadOp::create(b, b.getI32Type(), place);
  };
  auto constant = [&](int32_t value) { return i32Constant(b, value); };
  Value swizzle = number(offsetof(FairleadTensorMap, swizzle));
  Value width =
      arith::ShLIOp::create(b, constant(16), arith::MinSIOp::create(b, swizzle, constant(3)));
  Value isSwizzled = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, swizzle, constant(0));
  Value bytes = arith::MulIOp::create(b, number(offsetof(FairleadTensorMap, element_size)),
                                      number(offsetof(FairleadTensorMap, box)));
  bytes =
      arith::MaxSIOp::create(b, bytes, arith::SelectOp::create(b, isSwizzled, width, constant(0)));
  // Dimensions that a map does not have count as 1.
  Value rank = number(offsetof(FairleadTensorMap, rank));
  constexpr int kMostDimensions = 5;
  for (int d = 1; d < kMostDimensions; ++d) {
    Value extent = number(offsetof(FairleadTensorMap, box) + 4 * d);
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, constant(d), rank);
    bytes =
        arith::MulIOp::create(b, bytes, arith::SelectOp::create(b, exists, extent, constant(1)));
  }
  return arith::ExtSIOp::create(b, b.getI64Type(), bytes);
}

void tellCopy(ir::TensorLoadOp op, CheckBuilder &checks) {
  Value bytes = boxBytes(op.getMap(), checks);
  Value blocks = op.getBlocks() || op.getOfPair() ? targetBlocks(op, checks.b) : Value();
  checks.orderCopy(op, op.getTarget(), bytes, op.getBarrier(), blocks);
}
void tellCopy(ir::BulkLoadOp op, CheckBuilder &checks) {
  Value bytes = arith::ExtSIOp::create(checks.b, checks.b.getI64Type(), op.getBytes());
  checks.orderCopy(op, op.getTarget(), bytes, op.getBarrier(), op.getBlocks());
}
void tellCopy(ir::BulkCopyToBlockOp op, CheckBuilder &checks) {
  Value bytes = arith::ExtSIOp::create(checks.b, checks.b.getI64Type(), op.getBytes());
  checks.orderCopy(op, op.getTarget(), bytes, op.getBarrier(), {});
}

/// Calls `check(address, bytes)` for the memory that a copy reads and writes. The runtime looks at
/// coordinates in tensors.
template <typename Check> void eachMemory(Operation *op, CheckBuilder &checks, const Check &check) {
  if (auto load = dyn_cast<ir::TensorLoadOp>(op))
    return check(load.getTargetMutable(), boxBytes(load.getMap(), checks));
  if (auto store = dyn_cast<ir::TensorStoreOp>(op))
    return check(store.getSourceMutable(), boxBytes(store.getMap(), checks));
  if (auto reduce = dyn_cast<ir::TensorReduceOp>(op))
    return check(reduce.getSourceMutable(), boxBytes(reduce.getMap(), checks));
  auto checkBoth = [&](auto copy) {
    Value bytes = arith::ExtSIOp::create(checks.b, checks.b.getI64Type(), copy.getBytes());
    check(copy.getSourceMutable(), bytes);
    check(copy.getTargetMutable(), bytes);
  };
  if (auto load = dyn_cast<ir::BulkLoadOp>(op))
    checkBoth(load);
  else if (auto store = dyn_cast<ir::BulkStoreOp>(op))
    checkBoth(store);
  else
    checkBoth(cast<ir::BulkCopyToBlockOp>(op));
}

//===--- models --------------------------------------------------------------------------------===

template <typename Op> class Copy final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    byOneLane(op, b, [&] { emitCopy(cast<Op>(op), b); });
    op->erase();
  }
  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    if (checks.guards)
      byOneLane(op, checks.b, [&] {
        eachMemory(op, checks, [&](OpOperand &address, Value bytes) {
          checks.guard(op, address.get(), bytes);
        });
      });
    else if (checks.bounds || checks.memory)
      eachMemory(op, checks,
                 [&](OpOperand &address, Value bytes) { checks.checkCopied(op, address, bytes); });
  }
  void tellOrder(Operation *op, CheckBuilder &checks) const final {
    byOneLane(op, checks.b, [&] { tellCopy(cast<Op>(op), checks); });
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
      callRuntime(b, runtime::FairleadCpuBulkCopy,
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
