/// Converts two numbers that become halves of a word with one instruction of sm_80. It replaces two
/// conversions, which each take four times as long, and the packing.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// Returns the Float32 number that was converted to these 16 bits, if the bits have no other use.
Value *convertedTo(Value *bits, Type *&type) {
  using namespace PatternMatch;
  Value *number;
  if (!match(bits, m_OneUse(m_BitCast(m_OneUse(m_FPTrunc(m_Value(number)))))) ||
      !number->getType()->isFloatTy())
    return nullptr;
  type = cast<Instruction>(bits)->getOperand(0)->getType();
  return type->isHalfTy() || type->isBFloatTy() ? number : nullptr;
}

bool pack(Instruction &word) {
  using namespace PatternMatch;
  Value *low, *high;
  if (!match(&word, m_c_Or(m_ZExt(m_Value(low)), m_Shl(m_ZExt(m_Value(high)), m_SpecificInt(16)))))
    return false;
  Type *type = nullptr, *other = nullptr;
  Value *first = convertedTo(low, type), *second = convertedTo(high, other);
  if (!first || !second || type != other)
    return false;
  IRBuilder<> b(&word);
  auto *pair = FixedVectorType::get(b.getFloatTy(), 2);
  Value *both = b.CreateInsertElement(PoisonValue::get(pair), first, b.getInt32(0));
  both = b.CreateInsertElement(both, second, b.getInt32(1));
  both = b.CreateFPTrunc(both, FixedVectorType::get(type, 2));
  word.replaceAllUsesWith(b.CreateBitCast(both, word.getType()));
  return true;
}

} // namespace

void packConversions(Module &module) {
  SmallVector<WeakTrackingVH> dead;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (instruction.getOpcode() == Instruction::Or && instruction.getType()->isIntegerTy(32) &&
          pack(instruction))
        dead.emplace_back(&instruction);
  RecursivelyDeleteTriviallyDeadInstructions(dead);
}

} // namespace fairlead::lower
