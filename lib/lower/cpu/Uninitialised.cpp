#include "lower/cpu/Uninitialised.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Instrumentation/MemorySanitizer.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

constexpr char kValue[] = "FairleadCheckValue", kSeen[] = "FairleadCheckSeen",
               kContext[] = "FairleadCheckContext";

/// The sanitizer's functions for kernels of operating systems, whose shadow is wherever the runtime
/// says; and what they are called here.
constexpr std::pair<StringLiteral, StringLiteral> kNames[] = {
    {"__msan_metadata_ptr_for_load_n", "FairleadCheckLoadShadow"},
    {"__msan_metadata_ptr_for_load_1", "FairleadCheckLoadShadow1"},
    {"__msan_metadata_ptr_for_load_2", "FairleadCheckLoadShadow2"},
    {"__msan_metadata_ptr_for_load_4", "FairleadCheckLoadShadow4"},
    {"__msan_metadata_ptr_for_load_8", "FairleadCheckLoadShadow8"},
    {"__msan_metadata_ptr_for_store_n", "FairleadCheckStoreShadow"},
    {"__msan_metadata_ptr_for_store_1", "FairleadCheckStoreShadow1"},
    {"__msan_metadata_ptr_for_store_2", "FairleadCheckStoreShadow2"},
    {"__msan_metadata_ptr_for_store_4", "FairleadCheckStoreShadow4"},
    {"__msan_metadata_ptr_for_store_8", "FairleadCheckStoreShadow8"},
    {"__msan_get_context_state", "FairleadCheckContext"},
    {"__msan_poison_alloca", "FairleadCheckOwn"},
    {"__msan_memcpy", "FairleadCheckMemcpy"},
    {"__msan_memmove", "FairleadCheckMemmove"},
    {"__msan_memset", "FairleadCheckMemset"},
};

void instrument(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  MemorySanitizerPass(MemorySanitizerOptions(/*TrackOrigins=*/0, /*Recover=*/true, /*Kernel=*/true,
                                             /*EagerChecks=*/true))
      .run(module, modules);
}

/// Whether a warning is about the value that the next call tells.
bool isOfValue(CallInst *warning) {
  BasicBlock *after = warning->getParent()->getSingleSuccessor();
  if (!after)
    return false;
  for (Instruction &next : *after) {
    auto *call = dyn_cast<CallInst>(&next);
    if (!call)
      continue;
    Function *callee = call->getCalledFunction();
    return callee && callee->getName() == kValue;
  }
  return false;
}

void nameFunctions(Module &module) {
  for (auto [theirs, ours] : kNames)
    if (Function *function = module.getFunction(theirs)) {
      if (Function *known = module.getFunction(ours)) {
        function->replaceAllUsesWith(known);
        function->eraseFromParent();
      } else {
        function->setName(ours);
      }
    }
  FunctionCallee seen = module.getOrInsertFunction(kSeen, Type::getVoidTy(module.getContext()));
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with("__msan_"))
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      if (function.getName() == "__msan_warning" && isOfValue(call))
        CallInst::Create(seen, "", call->getIterator());
      // All else is about origins, which are not followed.
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

} // namespace

void followUninitialised(Module &module, StringRef host) {
  Function *value = module.getFunction(kValue);
  if (!value)
    return;
  value->addParamAttr(2, Attribute::NoUndef);
  for (User *user : value->users())
    if (auto *call = dyn_cast<CallInst>(user))
      call->addParamAttr(2, Attribute::NoUndef);
  for (Function &function : module)
    if (!function.isDeclaration() && function.getName() != host)
      function.addFnAttr(Attribute::SanitizeMemory);
  // The sanitizer asks for a system that it knows; which one makes no difference where the runtime
  // says where the shadow is.
  const Triple triple = module.getTargetTriple();
  module.setTargetTriple(Triple("x86_64-unknown-linux-gnu"));
  instrument(module);
  module.setTargetTriple(triple);
  for (Function &function : module)
    function.removeFnAttr(Attribute::SanitizeMemory);
  nameFunctions(module);
}

bool followsUninitialised(const Module &module) { return module.getFunction(kContext) != nullptr; }

} // namespace fairlead::lower
