#include "lower/cpu/threads/Coroutines.h"

#include <cstddef>
#include <iterator>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

#include "entry/RuntimeCalls.h"
#include "fairlead/Runtime.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

class CoroutineBuilder {
public:
  explicit CoroutineBuilder(Function &function)
      : function(function), thread(function.getArg(function.arg_size() - 1)),
        b(function.getContext()) {}

  void build() {
    SmallVector<CallInst *> waits;
    SmallVector<ReturnInst *> returns;
    for (Instruction &instruction : instructions()) {
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction();
            callee && callee->getName() == kWaitSymbol)
          waits.push_back(call);
      if (auto *end = dyn_cast<ReturnInst>(&instruction))
        returns.push_back(end);
    }
    Value *handle = begin();
    BasicBlock *leave = leaveBlock(handle);
    // Frames live in the block's arena: destroying one is leaving it.
    BasicBlock *destroy = BasicBlock::Create(b.getContext(), "destroy", &function);
    BranchInst::Create(leave, destroy);
    for (CallInst *wait : waits)
      suspend(wait, leave, destroy);
    for (ReturnInst *end : returns) {
      BranchInst::Create(leave, end->getIterator());
      end->eraseFromParent();
    }
    function.setPresplitCoroutine();
  }

private:
  SmallVector<std::reference_wrapper<Instruction>> instructions() {
    SmallVector<std::reference_wrapper<Instruction>> all;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        all.push_back(instruction);
    return all;
  }

  CallInst *intrinsic(Intrinsic::ID id, ArrayRef<Value *> arguments, ArrayRef<Type *> types = {}) {
    return b.CreateCall(Intrinsic::getOrInsertDeclaration(function.getParent(), id, types),
                        arguments);
  }

  Value *begin() {
    b.SetInsertPoint(&function.getEntryBlock(), function.getEntryBlock().begin());
    Value *null = ConstantPointerNull::get(b.getPtrTy());
    Value *id = intrinsic(Intrinsic::coro_id, {b.getInt32(0), null, null, null});
    Value *size = intrinsic(Intrinsic::coro_size, {}, {b.getInt64Ty()});
    Value *memory = entry::callRuntime(b, runtime::FairleadCpuFrame, {thread, size});
    return intrinsic(Intrinsic::coro_begin, {id, memory});
  }

  BasicBlock *leaveBlock(Value *handle) {
    BasicBlock *leave = BasicBlock::Create(b.getContext(), "leave", &function);
    b.SetInsertPoint(leave);
    intrinsic(Intrinsic::coro_end, {handle, b.getFalse(), ConstantTokenNone::get(b.getContext())});
    b.CreateRet(handle);
    return leave;
  }

  void suspend(CallInst *wait, BasicBlock *leave, BasicBlock *destroy) {
    BasicBlock *before = wait->getParent();
    BasicBlock *after = before->splitBasicBlock(wait->getNextNode(), "go_on");
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(before);
    constexpr size_t kFields[] = {
        offsetof(FairleadCpuThread, wait),   offsetof(FairleadCpuThread, mask),
        offsetof(FairleadCpuThread, value),  offsetof(FairleadCpuThread, first),
        offsetof(FairleadCpuThread, second), offsetof(FairleadCpuThread, at)};
    for (unsigned i = 0; i < std::size(kFields); ++i)
      b.CreateStore(wait->getArgOperand(1 + i), field(kFields[i]));
    Value *state =
        intrinsic(Intrinsic::coro_suspend, {ConstantTokenNone::get(b.getContext()), b.getFalse()});
    SwitchInst *next = b.CreateSwitch(state, leave, 2);
    next->addCase(b.getInt8(0), after);
    next->addCase(b.getInt8(1), destroy);
    b.SetInsertPoint(after, after->begin());
    wait->replaceAllUsesWith(
        b.CreateLoad(b.getInt32Ty(), field(offsetof(FairleadCpuThread, result))));
    wait->eraseFromParent();
  }

  Value *field(size_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), thread, offset);
  }

  Function &function;
  Value *thread;
  IRBuilder<> b;
};

} // namespace

bool makeCoroutines(Module &module) {
  bool any = false;
  for (Function &function : module)
    if (function.hasFnAttribute(kThreadAttribute)) {
      CoroutineBuilder(function).build();
      any = true;
    }
  if (Function *wait = module.getFunction(kWaitSymbol); wait && wait->use_empty())
    wait->eraseFromParent();
  return any;
}

} // namespace fairlead::lower
