/// Runs Fairlead's passes on LLVM IR, and LLVM's own, for the tests of passes.
///
///     fairlead-llvm-opt FILE --passes=PIPELINE
///     fairlead-llvm-opt --print-passes
///
/// The pipeline is written as for LLVM's opt: `fairlead-pack-conversions,function(dce)`.
#include <iostream>

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include "check/compile/Uninitialised.h"
#include "dsl/trace/Builder.h"
#include "lower/cpu/threads/Coroutines.h"
#include "lower/machine/HostPasses.h"
#include "lower/machine/HugeCode.h"
#include "lower/nvidia/ptx/Ptx.h"

using namespace fairlead;

namespace {

llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("FILE"));
llvm::cl::opt<std::string> pipeline("passes", llvm::cl::desc("passes, as for LLVM's opt"));
llvm::cl::opt<bool> printPasses("print-passes", llvm::cl::desc("print the names of our passes"));

/// Returns a machine of the module's triple, x86-64 without one; the attributes of functions name
/// their processors.
std::unique_ptr<llvm::TargetMachine> machineOf(const llvm::Module &module) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  std::string error;
  llvm::Triple triple = module.getTargetTriple();
  if (triple.empty())
    triple = llvm::Triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error(error);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), std::nullopt));
}

void expandFloat16(llvm::Module &module) { lower::expandFloat16(module, *machineOf(module)); }

void expandDotPairs(llvm::Module &module) {
  lower::expandDotPairs(module, *machineOf(module), /*emitsInstructions=*/true);
}

void cutBlocks(llvm::Module &module) {
  llvm::legacy::PassManager passes;
  passes.add(lower::createCutBlocksPass());
  passes.run(module);
}

struct ModuleStep {
  const char *name;
  void (*run)(llvm::Module &);
};

constexpr ModuleStep kModuleSteps[] = {
    {"fairlead-expand-float16", expandFloat16},
    {"fairlead-expand-dot-pairs", expandDotPairs},
    {"fairlead-expand-wide-divisions", lower::expandWideDivisions},
    {"fairlead-cut-blocks", cutBlocks},
    {"fairlead-declare-math", lower::declareMathFunctions},
    {"fairlead-define-math", lower::defineMathFunctions},
    {"fairlead-make-coroutines", [](llvm::Module &module) { lower::makeCoroutines(module); }},
    {"fairlead-follow-uninitialised",
     [](llvm::Module &module) { check::followUninitialised(module, dsl::kHostSymbol); }},
    {"fairlead-place-shadows", check::placeShadows},
    {"fairlead-keep-loops", lower::keepLoops},
    {"fairlead-link-libdevice", lower::linkLibdevice},
    {"fairlead-order-atomics", lower::orderAtomics},
    {"fairlead-carry-words", lower::carryWords},
    {"fairlead-add-to-sums-early", lower::addToSumsEarly},
    {"fairlead-chain-extremes", lower::chainExtremes},
    {"fairlead-unpack-sums-late", lower::unpackSumsLate},
    {"fairlead-compute-pairs", lower::computePairs},
    {"fairlead-compute-behind-loads", lower::computeBehindLoads},
    {"fairlead-compare-at-branches", lower::compareAtBranches},
    {"fairlead-narrow-shared-numbers", lower::narrowSharedNumbers},
    {"fairlead-pack-conversions",
     [](llvm::Module &module) {
       lower::packConversions(module, /*early=*/true, /*computes=*/true);
     }},
    {"fairlead-pack-narrow-arrays", lower::packNarrowArrays},
    {"fairlead-pack-stores", lower::packStores},
    {"fairlead-repeat-block-indices", lower::repeatBlockIndices},
    {"fairlead-repeat-shared-addresses", lower::repeatSharedAddresses},
    {"fairlead-share-descriptors", lower::shareDescriptors},
    {"fairlead-share-warp-indices",
     [](llvm::Module &module) { lower::shareWarpIndices(module, /*readsLanes=*/true); }},
    {"fairlead-split-shared-addresses", lower::splitSharedAddresses},
    {"fairlead-split-shared-words", lower::splitSharedWords},
    {"fairlead-sum-offsets", lower::sumOffsets},
    {"fairlead-split-kept-loads", lower::splitKeptLoads},
    {"fairlead-avoid-assembler-bugs", lower::avoidAssemblerBugs},
};

struct StepPass : llvm::PassInfoMixin<StepPass> {
  void (*step)(llvm::Module &);

  explicit StepPass(void (*step)(llvm::Module &)) : step(step) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    step(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

struct FunctionPass {
  const char *name;
  void (*add)(llvm::FunctionPassManager &);
};

template <typename Pass> void addPass(llvm::FunctionPassManager &passes) { passes.addPass(Pass()); }

constexpr FunctionPass kFunctionPasses[] = {
    {"fairlead-break-long-chains", addPass<lower::BreakLongChains>},
    {"fairlead-freeze-narrow-indices", addPass<lower::FreezeNarrowIndices>},
    {"fairlead-keep-huge-loops-scalar", addPass<lower::KeepHugeLoopsScalar>},
    {"fairlead-keep-loop-memory", addPass<lower::KeepLoopMemory>},
};

void addCallbacks(llvm::PassBuilder &builder) {
  using Elements = llvm::ArrayRef<llvm::PassBuilder::PipelineElement>;
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::ModulePassManager &passes, Elements) {
        for (const ModuleStep &step : kModuleSteps)
          if (name == step.name) {
            passes.addPass(StepPass(step.run));
            return true;
          }
        return false;
      });
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::FunctionPassManager &passes, Elements) {
        for (const FunctionPass &pass : kFunctionPasses)
          if (name == pass.name) {
            pass.add(passes);
            return true;
          }
        return false;
      });
}

void runPasses(llvm::Module &module) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassInstrumentationCallbacks callbacks; // as for the CPU
  lower::skipSlpOfLongBlocks(callbacks);
  llvm::PassBuilder builder(nullptr, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  addCallbacks(builder);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    throw std::runtime_error(llvm::toString(std::move(error)));
  passes.run(module, mam);
}

int run(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Fairlead's passes on LLVM IR\n");
  if (printPasses) {
    for (const ModuleStep &step : kModuleSteps)
      llvm::outs() << step.name << "\n";
    for (const FunctionPass &pass : kFunctionPasses)
      llvm::outs() << pass.name << "\n";
    return 0;
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(inputFile, diagnostic, context);
  if (!module) {
    diagnostic.print("fairlead-llvm-opt", llvm::errs());
    return 1;
  }
  runPasses(*module);
  module->print(llvm::outs(), nullptr);
  if (llvm::verifyModule(*module, &llvm::errs()))
    throw std::runtime_error("the passes left an invalid module");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::cerr << "fairlead-llvm-opt: " << error.what() << "\n";
    return 1;
  }
}
