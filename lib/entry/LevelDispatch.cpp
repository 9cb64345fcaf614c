/// A host program in several forms for processors of different levels: the best that runs is chosen
/// at the first call.
#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "entry/Raise.h"

using namespace llvm;

namespace fairlead::entry {

Function *emitLevelDispatch(Module &module, const Signature &signature,
                            ArrayRef<LevelProgram> programs, const std::string &targets) {
  IRBuilder<> b(module.getContext());
  PointerType *pointer = b.getPtrTy();
  FunctionType *type = programs.front().host->getFunctionType();
  auto *function = Function::Create(type, GlobalValue::InternalLinkage, "host.any_level", module);
  auto *chosen =
      new GlobalVariable(module, pointer, /*isConstant=*/false, GlobalValue::InternalLinkage,
                         ConstantPointerNull::get(pointer), "host.chosen");
  auto block = [&](const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  };
  auto *start = block("entry"), *choose = block("choose"), *found = block("found"),
       *none = block("none"), *run = block("run");

  // Threads that come first at once all store the same.
  b.SetInsertPoint(start);
  LoadInst *known = b.CreateAlignedLoad(pointer, chosen, Align(8));
  known->setAtomic(AtomicOrdering::Monotonic);
  Constant *null = ConstantPointerNull::get(pointer);
  b.CreateCondBr(b.CreateICmpNE(known, null), run, choose);

  b.SetInsertPoint(choose);
  FunctionCallee ask =
      module.getOrInsertFunction("FairleadCpuLevel", FunctionType::get(b.getInt32Ty(), false));
  Value *level = b.CreateCall(ask), *best = null;
  SmallVector<LevelProgram> rising(programs);
  llvm::sort(rising,
             [](const LevelProgram &x, const LevelProgram &y) { return x.level < y.level; });
  for (const LevelProgram &program : rising)
    best = b.CreateSelect(b.CreateICmpSGE(level, b.getInt32(static_cast<uint32_t>(program.level))),
                          program.host, best);
  b.CreateCondBr(b.CreateICmpNE(best, null), found, none);

  b.SetInsertPoint(found);
  b.CreateAlignedStore(best, chosen, Align(8))->setAtomic(AtomicOrdering::Monotonic);
  b.CreateBr(run);

  b.SetInsertPoint(none);
  emitRaise(module, b, function->getArg(0), Diagnostic::CpuLevel,
            {{"name", signature.name}, {"targets", targets}}, nullptr,
            b.CreateSExt(level, b.getInt64Ty()));
  b.CreateRetVoid();

  b.SetInsertPoint(run);
  PHINode *program = b.CreatePHI(pointer, 2);
  program->addIncoming(known, start);
  program->addIncoming(best, found);
  SmallVector<Value *> arguments(llvm::make_pointer_range(function->args()));
  b.CreateCall(type, program, arguments)->setTailCall();
  b.CreateRetVoid();
  return function;
}

} // namespace fairlead::entry
