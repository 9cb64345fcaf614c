/// Keeps the unpacking of sums of 16 bits behind the wait for their product. The optimizer unpacks
/// registers where they are defined, but a product of a warpgroup writes them until the wait.
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {

namespace {

/// True if the instruction is inline PTX, or an intrinsic, with this name.
bool isWarpgroupOp(const Instruction &op, StringRef name) {
  const auto *call = dyn_cast<CallBase>(&op);
  if (!call)
    return false;
  const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
  return (assembly ? assembly->getAsmString() : call->getCalledOperand()->getName()).contains(name);
}

/// Returns the results of products, and the phis and the parts of registers that come from them.
SmallPtrSet<const Value *, 32> sumsOf(Function &function) {
  SmallPtrSet<const Value *, 32> sums;
  SmallVector<const Value *> added;
  for (const Instruction &op : instructions(function))
    if (isWarpgroupOp(op, "wgmma.mma_async"))
      added.push_back(&op);
  while (!added.empty()) {
    const Value *sum = added.pop_back_val();
    if (!sums.insert(sum).second)
      continue;
    for (const User *user : sum->users())
      if (isa<ExtractValueInst, PHINode, ExtractElementInst, BitCastInst, TruncInst>(user) ||
          cast<Instruction>(user)->getOpcode() == Instruction::LShr)
        added.push_back(user);
  }
  return sums;
}

/// Returns the first user, if all users are in the block and none is a phi.
Instruction *firstUser(const Instruction &op) {
  Instruction *first = nullptr;
  for (const User *user : op.users()) {
    auto *instruction = const_cast<Instruction *>(cast<Instruction>(user));
    if (instruction->getParent() != op.getParent() || isa<PHINode>(instruction))
      return nullptr;
    if (!first || instruction->comesBefore(first))
      first = instruction;
  }
  return first;
}

} // namespace

void unpackSumsLate(Module &module) {
  for (Function &function : module) {
    const SmallPtrSet<const Value *, 32> sums = sumsOf(function);
    if (sums.empty())
      continue;
    for (BasicBlock &block : function) {
      auto isWait = [](const Instruction &op) { return isWarpgroupOp(op, "wgmma.wait"); };
      for (Instruction &op : make_early_inc_range(reverse(block)))
        if (sums.contains(&op) && (op.isCast() || op.isShift() || isa<ExtractElementInst>(op)))
          if (Instruction *user = firstUser(op);
              user && any_of(make_range(op.getIterator(), user->getIterator()), isWait))
            op.moveBefore(user->getIterator());
    }
  }
}

} // namespace fairlead::lower
