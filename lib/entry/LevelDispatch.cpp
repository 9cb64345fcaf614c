/// A host program in several forms for processors of different levels: the best that runs is chosen
/// at the first call.
#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {

namespace {

constexpr char kAnyLevel[] = "host.any_level", kChoose[] = "host.choose";

/// `ptr host.choose(ptr FairleadCallContext)`: returns the program for this processor. If none
/// fits, it raises an error and returns `none`.
void emitChoice(Module &module, const Signature &signature, ArrayRef<LevelProgram> programs,
                const std::string &targets, Function *none) {
  IRBuilder<> b(module.getContext());
  PointerType *pointer = b.getPtrTy();
  auto *function = Function::Create(FunctionType::get(pointer, {pointer}, false),
                                    GlobalValue::InternalLinkage, kChoose, module);
  auto *chosen =
      new GlobalVariable(module, pointer, /*isConstant=*/false, GlobalValue::InternalLinkage,
                         ConstantPointerNull::get(pointer), "host.chosen");
  auto block = [&](const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  };
  auto *start = block("entry"), *known = block("known"), *choose = block("choose"),
       *found = block("found"), *lacking = block("lacking");

  // Threads that come first at once all store the same.
  b.SetInsertPoint(start);
  LoadInst *stored = b.CreateAlignedLoad(pointer, chosen, Align(8));
  stored->setAtomic(AtomicOrdering::Monotonic);
  Constant *null = ConstantPointerNull::get(pointer);
  b.CreateCondBr(b.CreateICmpNE(stored, null), known, choose);

  b.SetInsertPoint(known);
  b.CreateRet(stored);

  b.SetInsertPoint(choose);
  Value *level = callRuntime(b, runtime::FairleadCpuLevel, {}), *best = null;
  SmallVector<LevelProgram> rising(programs);
  llvm::sort(rising,
             [](const LevelProgram &x, const LevelProgram &y) { return x.level < y.level; });
  for (const LevelProgram &program : rising)
    best = b.CreateSelect(b.CreateICmpSGE(level, b.getInt32(static_cast<uint32_t>(program.level))),
                          program.host, best);
  b.CreateCondBr(b.CreateICmpNE(best, null), found, lacking);

  b.SetInsertPoint(found);
  b.CreateAlignedStore(best, chosen, Align(8))->setAtomic(AtomicOrdering::Monotonic);
  b.CreateRet(best);

  b.SetInsertPoint(lacking);
  emitRaise(module, b, function->getArg(0), Diagnostic::CpuLevel,
            {{"name", signature.name}, {"targets", targets}}, nullptr,
            b.CreateSExt(level, b.getInt64Ty()));
  b.CreateRet(none);
}

} // namespace

Function *emitLevelDispatch(Module &module, const Signature &signature,
                            ArrayRef<LevelProgram> programs, const std::string &targets) {
  FunctionType *type = programs.front().host->getFunctionType();
  auto *none = Function::Create(type, GlobalValue::InternalLinkage, "host.none", module);
  IRBuilder<>(BasicBlock::Create(module.getContext(), "", none)).CreateRetVoid();
  emitChoice(module, signature, programs, targets, none);
  return Function::Create(type, GlobalValue::ExternalLinkage, kAnyLevel, module);
}

void bindLevelDispatch(Module &module) {
  Function *any = module.getFunction(kAnyLevel), *choose = module.getFunction(kChoose);
  if (!any)
    return;
  // No function forwards the arguments: it would have to
  // convert types without registers (bfloat).
  for (User *user : make_early_inc_range(any->users())) {
    auto *call = cast<CallInst>(user);
    call->setCalledOperand(IRBuilder<>(call).CreateCall(choose, {call->getArgOperand(0)}));
  }
  any->eraseFromParent();
}

} // namespace fairlead::entry
