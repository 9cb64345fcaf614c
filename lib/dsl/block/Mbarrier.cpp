#include "fairlead/dsl/Mbarrier.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/Need.h"
#include "dsl/trace/EmitOp.h"
#include "dsl/verify/Verify.h"
#include "ir/Analysis/MemoryRoot.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

mlir::Value asInt(const Scalar &number) {
  return emitAs(kernelImpl("an mbarrier"), number, DType::Int32);
}

/// Throws if the address is a constant number of bytes from the block's memory, and no multiple
/// of 8.
void requireAlignment(mlir::Value address, const Pointer &barrier) {
  constexpr int64_t kBytes = 8;
  int64_t offset = 0;
  while (Operation *op = address.getDefiningOp()) {
    const std::optional<int64_t> step = ir::addressStep(op);
    if (!step)
      return;
    if (isa<LLVM::AddressOfOp>(op)) {
      if (offset % kBytes)
        throw makeError(Diagnostic::MbarrierAddress,
                        {{"got", barrier.str() + " at byte " + std::to_string(offset) +
                                     " of the block's memory, no multiple of 8"}});
      return;
    }
    offset += *step;
    address = ir::addressSource(op);
    if (!address)
      return;
  }
}

mlir::Value addressOf(const Pointer &barrier) {
  Program::Impl &impl = kernelImpl("an mbarrier");
  if (barrier.space() != AddressSpace::Shared)
    throw makeError(Diagnostic::MbarrierAddress, {{"got", barrier.str()}});
  mlir::Value address = known(impl, barrier.handle());
  requireAlignment(address, barrier);
  return address;
}

/// Returns the builder for an instruction that orders others. `what` names it in errors.
OpBuilder &orderBuilder(const char *what) {
  OpBuilder &b = kernelImpl(what).builder;
  Program::current()->requireFeature(GpuFeature::Mbarrier, what);
  return b;
}

/// Creates an operation of an mbarrier.
template <typename Op, typename... Arguments> Op emitBarrierOp(Arguments &&...arguments) {
  return emitOp<Op>(kernelImpl("an mbarrier"), "an mbarrier",
                    std::forward<Arguments>(arguments)...);
}

mlir::Value blockOf(const std::optional<Scalar> &block) {
  return block ? asInt(*block) : mlir::Value();
}

void emitArrive(const Pointer &barrier, const Scalar &count, const std::optional<Scalar> &block,
                bool afterReading) {
  mlir::Value address = addressOf(barrier), number = asInt(count), rank = blockOf(block);
  emitBarrierOp<ir::MbarrierArriveOp>(address, number, rank, afterReading);
}

Scalar emitTest(const Pointer &barrier, const Scalar &parity, bool maySuspend) {
  mlir::Value address = addressOf(barrier), number = asInt(parity);
  mlir::Type flag = kernelImpl("an mbarrier").builder.getI1Type();
  return wrap(DType::Boolean, emitBarrierOp<ir::MbarrierTestOp>(flag, address, number, maySuspend));
}

} // namespace

void initMbarrier(const Pointer &barrier, const Scalar &arrivals, SourceLoc at) {
  AtSourceLoc placed(at);
  mlir::Value address = addressOf(barrier), number = asInt(arrivals);
  emitBarrierOp<ir::MbarrierInitOp>(address, number);
}
void fenceMbarriers(SourceLoc at) {
  AtSourceLoc placed(at);
  OpBuilder &b = orderBuilder("a fence of mbarriers");
  NVVM::FenceMbarrierInitOp::create(b, b.getUnknownLoc());
}
void arrive(const Pointer &barrier, const Scalar &count, const std::optional<Scalar> &block,
            SourceLoc at) {
  AtSourceLoc placed(at);
  emitArrive(barrier, count, block, /*afterReading=*/false);
}
void arriveAfterReading(const Pointer &barrier, const std::optional<Scalar> &block, SourceLoc at) {
  AtSourceLoc placed(at);
  emitArrive(barrier, 1, block, /*afterReading=*/true);
}
void arriveExpecting(const Pointer &barrier, const Scalar &bytes,
                     const std::optional<Scalar> &block, SourceLoc at) {
  AtSourceLoc placed(at);
  mlir::Value address = addressOf(barrier), number = asInt(bytes), rank = blockOf(block);
  emitBarrierOp<ir::MbarrierArriveExpectOp>(address, number, rank);
}
void expectBytes(const Pointer &barrier, const Scalar &bytes, const std::optional<Scalar> &block,
                 SourceLoc at) {
  AtSourceLoc placed(at);
  mlir::Value address = addressOf(barrier), number = asInt(bytes), rank = blockOf(block);
  emitBarrierOp<ir::MbarrierExpectOp>(address, number, rank);
}
void storeAsync(const Pointer &target, const Scalar &value, const Pointer &barrier,
                const std::optional<Scalar> &block, SourceLoc at) {
  AtSourceLoc placed(at);

  Program::Impl &impl = kernelImpl("a store to another block");
  if (target.space() != AddressSpace::Shared)
    throw makeError(Diagnostic::RemoteStoreAddress, {{"got", target.str()}});
  const int bits = bitWidth(value.dtype());
  if (bits != 32 && bits != 64)
    throw makeError(Diagnostic::RemoteStoreWidth, {{"got", std::string(dtypeName(value.dtype()))}});
  mlir::Value address = addressOf(barrier), rank = blockOf(block);
  emitBarrierOp<ir::StoreAsyncOp>(known(impl, value.handle()), known(impl, target.handle()),
                                  address, rank);
}
void arriveAfterCopies(const Pointer &barrier, SourceLoc at) {
  AtSourceLoc placed(at);
  mlir::Value address = addressOf(barrier);
  emitBarrierOp<ir::MbarrierArriveAfterCopiesOp>(address);
}
void waitMbarrier(const Pointer &barrier, const Scalar &parity, SourceLoc at) {
  AtSourceLoc placed(at);
  mlir::Value address = addressOf(barrier), number = asInt(parity);
  emitBarrierOp<ir::MbarrierWaitOp>(address, number);
}
Scalar tryWait(const Pointer &barrier, const Scalar &parity, SourceLoc at) {
  AtSourceLoc placed(at);
  return emitTest(barrier, parity, /*maySuspend=*/true);
}
Scalar testWait(const Pointer &barrier, const Scalar &parity, SourceLoc at) {
  AtSourceLoc placed(at);
  return emitTest(barrier, parity, /*maySuspend=*/false);
}

void fenceProxy(const std::string &kind, const std::string &space, SourceLoc at) {
  AtSourceLoc placed(at);

  constexpr std::pair<StringLiteral, NVVM::ProxyKind> kKinds[] = {
      {"alias", NVVM::ProxyKind::alias},
      {"async", NVVM::ProxyKind::async},
      {"async.global", NVVM::ProxyKind::async_global},
      {"async.shared", NVVM::ProxyKind::async_shared}};
  const auto *row =
      llvm::find_if(kKinds, [&](const auto &candidate) { return candidate.first == kind; });
  if (row == std::end(kKinds) || !(space.empty() || space == "cta" || space == "cluster"))
    throw makeError(Diagnostic::FenceProxy, {{"got", kind + ", " + space}});
  OpBuilder &b = orderBuilder("a fence");
  NVVM::SharedSpaceAttr where;
  if (row->second == NVVM::ProxyKind::async_shared)
    where = NVVM::SharedSpaceAttr::get(b.getContext(), space == "cluster"
                                                           ? NVVM::SharedSpace::shared_cluster
                                                           : NVVM::SharedSpace::shared_cta);
  NVVM::FenceProxyOp::create(b, b.getUnknownLoc(), row->second, where);
}

void fenceCluster(SourceLoc at) {
  AtSourceLoc placed(at);
  emitOp<ir::ClusterFenceOp>(kernelImpl("a fence"), "a fence");
}

void barrierArrive(const Scalar &id, const Scalar &threads, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = kernelImpl("a barrier");
  OpBuilder &b = impl.builder;
  mlir::Value number = emitAs(impl, id, DType::Int32);
  requireBarrierNumber(number);
  NVVM::BarrierArriveOp::create(b, b.getUnknownLoc(), number, emitAs(impl, threads, DType::Int32));
}

void setRegisters(int count, bool increase, SourceLoc at) {
  AtSourceLoc placed(at);

  constexpr int kLeast = 24, kMost = 256, kStep = 8;
  if (count < kLeast || count > kMost || count % kStep)
    throw makeError(Diagnostic::RegisterCount, {{"got", std::to_string(count)}});
  Program::Impl &impl = kernelImpl("the number of registers");
  Program::current()->requireFeature(GpuFeature::RegisterCount, "the number of registers");
  NVVM::SetMaxRegisterOp::create(impl.builder, impl.builder.getUnknownLoc(), count,
                                 increase ? NVVM::SetMaxRegisterAction::increase
                                          : NVVM::SetMaxRegisterAction::decrease);
}

} // namespace fairlead::dsl
