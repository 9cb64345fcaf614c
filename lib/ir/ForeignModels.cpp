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

} // namespace

void attachForeignModels(MLIRContext &context) { attachRequirements(context); }

} // namespace fairlead::ir
