#include "lower/SoftBfloat.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

bool isBfloat(const Value *value) { return value->getType()->isBFloatTy(); }

bool usesBfloat(const Instruction &instruction) {
  if (isa<LoadInst, StoreInst, PHINode, SelectInst, BitCastInst, ReturnInst, CallBrInst>(
          instruction))
    return false;
  // Calls other than intrinsics pass values through.
  if (isa<CallInst>(instruction) && !isa<IntrinsicInst>(instruction))
    return false;
  return isBfloat(&instruction) ||
         any_of(instruction.operands(), [](const Use &use) { return isBfloat(use.get()); });
}

class Expander {
public:
  explicit Expander(Instruction &instruction) : instruction(instruction), b(&instruction) {}

  void run() {
    if (Value *replacement = expand()) {
      instruction.replaceAllUsesWith(replacement);
      instruction.eraseFromParent();
    }
  }

private:
  Value *expand() {
    switch (instruction.getOpcode()) {
    case Instruction::FPExt: {
      Value *wide = widen(instruction.getOperand(0));
      return instruction.getType()->isFloatTy() ? wide : b.CreateFPExt(wide, instruction.getType());
    }
    case Instruction::FPTrunc:
      return isBfloat(&instruction) ? round(instruction.getOperand(0)) : nullptr;
    case Instruction::SIToFP:
      return round(b.CreateSIToFP(instruction.getOperand(0), b.getDoubleTy()));
    case Instruction::UIToFP:
      return round(b.CreateUIToFP(instruction.getOperand(0), b.getDoubleTy()));
    case Instruction::FCmp:
      return b.CreateFCmp(cast<FCmpInst>(instruction).getPredicate(),
                          widen(instruction.getOperand(0)), widen(instruction.getOperand(1)));
    case Instruction::FNeg:
      return fromBits(b.CreateXor(bits(instruction.getOperand(0)), b.getInt16(0x8000)));
    default:
      break;
    }
    if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
      return round(b.CreateBinOp(binary->getOpcode(), widen(binary->getOperand(0)),
                                 widen(binary->getOperand(1))));
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction); intrinsic && isBfloat(intrinsic))
      return expandIntrinsic(*intrinsic);
    return nullptr;
  }

  Value *expandIntrinsic(IntrinsicInst &intrinsic) {
    SmallVector<Value *> arguments;
    for (Value *argument : intrinsic.args())
      arguments.push_back(isBfloat(argument) ? widen(argument) : argument);
    return round(b.CreateIntrinsic(b.getFloatTy(), intrinsic.getIntrinsicID(), arguments));
  }

  Value *bits(Value *value) { return b.CreateBitCast(value, b.getInt16Ty()); }
  Value *fromBits(Value *word) { return b.CreateBitCast(word, b.getBFloatTy()); }

  /// A bfloat is the upper half of a float.
  Value *widen(Value *value) {
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits(value), b.getInt32Ty()), 16),
                           b.getFloatTy());
  }

  /// To nearest, ties to even; a NaN stays one.
  Value *round(Value *value) {
    if (value->getType()->isDoubleTy())
      value = roundToOdd(value);
    else if (!value->getType()->isFloatTy())
      value = b.CreateFPExt(value, b.getFloatTy());
    Value *word = b.CreateBitCast(value, b.getInt32Ty());
    Value *odd = b.CreateAnd(b.CreateLShr(word, 16), b.getInt32(1));
    Value *rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(word, odd), b.getInt32(0x7fff)), 16);
    Value *quiet = b.CreateOr(b.CreateLShr(word, 16), b.getInt32(0x40));
    Value *isNan = b.CreateFCmpUNO(value, value);
    return fromBits(b.CreateTrunc(b.CreateSelect(isNan, quiet, rounded), b.getInt16Ty()));
  }

  /// A double as a float whose last bit is set when it is inexact, so that rounding it again rounds
  /// but once.
  Value *roundToOdd(Value *value) {
    Value *near = b.CreateFPTrunc(value, b.getFloatTy());
    Value *back = b.CreateFPExt(near, b.getDoubleTy());
    Value *word = b.CreateBitCast(near, b.getInt32Ty());
    auto magnitude = [&](Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); };
    Value *tooFar = b.CreateFCmpOGT(magnitude(back), magnitude(value));
    Value *truncated = b.CreateSub(word, b.CreateZExt(tooFar, b.getInt32Ty()));
    Value *inexact = b.CreateFCmpONE(back, value);
    Value *odd = b.CreateOr(truncated, b.getInt32(1));
    return b.CreateBitCast(b.CreateSelect(inexact, odd, word), b.getFloatTy());
  }

  Instruction &instruction;
  IRBuilder<> b;
};

} // namespace

void expandBfloat(Module &module) {
  SmallVector<Instruction *> found;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (usesBfloat(instruction))
          found.push_back(&instruction);
  for (Instruction *instruction : found)
    Expander(*instruction).run();
}

} // namespace fairlead::lower
