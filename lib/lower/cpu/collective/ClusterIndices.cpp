/// Where a block is in its cluster, and how large clusters are: nvvm.read.ptx.sreg.cluster* and
/// the like. On a CPU every block is a cluster of its own.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// An index that each thread reads for itself.
template <typename Op> class Index : public CollectiveModelOf<Op> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::None; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }
};

template <typename Op, int64_t kNumber> class ConstantIndex final : public Index<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    replaceBy(op, i32Constant(b, kNumber));
  }
};

template <typename Op, typename GpuOp, gpu::Dimension kDimension>
class BlockIndex final : public Index<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    replaceBy(op, readIndex<GpuOp>(b, kDimension));
  }
};

template <int64_t kNumber, typename... Ops> void attachConstant(MLIRContext &context) {
  (Ops::template attachInterface<ConstantIndex<Ops, kNumber>>(context), ...);
}

template <typename GpuOp, typename X, typename Y, typename Z>
void attachIndices(MLIRContext &context) {
  using gpu::Dimension;
  X::template attachInterface<BlockIndex<X, GpuOp, Dimension::x>>(context);
  Y::template attachInterface<BlockIndex<Y, GpuOp, Dimension::y>>(context);
  Z::template attachInterface<BlockIndex<Z, GpuOp, Dimension::z>>(context);
}

} // namespace

void attachClusterIndices(MLIRContext &context) {
  using namespace NVVM;
  attachIndices<gpu::BlockIdOp, ClusterIdXOp, ClusterIdYOp, ClusterIdZOp>(context);
  attachIndices<gpu::GridDimOp, ClusterDimXOp, ClusterDimYOp, ClusterDimZOp>(context);
  attachConstant<0, BlockInClusterIdXOp, BlockInClusterIdYOp, BlockInClusterIdZOp, ClusterId>(
      context);
  attachConstant<1, ClusterDimBlocksXOp, ClusterDimBlocksYOp, ClusterDimBlocksZOp, ClusterDim>(
      context);
}

} // namespace fairlead::lower
