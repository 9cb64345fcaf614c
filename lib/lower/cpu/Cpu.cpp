/// The CPU target: kernels become block functions in the LLVM module of the host program.
#include "mlir/Pass/PassManager.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

#include "check/compile/Checks.h"
#include "check/compile/DryRun.h"
#include "check/compile/Uninitialised.h"
#include "dsl/trace/Builder.h"
#include "lower/Lowering.h"
#include "lower/common/Passes.h"
#include "lower/cpu/CpuPasses.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/threads/Coroutines.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/HostPasses.h"
#include "lower/machine/MachineCode.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Makes LLVM spend little time on functions that take little of a program's: dry runs and copies
/// with guards, and host functions without loops, which only launch kernels.
void compileQuickly(llvm::Module &module) {
  for (llvm::Function &function : module) {
    const bool isHost = function.getName() == dsl::kHostSymbol;
    if (!isHost && !function.getName().ends_with(check::kDryRunSuffix) &&
        !function.getName().ends_with(check::kGuardedSuffix))
      continue;
    llvm::SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>> backEdges;
    if (isHost)
      llvm::FindFunctionBackedges(function, backEdges);
    if (!backEdges.empty())
      continue;
    if (!isHost) {
      llvm::stripDebugInfo(function); // a debugger stops at a line of the kernel itself
      function.addFnAttr(kLaterAttribute);
    }
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
}

/// Kernels that keep a tile of a product in registers use the widest vectors. LLVM prefers 256 bits
/// on most processors that have 512, as loops of few steps gain nothing.
void preferWideVectors(llvm::Module &module) {
  constexpr ptrdiff_t kManyMultiplyAdds = 64; // of one basic block
  const auto isMultiplyAdd = [](const llvm::Instruction &instruction) {
    const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getIntrinsicID() == llvm::Intrinsic::fma ||
                      callee->getIntrinsicID() == llvm::Intrinsic::fmuladd ||
                      callee->getName().starts_with(kDotPairsPrefix));
  };
  for (llvm::Function &function : module)
    if (llvm::any_of(function, [&](const llvm::BasicBlock &block) {
          return llvm::count_if(block, isMultiplyAdd) >= kManyMultiplyAdds;
        }))
      function.addFnAttr("prefer-vector-width", "512");
}

class CpuLowering : public TargetLowering {
public:
  Lowered lower(dsl::Program &program, const CompileOptions &options,
                PhaseTimer &timer) const override {
    verifyTraced(*program.impl().module);
    loadCollectiveModels(*program.impl().context);
    endThreads(program.impl().device);
    checkCpuForms(program.impl().device);
    suspendSpinLoops(program.impl().device);
    ModuleOp module = *program.impl().module;
    lowerCoverage(module);
    lowerTimelineForCpu(module);
    annotateBlockSizes(module);
    if (options.fuseMultiplyAdds)
      fuseMultiplyAdds(program.impl().device);
    check::addChecks(module, addModelChecks);
    runPasses(
        module,
        [&](OpPassManager &pm) {
          pm.addPass(createLowerLaunchesPass(options.target.info()));
          pm.addPass(createBlockFunctionsPass());
          addHostToLLVM(pm);
        },
        "lowering for the CPU");
    Kept<Lowered> made;
    Lowered &lowered = *made;
    lowered.context = makeContext();
    if (options.lineInfo)
      addLineInfo(module, LineTableForm::Dwarf);
    lowered.module = translate(module, *lowered.context, "fairlead");
    check::followUninitialised(*lowered.module, dsl::kHostSymbol);
    makeCoroutines(*lowered.module);
    compileQuickly(*lowered.module);
    preferWideVectors(*lowered.module);
    for (llvm::Function &function : *lowered.module)
      if (function.hasInternalLinkage())
        function.addFnAttr(kKernelAttribute);
    if (options.host.empty() && options.target.isForThisMachine()) {
      llvm::raw_string_ostream stream(lowered.unoptimised);
      llvm::WriteBitcodeToFile(*lowered.module, stream);
    }
    timer.lap("lower");
    return std::move(lowered);
  }

  void optimize(Lowered &lowered, const CompileOptions &options) const override {
    optimizeForHost(*lowered.module, options.optLevel,
                    HostMachine::of(options.host, options.target));
  }
};

} // namespace

const TargetLowering &cpuLowering() {
  static const CpuLowering *lowering = new CpuLowering;
  return *lowering;
}

} // namespace fairlead::lower
