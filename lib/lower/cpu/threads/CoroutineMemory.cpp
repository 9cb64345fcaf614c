#include "lower/cpu/threads/Coroutines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// Returns the blocks that access the memory.
SmallPtrSet<BasicBlock *, 8> blocksOf(AllocaInst &memory) {
  SmallPtrSet<BasicBlock *, 8> blocks;
  SmallVector<Value *> addresses{&memory};
  SmallPtrSet<Value *, 16> seen;
  while (!addresses.empty()) {
    Value *address = addresses.pop_back_val();
    if (!seen.insert(address).second)
      continue;
    for (User *user : address->users()) {
      auto *instruction = cast<Instruction>(user);
      if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(instruction))
        addresses.push_back(instruction);
      else
        blocks.insert(instruction->getParent());
    }
  }
  return blocks;
}

bool suspends(const Loop &loop) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == Intrinsic::coro_suspend)
          return true;
  return false;
}

/// Tells if a block is in a loop that suspends.
class SuspendingLoops {
public:
  explicit SuspendingLoops(const LoopInfo &loops) : loops(loops) {}

  bool around(BasicBlock *block) {
    for (Loop *loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop()) {
      auto [entry, isNew] = known.try_emplace(loop, false);
      if (isNew)
        entry->second = suspends(*loop);
      if (entry->second)
        return true;
    }
    return false;
  }

private:
  const LoopInfo &loops;
  DenseMap<Loop *, bool> known;
};

} // namespace

PreservedAnalyses KeepLoopMemory::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!function.isPresplitCoroutine())
    return PreservedAnalyses::all();
  SuspendingLoops loops(analyses.getResult<LoopAnalysis>(function));
  BasicBlock &entry = function.getEntryBlock();
  SmallVector<AllocaInst *> found;
  for (Instruction &instruction : entry)
    if (auto *memory = dyn_cast<AllocaInst>(&instruction)) {
      auto blocks = blocksOf(*memory);
      if (!blocks.contains(&entry) &&
          any_of(blocks, [&](BasicBlock *block) { return loops.around(block); }))
        found.push_back(memory);
    }
  IRBuilder<> b(entry.getTerminator());
  for (AllocaInst *memory : found)
    b.CreateStore(b.getInt8(0), memory);
  return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace fairlead::lower
