#include "lower/cpu/ClusterOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class ClusterLowering {
public:
  explicit ClusterLowering(gpu::GPUFuncOp kernel) : b(kernel.getLoc(), kernel.getContext()) {}

  void lower(Operation *op) {
    using gpu::Dimension;
    b.setInsertionPoint(op);
    if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp, NVVM::GriddepcontrolOp>(op)) {
      op->erase();
    } else if (isa<NVVM::ClusterWaitOp>(op)) {
      NVVM::BarrierOp::create(b);
      op->erase();
    } else if (isa<NVVM::ElectSyncOp>(op)) {
      Value lane = arith::AndIOp::create(b, linearThread(), i32(31));
      replace(op, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32(0)));
    } else if (auto map = dyn_cast<NVVM::MapaOp>(op)) {
      // The one block of the cluster: its own memory. Both types become a plain pointer later.
      op->getResult(0).setType(map.getA().getType());
      replace(op, map.getA());
    } else if (isa<NVVM::ClusterIdXOp>(op)) {
      replace(op, id<gpu::BlockIdOp>(Dimension::x));
    } else if (isa<NVVM::ClusterIdYOp>(op)) {
      replace(op, id<gpu::BlockIdOp>(Dimension::y));
    } else if (isa<NVVM::ClusterIdZOp>(op)) {
      replace(op, id<gpu::BlockIdOp>(Dimension::z));
    } else if (isa<NVVM::ClusterDimXOp>(op)) {
      replace(op, id<gpu::GridDimOp>(Dimension::x));
    } else if (isa<NVVM::ClusterDimYOp>(op)) {
      replace(op, id<gpu::GridDimOp>(Dimension::y));
    } else if (isa<NVVM::ClusterDimZOp>(op)) {
      replace(op, id<gpu::GridDimOp>(Dimension::z));
    } else if (isa<NVVM::BlockInClusterIdXOp, NVVM::BlockInClusterIdYOp, NVVM::BlockInClusterIdZOp,
                   NVVM::ClusterId>(op)) {
      replace(op, i32(0));
    } else if (isa<NVVM::ClusterDimBlocksXOp, NVVM::ClusterDimBlocksYOp, NVVM::ClusterDimBlocksZOp,
                   NVVM::ClusterDim>(op)) {
      replace(op, i32(1));
    }
  }

private:
  Value i32(int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }

  template <typename Op> Value id(gpu::Dimension dimension) {
    return arith::IndexCastOp::create(b, b.getI32Type(), Op::create(b, dimension));
  }

  Value linearThread() {
    using gpu::Dimension;
    Value planes = arith::MulIOp::create(b, id<gpu::BlockDimOp>(Dimension::y),
                                         id<gpu::ThreadIdOp>(Dimension::z));
    Value rows = arith::AddIOp::create(b, id<gpu::ThreadIdOp>(Dimension::y), planes);
    Value before = arith::MulIOp::create(b, id<gpu::BlockDimOp>(Dimension::x), rows);
    return arith::AddIOp::create(b, id<gpu::ThreadIdOp>(Dimension::x), before);
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  ImplicitLocOpBuilder b;
};

} // namespace

void lowerClusterOps(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel->walk([&](Operation *op) {
    if (isa<NVVM::NVVMDialect>(op->getDialect()))
      ops.push_back(op);
  });
  ClusterLowering lowering(kernel);
  for (Operation *op : ops)
    lowering.lower(op);
}

} // namespace fairlead::lower
