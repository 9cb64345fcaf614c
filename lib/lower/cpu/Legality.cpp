#include "lower/cpu/Legality.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Diagnostics.h"
#include "lower/cpu/collective/CpuModel.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// True for the GPU operations that the CPU passes lower without a model.
bool isKnownGpuOp(Operation *op) {
  return isa<gpu::GPUFuncOp, gpu::ReturnOp, gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp,
             gpu::GridDimOp, gpu::ClusterDimBlocksOp, gpu::PrintfOp, NVVM::DynamicSmemSize>(op);
}

/// Returns the name of an operation that only GPUs have; empty for all others.
std::string gpuOnly(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return "its inline PTX `" + assembly.getAsmString().trim().str() + "`";
  if (auto modelled = dyn_cast<CpuOp>(op)) {
    if (modelled.cpuForm() != CpuForm::None)
      return {};
  } else if (auto intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    if (!intrinsic.getIntrin().starts_with("llvm.nvvm."))
      return {};
    return "its operation `" + intrinsic.getIntrin().str() + "`";
  } else if (isKnownGpuOp(op) || !(isa<NVVM::NVVMDialect, gpu::GPUDialect>(op->getDialect()) ||
                                   op->hasTrait<ir::UsesTensorMemory>())) {
    return {};
  }
  return "its operation `" + op->getName().getStringRef().str() + "`";
}

} // namespace

void checkCpuForms(gpu::GPUModuleOp kernels) {
  kernels.walk([](gpu::GPUFuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (std::string operation = gpuOnly(op); !operation.empty())
        throw makeError(Diagnostic::NoCpuForm,
                        {{"kernel", kernel.getName().str()}, {"operation", operation}});
    });
  });
}

} // namespace fairlead::lower
