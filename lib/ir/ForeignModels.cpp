#include "ir/ForeignModels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/InlinePtx.h"
#include "ir/Interfaces.h"

using namespace mlir;

namespace fairlead::ir {
namespace {

//===--- requirements --------------------------------------------------------------------------===

struct InlineRequirements final
    : TargetRequirements::ExternalModel<InlineRequirements, LLVM::InlineAsmOp> {
  std::optional<GpuFeature> getRequiredFeature(Operation *) const { return std::nullopt; }
  int getLeastPtx(Operation *op) const {
    return leastPtxOf(cast<LLVM::InlineAsmOp>(op).getAsmString());
  }
};

template <typename Op, GpuFeature kFeature, int kPtx>
struct Requirements final
    : TargetRequirements::ExternalModel<Requirements<Op, kFeature, kPtx>, Op> {
  std::optional<GpuFeature> getRequiredFeature(Operation *) const { return kFeature; }
  int getLeastPtx(Operation *) const { return kPtx; }
};

void attachRequirements(MLIRContext &context) {
  LLVM::InlineAsmOp::attachInterface<InlineRequirements>(context);
  NVVM::FenceProxyReleaseOp::attachInterface<
      Requirements<NVVM::FenceProxyReleaseOp, GpuFeature::Mbarrier, 83>>(context);
}

//===--- memory --------------------------------------------------------------------------------===

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// An address in another block's memory is computed like any other.
struct MapToBlockEffects final
    : MemoryEffectOpInterface::ExternalModel<MapToBlockEffects, NVVM::MapaOp> {
  void getEffects(Operation *, Effects &) const {}
};

struct ElementCopyEffects final
    : MemoryEffectOpInterface::ExternalModel<ElementCopyEffects, NVVM::CpAsyncOp> {
  void getEffects(Operation *op, Effects &effects) const {
    auto copy = cast<NVVM::CpAsyncOp>(op);
    effects.emplace_back(MemoryEffects::Write::get(), &copy.getDstMutable());
    effects.emplace_back(MemoryEffects::Read::get(), &copy.getSrcMutable());
  }
};

struct ElementCopy final : AsyncOp::ExternalModel<ElementCopy, NVVM::CpAsyncOp> {
  Engine getEngine(Operation *) const { return Engine::ElementCopies; }
  Value getCompletionBarrier(Operation *) const { return {}; }
  Value getCopySource(Operation *op) const { return cast<NVVM::CpAsyncOp>(op).getSrc(); }
};

} // namespace

void attachForeignModels(MLIRContext &context) {
  attachRequirements(context);
  NVVM::MapaOp::attachInterface<MapToBlockEffects>(context);
  NVVM::CpAsyncOp::attachInterface<ElementCopyEffects, ElementCopy>(context);
}

} // namespace fairlead::ir
