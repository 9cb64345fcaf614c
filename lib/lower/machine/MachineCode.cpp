#include "lower/machine/MachineCode.h"

#include <map>
#include <mutex>
#include <vector>

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

#include "fairlead/Diagnostics.h"
#include "lower/cpu/threads/Coroutines.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/HostPasses.h"
#include "lower/machine/HugeCode.h"
#include "runtime/RuntimeFunctions.h"

namespace fairlead::lower {
namespace {

using llvm::TargetMachine;

/// LLVM's code generator for a triple.
const llvm::Target *findTarget(const HostMachine &host) {
  static std::once_flag x86, arm;
  std::lock_guard lock(targetListMutex);
  if (host.isX86())
    std::call_once(x86, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
    });
  else
    std::call_once(arm, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
    });
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(llvm::Triple(host.triple), error);
  if (!target)
    throw makeError(
        Diagnostic::CompileFailed,
        {{"stage", "code generation"}, {"message", "no code generator for " + host.triple}});
  return target;
}

/// Keeps target machines between compiles: they are expensive to create and serve one thread at a
/// time.
class MachinePool {
public:
  std::unique_ptr<TargetMachine> take(const HostMachine &host) {
    {
      std::lock_guard lock(mutex);
      std::vector<std::unique_ptr<TargetMachine>> &kept = machines[host.str()];
      if (!kept.empty()) {
        auto machine = std::move(kept.back());
        kept.pop_back();
        return machine;
      }
    }
    return std::unique_ptr<TargetMachine>(findTarget(host)->createTargetMachine(
        llvm::Triple(host.triple), host.cpu, host.features, llvm::TargetOptions(),
        llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Less, /*JIT=*/false));
  }
  void give(const HostMachine &host, std::unique_ptr<TargetMachine> machine) {
    std::lock_guard lock(mutex);
    machines[host.str()].push_back(std::move(machine));
  }

private:
  std::mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<TargetMachine>>> machines;
};

MachinePool &machinePool() {
  static MachinePool *pool = new MachinePool;
  return *pool;
}

/// Borrows a machine from the pool, and returns it unless it may be broken.
class Lease {
public:
  explicit Lease(const HostMachine &host) : host(host), machine(machinePool().take(host)) {}
  ~Lease() {
    if (numCrashes() != seen) {
      machine.release();
      return;
    }
    try {
      machinePool().give(host, std::move(machine));
    } catch (const std::bad_alloc &) { // the machine goes, and the next lease makes another one
    }
  }
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  TargetMachine &operator*() const { return *machine; }
  TargetMachine *operator->() const { return machine.get(); }

private:
  const HostMachine &host;
  std::unique_ptr<TargetMachine> machine;
  const unsigned seen = numCrashes();
};

/// Sets the machine of functions that do not name one.
void setMachine(llvm::Module &module, const HostMachine &host) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu")) {
      function.addFnAttr("target-cpu", host.cpu);
      function.addFnAttr("target-features", host.features);
    }
}

/// Expands arithmetic that machines and LLVM leave to libraries to instructions.
void expandArithmetic(llvm::Module &module, const TargetMachine &machine, bool isOptimised) {
  expandFloat16(module, machine);
  expandWideDivisions(module);
  expandDotPairs(module, machine, /*emitsInstructions=*/isOptimised);
}

bool hasCoroutines(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &f) { return f.isPresplitCoroutine(); });
}

llvm::OptimizationLevel level(int optLevel) {
  switch (optLevel) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

/// Runs LLVM's default pipeline of a level.
void runPipeline(llvm::Module &module, int optLevel, TargetMachine &machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cam;
  llvm::ModuleAnalysisManager mam;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel >= 2;
  tuning.SLPVectorization = optLevel >= 2;
  // Unroll only on the program's request: vector loops over a block's threads are short, and copies
  // of them cost compile time.
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation quick(/*DebugLogging=*/false); // of functions with `optnone`
  quick.registerCallbacks(callbacks);
  skipSlpOfLongBlocks(callbacks);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel level) {
        if (level == llvm::OptimizationLevel::O0)
          return; // it has this place, too
        passes.addPass(KeepHugeLoopsScalar());
        passes.addPass(BreakLongChains());
        passes.addPass(FreezeNarrowIndices());
      });
  if (isHuge(module))
    optLevel = std::min(optLevel, 1);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  const bool coroutines = hasCoroutines(module);
  auto keepMemory = [] { return llvm::createModuleToFunctionPassAdaptor(KeepLoopMemory()); };
  if (optLevel == 0) {
    llvm::ModulePassManager before;
    before.addPass(keepMemory());
    before.run(module, mam);
    builder.buildO0DefaultPipeline(level(0)).run(module, mam);
    return;
  }
  // Optimise each function separately: a program is one host function and kernels that call
  // nothing, so the interprocedural passes of the default pipeline would only cost time.
  auto phase = llvm::ThinOrFullLTOPhase::None;
  llvm::ModulePassManager passes;
  auto simplify = [&] {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(
        builder.buildFunctionSimplificationPipeline(level(optLevel), phase)));
  };
  if (coroutines)
    passes.addPass(llvm::CoroEarlyPass());
  simplify();
  if (coroutines) {
    passes.addPass(keepMemory());
    passes.addPass(
        llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/true)));
    passes.addPass(llvm::CoroCleanupPass());
    simplify();
  }
  passes.addPass(builder.buildModuleOptimizationPipeline(level(optLevel), phase));
  passes.run(module, mam);
}

} // namespace

static void prepare(llvm::Module &module, const HostMachine &host, const TargetMachine &machine) {
  module.setTargetTriple(llvm::Triple(host.triple));
  module.setDataLayout(machine.createDataLayout());
  setMachine(module, host);
  expandArithmetic(module, machine, /*isOptimised=*/false);
}

void optimizeForHost(llvm::Module &module, int optLevel, const HostMachine &host) {
  Lease lease(host);
  guarded(
      "optimisation",
      [&] {
        prepare(module, host, *lease);
        declareMathFunctions(module);
        runPipeline(module, optLevel, *lease);
        defineMathFunctions(module);
        setMachine(module, host);
      },
      [&](llvm::raw_ostream &stream) { module.print(stream, nullptr); });
}

/// Like TargetMachine::addPassesToEmitFile, with fewer passes for huge code. Returns true on
/// failure.
static bool addEmission(llvm::legacy::PassManager &passes, llvm::raw_pwrite_stream &stream,
                        TargetMachine &machine, llvm::CodeGenFileType type, bool huge) {
  if (!huge)
    return machine.addPassesToEmitFile(passes, stream, nullptr, type);
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->disablePass(&llvm::MachineSchedulerID);
  // After the last pass that joins blocks, whose address no header has.
  std::unique_ptr<llvm::Pass> prepare(llvm::createCodeGenPrepareLegacyPass());
  config->insertPass(prepare->getPassID(), createCutBlocksPass());
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses())
    return true;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext()))
    return true;
  passes.add(llvm::createFreeMachineFunctionPass());
  return false;
}

/// Selects fast code generation in a scope. Otherwise the code generator takes most of the compile
/// time of huge functions under `--check`, whose calls of the runtime all have the same operands.
class QuickEmission {
public:
  QuickEmission(llvm::Module &module, TargetMachine &machine) : machine(machine) {
    if (isHuge(module) && module.getFunction(runtime::FairleadCheckTensor.name))
      machine.setOptLevel(llvm::CodeGenOptLevel::None);
  }
  ~QuickEmission() {
    machine.setOptLevel(level);
    machine.setFastISel(false); // which making passes of that level sets
  }
  QuickEmission(const QuickEmission &) = delete;
  QuickEmission &operator=(const QuickEmission &) = delete;

private:
  TargetMachine &machine;
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
};

static std::string emitFile(llvm::Module &module, const HostMachine &host,
                            llvm::CodeGenFileType type) {
  constexpr char kStage[] = "code generation";
  Lease lease(host);
  llvm::SmallVector<char, 0> object;
  bool writes = true;
  guarded(
      kStage,
      [&] {
        setMachine(module, host);
        expandArithmetic(module, *lease, /*isOptimised=*/true);
        llvm::raw_svector_ostream stream(object);
        llvm::legacy::PassManager passes;
        QuickEmission quick(module, *lease);
        passes.add(new llvm::TargetLibraryInfoWrapperPass(llvm::Triple(host.triple)));
        writes = !addEmission(passes, stream, *lease, type, isHuge(module));
        if (writes)
          passes.run(module);
      },
      [&](llvm::raw_ostream &stream) { module.print(stream, nullptr); });
  if (!writes)
    throw makeError(Diagnostic::CompileFailed,
                    {{"stage", kStage}, {"message", "this target writes no objects"}});
  throwErrors(module.getContext(), kStage);
  return std::string(object.begin(), object.end());
}

std::string emitObject(llvm::Module &module, const HostMachine &host) {
  return emitFile(module, host, llvm::CodeGenFileType::ObjectFile);
}

std::string emitAssembly(llvm::Module &module, const HostMachine &host) {
  return emitFile(module, host, llvm::CodeGenFileType::AssemblyFile);
}

} // namespace fairlead::lower
