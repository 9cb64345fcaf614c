/// Expands divisions of 128-bit integers to loops, because processors have no instruction for them.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

#include "lower/machine/SoftFloat16.h"

namespace fairlead::lower {

void expandWideDivisions(llvm::Module &module) {
  llvm::SmallVector<llvm::BinaryOperator *> wide;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
          binary && binary->isIntDivRem() && binary->getType()->isIntegerTy() &&
          binary->getType()->getIntegerBitWidth() > 64)
        wide.push_back(binary);
  for (llvm::BinaryOperator *binary : wide) {
    const auto opcode = binary->getOpcode();
    if (opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::UDiv)
      llvm::expandDivision(binary);
    else
      llvm::expandRemainder(binary);
  }
}

} // namespace fairlead::lower
