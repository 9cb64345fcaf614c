/// A block's index in its cluster, and the size of clusters: nvvm.read.ptx.sreg.cluster* and
/// the like. On a CPU they are computed from the block's index and the launch's cluster.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/common/ThreadIndices.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

Value extentOf(ImplicitLocOpBuilder &b, gpu::Dimension d) {
  return readIndex<gpu::ClusterDimBlocksOp>(b, d);
}

/// Returns the index of the block in its cluster along one dimension.
Value placeIn(ImplicitLocOpBuilder &b, gpu::Dimension d) {
  return arith::RemUIOp::create(b, readIndex<gpu::BlockIdOp>(b, d), extentOf(b, d));
}

/// Converts an index or an extent in blocks along one dimension to clusters.
template <typename GpuOp> Value inClusters(ImplicitLocOpBuilder &b, gpu::Dimension d) {
  return arith::DivUIOp::create(b, readIndex<GpuOp>(b, d), extentOf(b, d));
}

template <typename Op, auto kRead, gpu::Dimension kDimension>
class DimensionIndex final : public CpuModelOf<Op> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    replaceBy(op, kRead(b, kDimension));
  }
};

template <auto kRead, typename X, typename Y, typename Z> void attachIndices(MLIRContext &context) {
  using gpu::Dimension;
  X::template attachInterface<DimensionIndex<X, kRead, Dimension::x>>(context);
  Y::template attachInterface<DimensionIndex<Y, kRead, Dimension::y>>(context);
  Z::template attachInterface<DimensionIndex<Z, kRead, Dimension::z>>(context);
}

/// The block's rank in its cluster, x fastest.
class Rank final : public CpuModelOf<NVVM::ClusterId> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    using gpu::Dimension;
    Value rank = placeIn(b, Dimension::z);
    for (Dimension d : {Dimension::y, Dimension::x}) {
      Value before = arith::MulIOp::create(b, rank, extentOf(b, d));
      rank = arith::AddIOp::create(b, before, placeIn(b, d));
    }
    replaceBy(op, rank);
  }
};

class Size final : public CpuModelOf<NVVM::ClusterDim> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    using gpu::Dimension;
    Value plane = arith::MulIOp::create(b, extentOf(b, Dimension::x), extentOf(b, Dimension::y));
    replaceBy(op, arith::MulIOp::create(b, plane, extentOf(b, Dimension::z)));
  }
};

} // namespace

void attachClusterIndices(MLIRContext &context) {
  using namespace NVVM;
  attachIndices<inClusters<gpu::BlockIdOp>, ClusterIdXOp, ClusterIdYOp, ClusterIdZOp>(context);
  attachIndices<inClusters<gpu::GridDimOp>, ClusterDimXOp, ClusterDimYOp, ClusterDimZOp>(context);
  attachIndices<placeIn, BlockInClusterIdXOp, BlockInClusterIdYOp, BlockInClusterIdZOp>(context);
  attachIndices<extentOf, ClusterDimBlocksXOp, ClusterDimBlocksYOp, ClusterDimBlocksZOp>(context);
  ClusterId::attachInterface<Rank>(context);
  ClusterDim::attachInterface<Size>(context);
}

} // namespace fairlead::lower
