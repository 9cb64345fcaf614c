/// Adds steps to descriptors of operands of wgmma as numbers of 64 bits. Programs add them to the
/// low word, and join the constant high word to each sum: ptxas then sets both words of a
/// descriptor between the products, where one addition is enough.
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;
using namespace PatternMatch;

namespace fairlead::lower {

namespace {

/// The low word without its step, and the high word.
using Base = std::pair<Value *, uint32_t>;
struct Descriptor {
  Instruction *whole;
  uint32_t step;
};

/// True if products in the instruction's block are all that uses it. Elsewhere it would take two
/// registers until then.
bool isUsedAtOnce(const Instruction &instruction) {
  return all_of(instruction.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return assembly && call->getParent() == instruction.getParent() &&
           StringRef(assembly->getAsmString()).contains("wgmma");
  });
}

MapVector<Base, SmallVector<Descriptor>> descriptorsOf(BasicBlock &block) {
  MapVector<Base, SmallVector<Descriptor>> descriptors;
  for (Instruction &instruction : block) {
    Value *word = nullptr, *start = nullptr;
    uint64_t rest = 0, step = 0;
    if (!match(&instruction, m_DisjointOr(m_ZExt(m_Value(word)), m_ConstantInt(rest))) ||
        !word->getType()->isIntegerTy(32) || rest >> 32 == 0 || !isUsedAtOnce(instruction))
      continue;
    if (!match(word, m_AddLike(m_Value(start), m_ConstantInt(step))))
      start = word, step = 0;
    descriptors[{start, static_cast<uint32_t>(rest >> 32)}].push_back(
        {&instruction, static_cast<uint32_t>(rest + step)});
  }
  return descriptors;
}

/// Steps do not carry between the words: no descriptor of wgmma has the highest bits of the low
/// one.
void addTo(const Base &base, ArrayRef<Descriptor> descriptors) {
  const Descriptor &first = descriptors.front();
  IRBuilder<> b(first.whole);
  Value *low = first.step ? b.CreateAdd(base.first, b.getInt32(first.step)) : base.first;
  // LLVM would add up the constants of what it can look into.
  auto *type = FunctionType::get(b.getInt64Ty(), {b.getInt32Ty(), b.getInt32Ty()}, false);
  Value *start = b.CreateCall(InlineAsm::get(type, "mov.b64 $0, {$1, $2};", "=l,r,r", false),
                              {low, b.getInt32(base.second)});
  for (const Descriptor &descriptor : descriptors) {
    b.SetInsertPoint(descriptor.whole);
    const auto step = static_cast<int32_t>(descriptor.step - first.step);
    descriptor.whole->replaceAllUsesWith(
        step ? b.CreateAdd(start, ConstantInt::getSigned(b.getInt64Ty(), step)) : start);
    descriptor.whole->eraseFromParent();
  }
}

} // namespace

void addToDescriptors(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (const auto &[base, descriptors] : descriptorsOf(block))
        if (descriptors.size() > 1)
          addTo(base, descriptors);
}

} // namespace fairlead::lower
