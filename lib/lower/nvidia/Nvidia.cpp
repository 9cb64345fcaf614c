/// The CUDA target: kernels become PTX; the host program launches them through the runtime.
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

#include "check/compile/Checks.h"
#include "dsl/trace/Builder.h"
#include "ir/Attributes.h"
#include "lower/Lowering.h"
#include "lower/common/Passes.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/MachineCode.h"
#include "lower/nvidia/ops/AtomOps.h"
#include "lower/nvidia/ptx/Ptx.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

void fillDevicePipeline(OpPassManager &pm) {
  pm.addPass(createTripCountsPass());
  pm.addPass(createDirectOpsPass());
  pm.addPass(createBranchesPass());
  pm.addPass(createConvertGpuOpsToNVVMOps());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// Gives branches the unroll hints of their loops, which MLIR's passes leave behind in an attribute
/// that the translation to LLVM IR does not read.
void keepUnrollHints(gpu::GPUModuleOp device) {
  device.walk([](LLVM::BrOp branch) {
    auto hint = branch->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
    if (hint && hint.getUnroll())
      branch.setLoopAnnotationAttr(LLVM::LoopAnnotationAttr::get(branch.getContext(), {}, {}, {},
                                                                 hint.getUnroll(), {}, {}, {}, {},
                                                                 {}, {}, {}, {}, {}, {}, {}));
  });
}

/// Parameters of kernels that are tensor maps, by the kernels' names.
using TensorMapParameters = llvm::StringMap<SmallVector<unsigned>>;

TensorMapParameters tensorMapParameters(gpu::GPUModuleOp device) {
  TensorMapParameters parameters;
  for (auto kernel : device.getOps<gpu::GPUFuncOp>())
    for (unsigned index = 0; index < kernel.getNumArguments(); ++index)
      if (kernel.getArgAttr(index, ir::kTensorMapParameter)) {
        parameters[kernel.getName()].push_back(index);
        kernel.removeArgAttr(index, ir::kTensorMapParameter);
      }
  return parameters;
}

/// Passes tensor maps by value as 128 bytes, which the kernel reads in its parameter memory.
void passTensorMaps(gpu::GPUModuleOp device, const TensorMapParameters &maps) {
  constexpr int kWords = 16, kAlignment = 64;
  Builder b(device.getContext());
  for (auto kernel : device.getOps<LLVM::LLVMFuncOp>())
    for (unsigned index : maps.lookup(kernel.getName())) {
      kernel.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), kWords)));
      kernel.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(kAlignment));
      kernel.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    }
}

/// Requires the block sizes that are known, in place of allowing up to as many threads: ptxas then
/// knows which threads make up a warp, and keeps what they have in common in uniform registers.
void requireBlockSizes(gpu::GPUModuleOp device) {
  for (auto kernel : device.getOps<gpu::GPUFuncOp>())
    if (DenseI32ArrayAttr size = kernel.getKnownBlockSizeAttr())
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
}

/// Tells ptxas how many blocks share a multiprocessor: otherwise it does not know with how many
/// registers kernels begin, and ignores changes of that number. On Blackwell it may ignore them for
/// blocks of up to nine warps. Each thread can have 224 registers then, and gets as many as it
/// uses.
void boundRegisters(gpu::GPUModuleOp device, const Target &target) {
  constexpr int kBlackwell = 100, kMostThreads = 288;
  const StringRef blocks = NVVM::NVVMDialect::getMinctasmAttrName();
  device.walk([&](NVVM::SetMaxRegisterOp op) {
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    DenseI32ArrayAttr size = kernel.getKnownBlockSizeAttr();
    const bool isSmall =
        size && size[0] * size[1] * size[2] <= kMostThreads && target.capability() >= kBlackwell;
    if (!isSmall && !kernel->hasAttr(blocks))
      kernel->setAttr(blocks, Builder(op).getI32IntegerAttr(1));
  });
}

void dropMostThreads(gpu::GPUModuleOp device) {
  for (auto kernel : device.getOps<LLVM::LLVMFuncOp>())
    if (kernel->hasAttr(NVVM::NVVMDialect::getReqntidAttrName()))
      kernel->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName());
}

/// Returns DeviceCode::sharedBytes of a kernel.
int64_t sharedBytesOf(ModuleOp module, StringRef kernel) {
  int64_t most = 0;
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (launch.getKernelName().getValue() != kernel || !launch.getDynamicSharedMemorySize())
      return;
    APInt bytes;
    if (most >= 0)
      most = matchPattern(launch.getDynamicSharedMemorySize(), m_ConstantInt(&bytes))
                 ? std::max(most, bytes.getSExtValue())
                 : -1;
  });
  return most;
}

class CudaLowering : public TargetLowering {
public:
  Lowered lower(dsl::Program &program, const CompileOptions &options,
                PhaseTimer &timer) const override {
    ModuleOp module = *program.impl().module;
    verifyTraced(module);
    dropCoverage(module);
    lowerTimelineForCuda(module);
    check::addCudaChecks(module);
    annotateBlockSizes(module);
    if (options.fuseMultiplyAdds)
      fuseMultiplyAdds(program.impl().device);
    Kept<Lowered> made;
    Lowered &lowered = *made;
    lowered.context = makeContext();

    gpu::GPUModuleOp device = program.impl().device;
    for (auto kernel : device.getOps<gpu::GPUFuncOp>()) {
      lowered.device.kernels.push_back(kernel.getName().str());
      lowered.device.sharedBytes.push_back(sharedBytesOf(module, kernel.getName()));
    }
    Kept<std::unique_ptr<llvm::Module>> keptModule;
    std::unique_ptr<llvm::Module> &deviceModule = *keptModule;
    // Launches name their kernel by position: they are lowered while the kernels are still there.
    runPasses(
        module,
        [&](OpPassManager &pm) { pm.addPass(createLowerLaunchesPass(options.target.info())); },
        "lowering of launches");
    int leastPtx = 0;
    if (!lowered.device.kernels.empty()) {
      constexpr int kFirstWithCalls = 120;
      if (options.target.capability() >= kFirstWithCalls)
        device->setAttr(kLoadsIntoOwnBlock, UnitAttr::get(device.getContext()));
      if (options.target.gpu()->name.ends_with('f'))
        device->setAttr(kForFamily, UnitAttr::get(device.getContext()));
      leastPtx = lowerAtomOps(device);
      useFastInstructions(device);
      keepMathOfConstants(device);
      auto maps = tensorMapParameters(device);
      requireBlockSizes(device);
      boundRegisters(device, options.target);
      runPasses(device, fillDevicePipeline, "lowering for CUDA");
      keepUnrollHints(device);
      dropMostThreads(device);
      passTensorMaps(device, maps);
      if (options.lineInfo)
        addLineInfo(device, LineTableForm::Directives);
      // Without it, integers of 64 bits would be taken for aligned to 32, and loaded by halves.
      device->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                      StringAttr::get(device.getContext(), "e-i64:64"));
      deviceModule = translate(device, *lowered.context, "fairlead");
    }
    device.erase();
    runPasses(module, [](OpPassManager &pm) { addHostToLLVM(pm); }, "lowering of the host program");
    lowered.module = translate(module, *lowered.context, "fairlead");
    timer.lap("lower");
    if (deviceModule)
      lowered.device.ptx = emitPtx(*deviceModule, options.target, options.optLevel, leastPtx);
    timer.lap("ptx");
    return std::move(lowered);
  }

  void optimize(Lowered &lowered, const CompileOptions &options) const override {
    // The host side of a launch is straight-line code: levels above the simplest one gain little.
    optimizeForHost(*lowered.module, std::min(options.optLevel, 1),
                    HostMachine::of(options.host, options.target));
  }
};

} // namespace

const TargetLowering &cudaLowering() {
  static const CudaLowering *lowering = new CudaLowering;
  return *lowering;
}

} // namespace fairlead::lower
