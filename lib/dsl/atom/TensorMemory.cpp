#include "fairlead/dsl/atom/TensorMemory.h"

#include "dsl/atom/Need.h"
#include "dsl/atom/TensorInstructions.h"
#include "fairlead/GpuArch.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Create an operation with these arguments; `Op` names it in errors.
template <typename Op, typename... Arguments> Op createOp(Arguments &&...arguments) {
  OpBuilder &b = requireTensorMemory(instructionName<Op>()).builder;
  return Op::create(b, b.getUnknownLoc(), std::forward<Arguments>(arguments)...);
}

mlir::Value columnsOf(Program::Impl &impl, const Scalar &columns, const std::string &what) {
  std::optional<int64_t> number = columns.staticInt();
  if (number && (*number < 32 || *number > kTensorMemoryColumns || (*number & (*number - 1))))
    throw makeError(Diagnostic::TensorMemoryColumns,
                    {{"what", what}, {"got", std::to_string(*number)}});
  return emitAs(impl, columns, DType::Int32);
}

void requireSpace(const Pointer &pointer, AddressSpace space, const std::string &what) {
  if (pointer.space() != space)
    throw makeError(
        Diagnostic::TensorMemoryPointer,
        {{"memory", std::string(fairlead::nameOf(space))}, {"what", what}, {"got", pointer.str()}});
}

} // namespace

static ir::CtaGroup groupOf(bool ofPair) { return ofPair ? ir::CtaGroup::Two : ir::CtaGroup::One; }

Program::Impl &requireTensorMemory(const std::string &what) {
  Program::Impl &impl = kernelImpl(what);
  Program::current()->requireFeature(GpuFeature::TensorMemory, what);
  return impl;
}

void requireCapability103(const std::string &what, bool orLater) {
  constexpr int kCapability = 103;
  auto fits = [&](const GpuArch &arch) {
    const int capability = arch.capability();
    return arch.has(GpuFeature::TensorMemory) &&
           (orLater ? capability >= kCapability : capability == kCapability);
  };
  for (const Target &target : requireTensorMemory(what).targets) {
    const GpuArch *arch = target.gpu();
    if (!arch || fits(*arch))
      continue;
    std::string names;
    for (const GpuArch &other : gpuArchs())
      if (fits(other) && other.compiles())
        names += (names.empty() ? "sm_" : ", sm_") + std::string(other.name);
    throw makeError(Diagnostic::AtomFamily,
                    {{"what", what}, {"archs", names}, {"target", target.str()}});
  }
}

void allocateTensorMemory(const Pointer &place, const Scalar &columns, bool ofPair, SourceLoc at) {
  AtSourceLoc placed(at);
  const std::string name = instructionName<ir::TensorMemoryAllocOp>();
  Program::Impl &impl = requireTensorMemory(name);
  requireSpace(place, AddressSpace::Shared, "what " + name + " writes");
  mlir::Value target = emitPointer(impl, place);
  createOp<ir::TensorMemoryAllocOp>(target, columnsOf(impl, columns, name), groupOf(ofPair));
}

void freeTensorMemory(const Pointer &memory, const Scalar &columns, bool ofPair, SourceLoc at) {
  AtSourceLoc placed(at);
  const std::string name = instructionName<ir::TensorMemoryDeallocOp>();
  Program::Impl &impl = requireTensorMemory(name);
  requireSpace(memory, AddressSpace::Tensor, name);
  mlir::Value address = emitPointer(impl, memory);
  createOp<ir::TensorMemoryDeallocOp>(address, columnsOf(impl, columns, name), groupOf(ofPair));
}

void relinquishTensorMemory(bool ofPair, SourceLoc at) {
  AtSourceLoc placed(at);
  createOp<ir::TensorMemoryRelinquishOp>(groupOf(ofPair));
}

void commitTensorProducts(const Pointer &barrier, const std::optional<Scalar> &mask, bool byOne,
                          bool ofPair, SourceLoc at) {
  AtSourceLoc placed(at);
  const std::string name = instructionName<ir::TensorMemoryCommitOp>();
  Program::Impl &impl = requireTensorMemory(name);
  requireSpace(barrier, AddressSpace::Shared, "the mbarrier of " + name);
  mlir::Value address = emitPointer(impl, barrier);
  mlir::Value blocks = mask ? emitAs(impl, *mask, DType::Int16) : mlir::Value();
  auto commit = createOp<ir::TensorMemoryCommitOp>(address, blocks, groupOf(ofPair));
  if (!byOne)
    commit->setAttr(ir::kChosenThreadAttribute, impl.builder.getUnitAttr());
}

void waitTensorLoads(SourceLoc at) {
  AtSourceLoc placed(at);
  createOp<ir::TensorMemoryWaitOp>(ir::TensorMemoryAccess::Loads);
}
void waitTensorStores(SourceLoc at) {
  AtSourceLoc placed(at);
  createOp<ir::TensorMemoryWaitOp>(ir::TensorMemoryAccess::Stores);
}
void fenceTensorBefore(SourceLoc at) {
  AtSourceLoc placed(at);
  createOp<ir::TensorMemoryFenceOp>(ir::FenceSide::Before);
}
void fenceTensorAfter(SourceLoc at) {
  AtSourceLoc placed(at);
  createOp<ir::TensorMemoryFenceOp>(ir::FenceSide::After);
}

} // namespace fairlead::dsl
