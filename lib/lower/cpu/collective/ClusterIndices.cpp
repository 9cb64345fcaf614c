/// A block's index in its cluster, and the size of clusters: nvvm.read.ptx.sreg.cluster* and
/// the like. On a CPU they are computed from the block's index and the launch's cluster.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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

// nvvm.mapa: the address of another block's shared memory. On a CPU the runtime returns the
// address.

class MapToBlock final : public CpuModelOf<NVVM::MapaOp> {
public:
  /// Pointers of both address spaces become plain ones later.
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto map = cast<NVVM::MapaOp>(op);
    Value other =
        callRuntime(b, runtime::FairleadCpuMapShared, {generic(b, map.getA()), map.getB()});
    op->getResult(0).setType(other.getType());
    replaceBy(op, other);
  }
};

// fairlead.try_cancel and fairlead.query_cancel: a cluster takes over one that has not started. On
// a CPU the launch gives them away one by one, and answers at once.

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

// nvvm.griddepcontrol: waiting for the kernel before, and letting the next one start. On a CPU a
// kernel starts when those before it have ended.

class GridDependency final : public CpuModelOf<NVVM::GriddepcontrolOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
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
  NVVM::MapaOp::attachInterface<MapToBlock>(context);
  ir::TryCancelOp::attachInterface<TryCancel>(context);
  ir::QueryCancelOp::attachInterface<QueryCancel>(context);
  NVVM::GriddepcontrolOp::attachInterface<GridDependency>(context);
}

} // namespace fairlead::lower
