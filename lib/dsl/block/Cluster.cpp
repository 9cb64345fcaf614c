#include "fairlead/dsl/Cluster.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/trace/EmitOp.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Returns the builder for an instruction that GPUs with clusters have. `what` names it.
OpBuilder &hopperBuilder(const char *what) {
  OpBuilder &b = kernelImpl(what).builder;
  Program::current()->requireFeature(GpuFeature::Clusters, what);
  return b;
}

template <typename Op> Scalar read(const char *what) {
  OpBuilder &b = hopperBuilder(what);
  return wrap(DType::Int32, Op::create(b, b.getUnknownLoc(), b.getI32Type()).getResult());
}

template <typename X, typename Y, typename Z> Dim3 readThree(const char *what) {
  return {read<X>(what), read<Y>(what), read<Z>(what)};
}

} // namespace

Dim3 clusterIdx() {
  return readThree<NVVM::ClusterIdXOp, NVVM::ClusterIdYOp, NVVM::ClusterIdZOp>("the cluster index");
}
Dim3 clusterDim() {
  return readThree<NVVM::ClusterDimXOp, NVVM::ClusterDimYOp, NVVM::ClusterDimZOp>(
      "the number of clusters");
}
Dim3 blockInClusterIdx() {
  return readThree<NVVM::BlockInClusterIdXOp, NVVM::BlockInClusterIdYOp, NVVM::BlockInClusterIdZOp>(
      "the block's place in its cluster");
}
Dim3 blockInClusterDim() {
  return readThree<NVVM::ClusterDimBlocksXOp, NVVM::ClusterDimBlocksYOp, NVVM::ClusterDimBlocksZOp>(
      "the cluster's extent");
}
Scalar blockRankInCluster() { return read<NVVM::ClusterId>("the block's place in its cluster"); }
Scalar clusterSize() { return read<NVVM::ClusterDim>("the cluster's size"); }

void clusterArrive(bool relaxed, SourceLoc at) {
  AtSourceLoc placed(at);

  OpBuilder &b = hopperBuilder("a barrier of a cluster");
  if (relaxed)
    NVVM::ClusterArriveRelaxedOp::create(b, b.getUnknownLoc(), UnitAttr());
  else
    NVVM::ClusterArriveOp::create(b, b.getUnknownLoc(), UnitAttr());
}

void clusterWait(SourceLoc at) {
  AtSourceLoc placed(at);

  OpBuilder &b = hopperBuilder("a barrier of a cluster");
  NVVM::ClusterWaitOp::create(b, b.getUnknownLoc(), UnitAttr());
}

Pointer mapToBlock(const Pointer &pointer, const Scalar &rank, SourceLoc at) {
  AtSourceLoc placed(at);

  OpBuilder &b = hopperBuilder("shared memory of another block");
  Program::Impl &impl = Program::current()->impl();
  constexpr unsigned kClusterSpace = 7;
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kClusterSpace);
  mlir::Value mapped = NVVM::MapaOp::create(
      b, b.getUnknownLoc(), type, known(impl, pointer.handle()), emitAs(impl, rank, DType::Int32));
  return Pointer(pointer.dtype(), toHandle(mapped), pointer.space(), pointer.alignment())
      .swizzled(pointer.swizzle());
}

bool isInCluster(const Pointer &pointer) {
  mlir::Value address = known(currentImpl("an address"), pointer.handle());
  auto type = dyn_cast<LLVM::LLVMPointerType>(address.getType());
  return type && type.getAddressSpace() == static_cast<unsigned>(AddressSpace::Cluster);
}

//===--- cluster launch control ----------------------------------------------------------------===

static mlir::Value responseAddress(Program::Impl &impl, const Pointer &response) {
  constexpr int64_t kBytes = 16;
  if (response.space() != AddressSpace::Shared || response.alignment() % kBytes)
    throw makeError(Diagnostic::LaunchResponse, {{"got", response.str()}});
  return known(impl, response.handle());
}

void tryCancelCluster(const Pointer &response, const Pointer &barrier, bool multicast,
                      SourceLoc at) {
  AtSourceLoc placed(at);
  const char *what = "clusterlaunchcontrol.try_cancel";
  Program::Impl &impl = kernelImpl(what);
  if (barrier.space() != AddressSpace::Shared)
    throw makeError(Diagnostic::MbarrierAddress, {{"got", barrier.str()}});
  mlir::Value address = responseAddress(impl, response);
  emitOp<ir::TryCancelOp>(impl, what, address, known(impl, barrier.handle()), multicast);
}

CancelledCluster queryCancelledCluster(const Pointer &response, SourceLoc at) {
  AtSourceLoc placed(at);
  const char *what = "clusterlaunchcontrol.query_cancel";
  Program::Impl &impl = kernelImpl(what);
  OpBuilder &b = impl.builder;
  constexpr int kWords = 4, kAlignment = 16;
  mlir::Value address = responseAddress(impl, response);
  auto type = VectorType::get({kWords}, b.getI32Type());
  mlir::Value words = LLVM::LoadOp::create(b, b.getUnknownLoc(), type, address, kAlignment);
  auto query = emitOp<ir::QueryCancelOp>(impl, what, words);
  auto index = [](mlir::Value value) { return wrap(DType::Int32, value); };
  return {{index(query.getX()), index(query.getY()), index(query.getZ())},
          wrap(DType::Boolean, query.getCancelled())};
}

//===--- others --------------------------------------------------------------------------------===

Scalar electOne(SourceLoc at) {
  AtSourceLoc placed(at);

  OpBuilder &b = hopperBuilder("an election");
  return wrap(
      DType::Boolean,
      NVVM::ElectSyncOp::create(b, b.getUnknownLoc(), b.getI1Type(), mlir::Value()).getResult());
}

static void dependency(const char *what, NVVM::GridDepActionKind kind) {
  OpBuilder &b = hopperBuilder(what);
  NVVM::GriddepcontrolOp::create(b, b.getUnknownLoc(),
                                 NVVM::GridDepActionKindAttr::get(b.getContext(), kind));
}

void waitForPrevious(SourceLoc at) {
  AtSourceLoc placed(at);

  dependency("waiting for the previous kernel", NVVM::GridDepActionKind::wait);
}
void launchDependents(SourceLoc at) {
  AtSourceLoc placed(at);

  dependency("launching dependents", NVVM::GridDepActionKind::launch_dependents);
}

} // namespace fairlead::dsl
