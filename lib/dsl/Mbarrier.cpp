#include "fairlead/dsl/Mbarrier.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/BarrierCheck.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Order.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// The operation on the barrier, with numbers as Int32, and the block where there is one.
MbarrierOp emitBarrier(std::string what, const Pointer &barrier, const Scalars &numbers,
                       const std::optional<Scalar> &block = std::nullopt, TypeRange results = {}) {
  Program::Impl &impl = kernelImpl("an mbarrier");
  Program::current()->requireFeature(GpuFeature::Mbarrier, "an mbarrier");
  if (barrier.space() != AddressSpace::Shared)
    rejectUse("the address of an mbarrier in shared memory", barrier.str());
  SmallVector<mlir::Value> operands{known(impl, barrier.handle())};
  for (const Scalar &number : numbers)
    operands.push_back(emitAs(impl, number, DType::Int32));
  if (block) {
    what += "_remote";
    operands.push_back(emitAs(impl, *block, DType::Int32));
  }
  OpBuilder &b = impl.builder;
  return MbarrierOp::create(b, results, operands, b.getNamedAttr("what", b.getStringAttr(what)));
}

Scalar emitQuestion(const char *what, const Pointer &barrier, const Scalar &parity) {
  mlir::Type flag = kernelImpl("an mbarrier").builder.getI1Type();
  return wrap(DType::Boolean,
              emitBarrier(what, barrier, {parity}, std::nullopt, flag)->getResult(0));
}

} // namespace

void initMbarrier(const Pointer &barrier, const Scalar &arrivals, Place at) {
  AtPlace placed(at);
  emitBarrier("init", barrier, {arrivals});
}
void fenceMbarriers(Place at) {
  AtPlace placed(at);
  emitOrder("a fence of mbarriers", "fence.mbarrier_init.release.cluster;");
}
void arrive(const Pointer &barrier, const Scalar &count, const std::optional<Scalar> &block,
            Place at) {
  AtPlace placed(at);
  emitBarrier("arrive", barrier, {count}, block);
}
void arriveAfterReading(const Pointer &barrier, const std::optional<Scalar> &block, Place at) {
  AtPlace placed(at);
  emitBarrier("arrive_read", barrier, {1}, block);
}
void arriveExpecting(const Pointer &barrier, const Scalar &bytes,
                     const std::optional<Scalar> &block, Place at) {
  AtPlace placed(at);
  emitBarrier("arrive_expect", barrier, {bytes}, block);
}
void expectBytes(const Pointer &barrier, const Scalar &bytes, const std::optional<Scalar> &block,
                 Place at) {
  AtPlace placed(at);
  emitBarrier("expect", barrier, {bytes}, block);
}
void storeAsync(const Pointer &target, const Scalar &value, const Pointer &barrier,
                const Scalar &block, Place at) {
  AtPlace placed(at);

  Program::Impl &impl = kernelImpl("a store to another block");
  if (target.space() != AddressSpace::Shared)
    rejectUse("an address in shared memory for a store to another block", target.str());
  const int bits = bitWidth(value.dtype());
  if (bits != 32 && bits != 64)
    rejectUse("a number of 32 or 64 bits for a store to another block",
              std::string(dtypeName(value.dtype())));
  // The numbers of emitBarrier are Int32.
  auto op = emitBarrier("store", barrier, {}, block);
  op->insertOperands(1, {known(impl, value.handle()), known(impl, target.handle())});
}
void arriveAfterCopies(const Pointer &barrier, Place at) {
  AtPlace placed(at);
  emitBarrier("copies_arrive", barrier, {});
}
void waitMbarrier(const Pointer &barrier, const Scalar &parity, Place at) {
  AtPlace placed(at);
  emitBarrier("wait", barrier, {parity});
}
Scalar tryWait(const Pointer &barrier, const Scalar &parity, Place at) {
  AtPlace placed(at);
  return emitQuestion("try_wait", barrier, parity);
}
Scalar testWait(const Pointer &barrier, const Scalar &parity, Place at) {
  AtPlace placed(at);
  return emitQuestion("test_wait", barrier, parity);
}

void fenceProxy(const std::string &kind, const std::string &space, Place at) {
  AtPlace placed(at);

  constexpr const char *kKinds[] = {"alias",        "async",     "async.global",
                                    "async.shared", "tensormap", "generic"};
  bool known = llvm::is_contained(kKinds, kind);
  bool ofBlock = kind == "async.shared";
  if (!known || !(space.empty() || space == "cta" || space == "cluster"))
    rejectUse("alias, async, async.global, async.shared, tensormap or generic as the kind of "
              "fence_proxy, and cta, cluster or nothing as its space",
              kind + ", " + space);
  std::string where = ofBlock ? "::" + (space.empty() ? std::string("cta") : space) : "";
  emitOrder("a fence", "fence.proxy." + kind + where + ";");
}

void fenceCluster(Place at) {
  AtPlace placed(at);
  emitOrder("a fence", "fence.acq_rel.cluster;");
}

void barrierArrive(const Scalar &id, const Scalar &threads, Place at) {
  AtPlace placed(at);
  Program::Impl &impl = kernelImpl("a barrier");
  OpBuilder &b = impl.builder;
  mlir::Value number = emitAs(impl, id, DType::Int32);
  requireBarrierNumber(number);
  NVVM::BarrierArriveOp::create(b, b.getUnknownLoc(), number, emitAs(impl, threads, DType::Int32));
}

void setRegisters(int count, bool more, Place at) {
  AtPlace placed(at);

  constexpr int kLeast = 24, kMost = 256, kStep = 8;
  if (count < kLeast || count > kMost || count % kStep)
    rejectUse("24 to 256 registers, a multiple of 8, for setmaxregister", std::to_string(count));
  Program::Impl &impl = kernelImpl("the number of registers");
  // The assembler has to know with how many a kernel starts.
  const StringRef blocks = NVVM::NVVMDialect::getMinctasmAttrName();
  if (!impl.kernel->function->hasAttr(blocks))
    impl.kernel->function->setAttr(blocks, impl.builder.getI32IntegerAttr(1));
  emitOrder("the number of registers", std::string("setmaxnreg.") + (more ? "inc" : "dec") +
                                           ".sync.aligned.u32 " + std::to_string(count) + ";");
}

} // namespace fairlead::dsl
