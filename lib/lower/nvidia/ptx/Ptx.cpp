#include "lower/nvidia/ptx/Ptx.h"

#include <mutex>

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include "fairlead/Diagnostics.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/HostPasses.h"
#include "lower/machine/HugeCode.h"
#include "lower/machine/MachineCode.h"

namespace fairlead::lower {
namespace {

static_assert(LLVM_VERSION_MAJOR == kLlvmVersion, "GpuArch.h names another version of LLVM");

/// The lowest version of the PTX ISA that has the architecture and all instructions.
std::string ptxFeature(const Target &target, int least) {
  return "+ptx" + std::to_string(std::max(target.ptxVersion(), least));
}

const llvm::Target *nvptx() {
  static std::once_flag once;
  static const llvm::Target *target = nullptr;
  std::call_once(once, [] {
    std::lock_guard lock(targetListMutex);
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(llvm::Triple("nvptx64-nvidia-cuda"), error);
  });
  return target;
}

/// True if functions of the module call others of it, as kernels call libdevice's.
bool callsItsOwn(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return !function.isDeclaration() && !function.use_empty();
  });
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, int optLevel) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine);
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel level) {
        if (level != llvm::OptimizationLevel::O0)
          passes.addPass(FreezeNarrowIndices());
      });
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  if (optLevel == 0) {
    builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0).run(module, mam);
    return;
  }
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      unrollArrayLoops(fam.getResult<llvm::LoopAnalysis>(function),
                       fam.getResult<llvm::ScalarEvolutionAnalysis>(function));
  auto level = optLevel == 1   ? llvm::OptimizationLevel::O1
               : optLevel == 2 ? llvm::OptimizationLevel::O2
                               : llvm::OptimizationLevel::O3;
  if (callsItsOwn(module)) {
    builder.buildPerModuleDefaultPipeline(level).run(module, mam);
    return;
  }
  // Optimize each kernel separately: the interprocedural passes of the default pipeline would only
  // cost time.
  auto phase = llvm::ThinOrFullLTOPhase::None;
  llvm::ModulePassManager passes;
  builder.invokePipelineStartEPCallbacks(passes, level);
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(
      builder.buildFunctionSimplificationPipeline(level, phase)));
  passes.addPass(builder.buildModuleOptimizationPipeline(level, phase));
  passes.run(module, mam);
}

/// True if the result of inline PTX is another one at each place.
bool tellsOfTheMoment(llvm::StringRef text) {
  return text.contains("clock") || text.contains("globaltimer") || text.contains("activemask");
}

/// Marks inline PTX with effects as convergent: threads of a warp may execute it together, so it
/// must not move into branches. Other inline PTX depends on its operands alone.
void markAssembly(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly)
        continue;
      const llvm::StringRef text = assembly->getAsmString();
      if (assembly->hasSideEffects() || text.contains(".sync")) {
        call->setConvergent();
      } else if (!text.contains('[') && !tellsOfTheMoment(text)) { // [: an address
        call->setDoesNotAccessMemory();
        call->setDoesNotThrow();
        call->addFnAttr(llvm::Attribute::WillReturn);
      }
    }
}

/// True if the module calls an intrinsic whose name begins so.
bool callsIntrinsic(const llvm::Module &module, llvm::StringRef prefix) {
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return function.getName().starts_with(prefix) && !function.use_empty();
  });
}

/// Leaves out passes of the back end that cost more than they save.
///
/// Straight-line strength reduction can take longer on unrolled code than all other passes together
/// (0.2 s of 0.28 s for a product on tensor cores), and it saves an instruction or two of a kernel
/// that ptxas finds anyway.
///
/// Strength reduction of loops carries a pointer of 64 bits for each access to global memory.
/// Attention by products of warps has no registers for them: FlashAttention 2 spilled them and
/// moved 64 accumulators in each round.
class WithoutCostlyPasses : public llvm::OptPassGate {
public:
  explicit WithoutCostlyPasses(const llvm::Module &module)
      : keepsLoops(callsIntrinsic(module, "llvm.nvvm.mma.") &&
                   callsIntrinsic(module, "llvm.nvvm.ex2.")) {}

  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return pass != "slsr" && !(keepsLoops && pass == "Loop Strength Reduction");
  }

private:
  const bool keepsLoops;
};

/// Rewrites an optimised module so that ptxas makes faster code of it.
void rewriteForAssembler(llvm::Module &module, const GpuArch &arch) {
  // Some rewrites save registers there, and cost time and registers on Hopper: as measured.
  const bool isBlackwell = arch.capability() >= 100;
  const bool isFull = !isBlackwell && fillsRegisters(module);
  shareWarpIndices(module, isBlackwell);
  if (isBlackwell)
    repeatBlockIndices(module);
  if (isBlackwell)
    sumOffsets(module);
  isBlackwell ? splitSharedWords(module) : splitSharedAddresses(module);
  if (!isBlackwell)
    narrowSharedNumbers(module);
  shareDescriptors(module);
  carryWords(module);
  if (arch.has(GpuFeature::PackedConversion))
    packConversions(module, /*early=*/isBlackwell || isFull, /*computes=*/isBlackwell);
  if (arch.has(GpuFeature::PackedFloat32))
    computePairs(module);
  // Not on Blackwell: words that wait for their stores may cost registers there.
  if (!isBlackwell && arch.has(GpuFeature::PackedConversion))
    packStores(module);
  compareAtBranches(module);
  addToSumsEarly(module);
  if (isBlackwell) {
    chainExtremes(module);
    computeBehindLoads(module);
  }
  if (isFull)
    repeatSharedAddresses(module);
  splitKeptLoads(module);
  keepLoops(module);
}

} // namespace

std::string emitPtx(llvm::Module &module, const Target &target, int optLevel, int leastPtx) {
  constexpr char kStage[] = "PTX emission";
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  const GpuArch &arch = *target.gpu();
  Kept<std::unique_ptr<llvm::TargetMachine>> machine(nvptx()->createTargetMachine(
      triple, "sm_" + std::string(arch.name), ptxFeature(target, leastPtx), llvm::TargetOptions(),
      std::nullopt, std::nullopt,
      optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default));
  llvm::SmallString<0> ptx;
  bool writes = true;
  guarded(
      kStage,
      [&] {
        module.setTargetTriple(triple);
        module.setDataLayout((*machine)->createDataLayout());
        linkLibdevice(module);
        markAssembly(module);
        if (optLevel > 0)
          packNarrowArrays(module);
        optimize(module, **machine, isHuge(module) ? std::min(optLevel, 1) : optLevel);
        if (optLevel > 0)
          rewriteForAssembler(module, arch);
        unpackSumsLate(module);
        orderAtomics(module);
        avoidAssemblerBugs(module);
        WithoutCostlyPasses gate(module);
        module.getContext().setOptPassGate(gate);
        auto reset = llvm::make_scope_exit(
            [&] { module.getContext().setOptPassGate(llvm::getGlobalPassGate()); });
        llvm::raw_svector_ostream stream(ptx);
        llvm::legacy::PassManager passes;
        writes = !(*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                                  llvm::CodeGenFileType::AssemblyFile);
        if (writes)
          passes.run(module);
      },
      [&](llvm::raw_ostream &stream) { module.print(stream, nullptr); });
  if (!writes)
    throw makeError(Diagnostic::CompileFailed,
                    {{"stage", kStage}, {"message", "the back end writes no text"}});
  throwErrors(module.getContext(), kStage);
  return std::string(ptx);
}

} // namespace fairlead::lower
