/// Takes the maximum or minimum of up to 64 numbers one number at a time. A tree of comparisons
/// keeps a result per level; ptxas makes instructions of three operands of two successive ones.
/// More numbers stay as the program has them: one chain of them would take long.
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {

namespace {

bool isExtreme(const Value *value) {
  const auto *call = dyn_cast<IntrinsicInst>(value);
  return call && call->getType()->isFloatTy() &&
         (call->getIntrinsicID() == Intrinsic::maximum ||
          call->getIntrinsicID() == Intrinsic::minimum);
}

/// True if `value` is only an operand of `user`, which computes the same of more numbers.
bool isPartOf(const Value *value, const IntrinsicInst &user) {
  return isExtreme(value) && value->hasOneUse() &&
         cast<IntrinsicInst>(value)->getIntrinsicID() == user.getIntrinsicID() &&
         cast<IntrinsicInst>(value)->getParent() == user.getParent();
}

void addNumbers(const IntrinsicInst &extreme, SmallVectorImpl<Value *> &numbers) {
  for (Value *operand : extreme.args())
    if (isPartOf(operand, extreme))
      addNumbers(*cast<IntrinsicInst>(operand), numbers);
    else
      numbers.push_back(operand);
}

} // namespace

void chainExtremes(Module &module) {
  SmallVector<IntrinsicInst *> whole;
  for (Function &function : module)
    for (Instruction &op : instructions(function)) {
      auto *user = op.hasOneUse() ? dyn_cast<IntrinsicInst>(op.user_back()) : nullptr;
      if (isExtreme(&op) && (!user || !isPartOf(&op, *user)))
        whole.push_back(cast<IntrinsicInst>(&op));
    }
  for (IntrinsicInst *extreme : whole) {
    SmallVector<Value *> numbers;
    addNumbers(*extreme, numbers);
    constexpr size_t kLeast = 4, kMost = 64; // fewer are a chain
    if (numbers.size() < kLeast || numbers.size() > kMost)
      continue;
    IRBuilder<> b(extreme);
    Value *chain = numbers[0];
    for (Value *number : ArrayRef(numbers).drop_front())
      chain = b.CreateBinaryIntrinsic(extreme->getIntrinsicID(), chain, number);
    extreme->replaceAllUsesWith(chain);
    RecursivelyDeleteTriviallyDeadInstructions(extreme);
  }
}

} // namespace fairlead::lower
