#include "lower/MachineCode.h"

#include <mutex>
#include <vector>

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

#include "fairlead/Diagnostics.h"
#include "lower/SoftBfloat.h"

namespace fairlead::lower {
namespace {

using llvm::TargetMachine;

/// This machine's triple, CPU and features, asked once.
struct HostDescription {
  llvm::Triple triple;
  std::string cpu, features;
  const llvm::Target *target = nullptr;

  HostDescription() : triple(llvm::sys::getProcessTriple()), cpu(llvm::sys::getHostCPUName()) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") +
                  feature.first().str();
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
  }
};

const HostDescription &hostDescription() {
  static const HostDescription *description = new HostDescription;
  return *description;
}

/// Target machines are costly to make and serve one thread at a time: kept here between compiles.
class MachinePool {
public:
  std::unique_ptr<TargetMachine> take() {
    {
      std::lock_guard lock(mutex);
      if (!machines.empty()) {
        auto machine = std::move(machines.back());
        machines.pop_back();
        return machine;
      }
    }
    const HostDescription &host = hostDescription();
    if (!host.target)
      throw makeError(Diagnostic::CompileFailed,
                      {{"stage", "code generation"},
                       {"message", "no code generator for " + host.triple.str()}});
    return std::unique_ptr<TargetMachine>(host.target->createTargetMachine(
        host.triple, host.cpu, host.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
        std::nullopt, llvm::CodeGenOptLevel::Less, /*JIT=*/false));
  }
  void give(std::unique_ptr<TargetMachine> machine) {
    std::lock_guard lock(mutex);
    machines.push_back(std::move(machine));
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<TargetMachine>> machines;
};

MachinePool &machinePool() {
  static MachinePool *pool = new MachinePool;
  return *pool;
}

struct Lease {
  std::unique_ptr<TargetMachine> machine = machinePool().take();
  ~Lease() { machinePool().give(std::move(machine)); }
};

llvm::TargetLibraryInfoImpl libraryInfo(const llvm::Triple &triple) {
  llvm::TargetLibraryInfoImpl info(triple);
  info.addVectorizableFunctionsFromVecLib(llvm::VectorLibrary::LIBMVEC, triple);
  return info;
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

} // namespace

void optimizeForHost(llvm::Module &module, int optLevel) {
  Lease lease;
  const HostDescription &host = hostDescription();
  module.setTargetTriple(host.triple);
  module.setDataLayout(lease.machine->createDataLayout());
  expandBfloat(module);
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", host.cpu);
      function.addFnAttr("target-features", host.features);
    }
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cam;
  llvm::ModuleAnalysisManager mam;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel >= 2;
  tuning.SLPVectorization = optLevel >= 2;
  // Only where the program asks: vector loops over a block's threads are short, and copies of them
  // cost compile time.
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(lease.machine.get(), tuning);
  fam.registerPass([&] { return llvm::TargetLibraryAnalysis(libraryInfo(host.triple)); });
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  const bool coroutines = hasCoroutines(module);
  if (optLevel == 0) {
    builder.buildO0DefaultPipeline(level(0)).run(module, mam);
    return;
  }
  // Each function by itself: a program is one host function and kernels that call nothing, so the
  // passes between functions of the default pipeline would only cost time.
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
    passes.addPass(
        llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/true)));
    passes.addPass(llvm::CoroCleanupPass());
    simplify();
  }
  passes.addPass(builder.buildModuleOptimizationPipeline(level(optLevel), phase));
  passes.run(module, mam);
}

std::string emitObject(llvm::Module &module) {
  expandBfloat(module);
  Lease lease;
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(libraryInfo(hostDescription().triple)));
  if (lease.machine->addPassesToEmitFile(passes, stream, nullptr,
                                         llvm::CodeGenFileType::ObjectFile))
    throw makeError(Diagnostic::CompileFailed,
                    {{"stage", "code generation"}, {"message", "this target writes no objects"}});
  passes.run(module);
  return std::string(object.begin(), object.end());
}

} // namespace fairlead::lower
