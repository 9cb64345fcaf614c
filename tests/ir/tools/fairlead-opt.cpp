/// mlir-opt with Fairlead's dialect and passes, for the tests of operations and passes. The steps
/// of the pipelines that are functions are passes here.
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "check/compile/CheckBuilder.h"
#include "check/compile/Checks.h"
#include "dsl/trace/Dialects.h"
#include "lower/common/Passes.h"
#include "lower/cpu/CpuPasses.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/memory/OwnMemory.h"
#include "lower/nvidia/ops/AtomOps.h"

using namespace fairlead;
using mlir::ModuleOp;
using mlir::gpu::GPUFuncOp;
using mlir::gpu::GPUModuleOp;

namespace {

using Step = std::function<void(ModuleOp)>;

/// A step on a module. The message of an exception becomes an error of the module.
class StepPass : public mlir::PassWrapper<StepPass, mlir::OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepPass)
  StepPass(const char *name, const char *description, Step step)
      : name(name), description(description), step(std::move(step)) {}

  llvm::StringRef getArgument() const final { return name; }
  llvm::StringRef getDescription() const final { return description; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    dsl::dialectRegistry().appendTo(registry);
    lower::registerCollectiveModels(registry);
  }
  void runOnOperation() final {
    try {
      step(getOperation());
    } catch (const std::exception &error) {
      getOperation().emitError(error.what());
      signalPassFailure();
    }
  }

private:
  const char *name, *description;
  Step step;
};

void add(const char *name, const char *description, Step step) {
  mlir::registerPass([=] { return std::make_unique<StepPass>(name, description, step); });
}

/// Return a step on the device module of a program, which must not be added to meanwhile.
template <typename Function> Step onDevice(Function function) {
  return [=](ModuleOp module) {
    for (GPUModuleOp device : llvm::to_vector(module.getOps<GPUModuleOp>()))
      function(device);
  };
}

template <typename Function> Step onKernels(Function function) {
  return onDevice([=](GPUModuleOp device) {
    for (auto kernel : device.getOps<GPUFuncOp>())
      function(kernel);
  });
}

ModuleOp programOf(GPUFuncOp kernel) { return kernel->getParentOfType<ModuleOp>(); }

void addPasses() {
  mlir::registerPass([] { return lower::createAssertCallsPass(); });
  mlir::registerPass([] { return lower::createBlockFunctionsPass(); });
  mlir::registerPass([] { return lower::createBranchesPass(); });
  mlir::registerPass([] { return lower::createDirectOpsPass(); });
  for (const TargetInfo &target : targetInfos())
    mlir::registerPass([&target] { return lower::createLowerLaunchesPass(target); });
  mlir::registerPass([] { return lower::createMathCallsPass(); });
  mlir::registerPass([] { return lower::createPrintCallsPass(); });
  mlir::registerPass([] { return lower::createTripCountsPass(); });
}

void addSteps() {
  add("fairlead-block-sizes", "Write on kernels the block extents of their launches",
      lower::annotateBlockSizes);
  add("fairlead-multiply-adds", "Fuse products and sums of kernels",
      onDevice(lower::fuseMultiplyAdds));
  add("fairlead-keep-math-of-constants", "Hide constants from mathematical functions",
      onDevice(lower::keepMathOfConstants));
  add("fairlead-saturate-conversions", "Saturate conversions of floats to integers",
      lower::saturateConversions);
  add("fairlead-bound-conversions-to-half", "Bound integers that become halves",
      lower::boundConversionsToHalf);
  add("fairlead-coverage", "Coverage to calls of the runtime", lower::lowerCoverage);
  add("fairlead-drop-coverage", "Remove coverage", lower::dropCoverage);
  add("fairlead-timeline-cpu", "Events of timelines to calls of the runtime",
      lower::lowerTimelineForCpu);
  add("fairlead-timeline-cuda", "Events of timelines to code that writes a buffer on the GPU",
      lower::lowerTimelineForCuda);
  add("fairlead-drop-branch-notes", "Remove what checks note of branches",
      onKernels(check::dropBranchNotes));
  add("fairlead-line-info-cpu", "Add debug information of lines as DWARF",
      [](ModuleOp module) { lower::addLineInfo(module, lower::LineTableForm::Dwarf); });
  add("fairlead-line-info-cuda", "Add debug information of lines as directives",
      [](ModuleOp module) { lower::addLineInfo(module, lower::LineTableForm::Directives); });
}

void addCpuSteps() {
  add("fairlead-cpu-forms", "Refuse operations that only GPUs have",
      onDevice(lower::checkCpuForms));
  add("fairlead-end-threads", "Let threads that exit skip the rest of their kernel",
      onDevice(lower::endThreads));
  add("fairlead-checks-cpu", "Add calls of the runtime of checks",
      [](ModuleOp module) { check::addChecks(module, lower::addModelChecks); });
  add("fairlead-rewrite-collectives", "Rewrite operations by the models for the CPU",
      onKernels(lower::rewriteCollectives));
  add("fairlead-align-branches", "Vote on conditions around operations of a whole warp",
      onKernels(lower::alignBranches));
  add("fairlead-pack-sums", "Make vectors of a thread's multiply-adds", onKernels(lower::packSums));
  add("fairlead-rotate-barrier-loops", "Begin and end the rounds of loops at their barrier",
      onKernels(lower::rotateBarrierLoops));
  add("fairlead-suspend-spin-loops", "Let other threads run in loops that wait for memory",
      onDevice(lower::suspendSpinLoops));
  add("fairlead-forward-own-memory", "Give reads of private memory what was written",
      onKernels(lower::forwardOwnMemory));
  add("fairlead-split-own-memory", "Divide private memory into pieces",
      onKernels(lower::splitOwnMemory));
  add("fairlead-split-loops", "Mark loops that are turned inside out",
      onKernels(lower::markSplitLoops));
  add("fairlead-fission", "Add block functions with loops over threads, if kernels allow it",
      onKernels(
          [](GPUFuncOp kernel) { lower::buildFissionedFunction(kernel, programOf(kernel)); }));
  add("fairlead-thread-functions", "Add functions of threads that can be suspended",
      onKernels([](GPUFuncOp kernel) { lower::buildThreadFunction(kernel, programOf(kernel)); }));
}

void addCudaSteps() {
  add("fairlead-checks-cuda", "Stop kernels at accesses out of bounds", check::addCudaChecks);
  add("fairlead-atom-ops", "Lower the dialect for NVIDIA GPUs", onDevice(lower::lowerAtomOps));
  add("fairlead-fast-math", "Use instructions of lower accuracy if that is allowed",
      onDevice(lower::useFastInstructions));
}

} // namespace

int main(int argc, char **argv) {
  addPasses();
  addSteps();
  addCpuSteps();
  addCudaSteps();
  mlir::DialectRegistry registry;
  dsl::dialectRegistry().appendTo(registry);
  lower::registerCollectiveModels(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Fairlead's passes\n", registry));
}
