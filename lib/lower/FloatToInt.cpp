#include "lower/FloatToInt.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace fairlead::lower {

void saturateConversions(Module &module) {
  SmallVector<CastInst *> conversions;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPToSIInst, FPToUIInst>(instruction))
        conversions.push_back(cast<CastInst>(&instruction));
  for (CastInst *conversion : conversions) {
    IRBuilder<> b(conversion);
    Type *type = conversion->getType();
    Type *wide = type;
    if (type->getScalarSizeInBits() > 1 && type->getScalarSizeInBits() < 16)
      wide = type->getWithNewBitWidth(16);
    auto id = isa<FPToSIInst>(conversion) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    Value *input = conversion->getOperand(0);
    Value *result = b.CreateIntrinsic(id, {wide, input->getType()}, {input});
    conversion->replaceAllUsesWith(b.CreateTrunc(result, type));
    conversion->eraseFromParent();
  }
}

} // namespace fairlead::lower
