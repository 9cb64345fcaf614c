#include "check/compile/Uninitialised.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Instrumentation/MemorySanitizer.h"

#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::check {
namespace {

/// The sanitizer's functions for kernels of operating systems, whose shadow is wherever the runtime
/// says; and the runtime's functions in their place.
constexpr std::pair<StringLiteral, const RuntimeFunction &> kNames[] = {
    {"__msan_metadata_ptr_for_load_n", runtime::FairleadCheckLoadShadow},
    {"__msan_metadata_ptr_for_load_1", runtime::FairleadCheckLoadShadow1},
    {"__msan_metadata_ptr_for_load_2", runtime::FairleadCheckLoadShadow2},
    {"__msan_metadata_ptr_for_load_4", runtime::FairleadCheckLoadShadow4},
    {"__msan_metadata_ptr_for_load_8", runtime::FairleadCheckLoadShadow8},
    {"__msan_metadata_ptr_for_store_n", runtime::FairleadCheckStoreShadow},
    {"__msan_metadata_ptr_for_store_1", runtime::FairleadCheckStoreShadow1},
    {"__msan_metadata_ptr_for_store_2", runtime::FairleadCheckStoreShadow2},
    {"__msan_metadata_ptr_for_store_4", runtime::FairleadCheckStoreShadow4},
    {"__msan_metadata_ptr_for_store_8", runtime::FairleadCheckStoreShadow8},
    {"__msan_get_context_state", runtime::FairleadCheckContext},
    {"__msan_poison_alloca", runtime::FairleadCheckOwn},
    {"__msan_memcpy", runtime::FairleadCheckMemcpy},
    {"__msan_memmove", runtime::FairleadCheckMemmove},
    {"__msan_memset", runtime::FairleadCheckMemset},
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

/// Returns the FairleadCheckValue call whose value a warning is about; or null.
CallInst *valueOf(CallInst *warning) {
  BasicBlock *after = warning->getParent()->getSingleSuccessor();
  if (!after)
    return nullptr;
  for (Instruction &next : *after)
    if (auto *call = dyn_cast<CallInst>(&next)) {
      Function *callee = call->getCalledFunction();
      return callee && callee->getName() == kCheckedValue.name ? call : nullptr;
    }
  return nullptr;
}

/// Calls the runtime only for warnings about checked values.
void tellValues(Module &module) {
  FunctionCallee tell = entry::declareRuntime(module, runtime::FairleadCheckUninitialised);
  if (Function *warnings = module.getFunction("__msan_warning"))
    for (User *user : warnings->users())
      if (auto *warning = cast<CallInst>(user); CallInst *value = valueOf(warning))
        CallInst::Create(tell, {value->getArgOperand(0), value->getArgOperand(1)}, "",
                         warning->getIterator());
  Function *values = module.getFunction(kCheckedValue.name);
  for (User *user : make_early_inc_range(values->users()))
    cast<CallInst>(user)->eraseFromParent();
  values->eraseFromParent();
}

void nameFunctions(Module &module) {
  for (const auto &[theirs, ours] : kNames)
    if (Function *function = module.getFunction(theirs)) {
      if (Function *known = module.getFunction(ours.name)) {
        function->replaceAllUsesWith(known);
        function->eraseFromParent();
      } else {
        function->setName(ours.name);
      }
    }
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with("__msan_"))
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      // The other functions are about origins, which are not tracked.
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

/// Makes the sanitizer assume that parameters of kernels, and arguments and results of the runtime,
/// are initialised: calls do not pass their shadow.
SmallVector<Function *> takeAsDefined(Module &module) {
  SmallVector<Function *> functions;
  for (Function &function : module) {
    if (!function.getName().starts_with("Fairlead") && !isKernel(function))
      continue;
    functions.push_back(&function);
    for (Argument &parameter : function.args())
      parameter.addAttr(Attribute::NoUndef);
    if (!function.getReturnType()->isVoidTy())
      function.addRetAttr(Attribute::NoUndef);
  }
  return functions;
}

} // namespace

void followUninitialised(Module &module, StringRef host) {
  if (!module.getFunction(kCheckedValue.name))
    return;
  SmallVector<Function *> defined = takeAsDefined(module);
  // By default the sanitizer instruments the stores of all functions, even of functions that it
  // does not follow.
  constexpr auto kLeftAlone = Attribute::DisableSanitizerInstrumentation;
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(function.getName() == host ? kLeftAlone : Attribute::SanitizeMemory);
  // The sanitizer asks for a system that it knows; which one makes no difference where the runtime
  // says where the shadow is.
  const Triple triple = module.getTargetTriple();
  module.setTargetTriple(Triple("x86_64-unknown-linux-gnu"));
  instrument(module);
  module.setTargetTriple(triple);
  for (Function &function : module)
    for (auto attribute : {kLeftAlone, Attribute::SanitizeMemory})
      function.removeFnAttr(attribute);
  for (Function *function : defined) { // undefined values may well be given to the runtime
    function->removeRetAttr(Attribute::NoUndef);
    for (Argument &parameter : function->args())
      parameter.removeAttr(Attribute::NoUndef);
  }
  tellValues(module);
  nameFunctions(module);
  placeShadows(module);
  if (Function *context = module.getFunction(runtime::FairleadCheckContext.name)) {
    context->setDoesNotAccessMemory(); // so that functions that do not need it do not call it
    context->setDoesNotThrow();
    context->setWillReturn();
  }
}

} // namespace fairlead::check
