#include "lower/machine/HostPasses.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// Returns `element`, or a vector of it with the size of the vector `type`.
Type *withElements(Type *type, Type *element) {
  auto *vector = dyn_cast<VectorType>(type);
  return vector ? VectorType::get(element, vector->getElementCount()) : element;
}

bool isFloat16(Type *type) {
  return type->getScalarType()->isBFloatTy() || type->getScalarType()->isHalfTy();
}

/// Returns the type that passes values of `type` between functions.
Type *passedType(Type *type) {
  return isFloat16(type) ? withElements(type, Type::getInt16Ty(type->getContext())) : type;
}

FunctionType *passedType(FunctionType *type) {
  SmallVector<Type *> parameters;
  for (Type *parameter : type->params())
    parameters.push_back(passedType(parameter));
  return FunctionType::get(passedType(type->getReturnType()), parameters, type->isVarArg());
}

/// Replaces a function on floats of 16 bits by one with integer parameters and result.
void passIntegers(Function &function) {
  FunctionType *type = passedType(function.getFunctionType());
  if (type == function.getFunctionType() || function.isIntrinsic())
    return;
  auto *made = Function::Create(type, function.getLinkage(), function.getAddressSpace(), "",
                                function.getParent());
  made->takeName(&function);
  made->copyAttributesFrom(&function);
  made->setComdat(function.getComdat());
  made->splice(made->begin(), &function);
  made->setSubprogram(function.getSubprogram());
  for (auto [old, argument] : zip(function.args(), made->args())) {
    argument.takeName(&old);
    Value *value = &argument;
    if (old.getType() != argument.getType() && !made->isDeclaration())
      value = new BitCastInst(&argument, old.getType(), "",
                              made->getEntryBlock().getFirstInsertionPt());
    old.replaceAllUsesWith(value);
  }
  for (BasicBlock &block : *made)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator());
        end && end->getReturnValue() && isFloat16(end->getReturnValue()->getType()))
      end->setOperand(
          0, new BitCastInst(end->getReturnValue(), type->getReturnType(), "", end->getIterator()));
  function.replaceAllUsesWith(made);
  function.eraseFromParent();
}

void passIntegers(CallBase &call) {
  FunctionType *type = passedType(call.getFunctionType());
  if (type == call.getFunctionType() || isa<IntrinsicInst>(call) || call.isInlineAsm())
    return;
  for (Use &argument : call.args())
    if (isFloat16(argument->getType()))
      argument.set(
          new BitCastInst(argument, passedType(argument->getType()), "", call.getIterator()));
  Type *result = call.getType();
  call.mutateFunctionType(type);
  if (result == call.getType())
    return;
  auto *back = new BitCastInst(&call, result, "", std::next(call.getIterator()));
  call.replaceUsesWithIf(back, [&](Use &use) { return use.getUser() != back; });
}

/// Replaces a function's floats of 16 bits by integers.
class Softener {
public:
  Softener(Function &function, bool softHalf)
      : function(function), softHalf(softHalf), b(function.getContext()) {}

  void run() {
    expandAtomics();
    SmallVector<std::pair<Instruction *, SmallVector<bool>>> softened;
    for (Instruction &instruction : instructions(function)) {
      SmallVector<bool> bfloats; // of the operands, then of the result
      bool some = isSoft(instruction.getType());
      for (Use &operand : instruction.operands()) {
        some |= isSoft(operand->getType());
        bfloats.push_back(operand->getType()->getScalarType()->isBFloatTy());
      }
      bfloats.push_back(instruction.getType()->getScalarType()->isBFloatTy());
      if (some || narrowsDouble(instruction))
        softened.emplace_back(&instruction, std::move(bfloats));
    }
    // From here on all these types are integers; the original types are in `softened` and `types`.
    SmallVector<Type *> types;
    for (auto &[instruction, bfloats] : softened) {
      types.push_back(instruction->getType());
      for (Use &operand : instruction->operands())
        if (auto *constant = dyn_cast<Constant>(operand.get());
            constant && isSoft(constant->getType()))
          operand.set(ConstantFoldCastOperand(Instruction::BitCast, constant,
                                              passedType(constant->getType()),
                                              function.getDataLayout()));
    }
    for (auto &[instruction, bfloats] : softened)
      if (isSoft(instruction->getType()))
        instruction->mutateType(passedType(instruction->getType()));
    for (auto [place, entry] : enumerate(softened)) {
      auto &[instruction, bfloats] = entry;
      isBfloat = bfloats;
      b.SetInsertPoint(instruction);
      Value *replacement = expand(*instruction, types[place]);
      if (!replacement)
        continue;
      instruction->replaceAllUsesWith(replacement);
      instruction->eraseFromParent();
    }
  }

private:
  bool isSoft(Type *type) const {
    return type->getScalarType()->isBFloatTy() || (softHalf && type->getScalarType()->isHalfTy());
  }

  /// True for a conversion from double to half: many processors convert only from float.
  static bool narrowsDouble(const Instruction &instruction) {
    return isa<FPTruncInst>(instruction) && instruction.getType()->getScalarType()->isHalfTy() &&
           instruction.getOperand(0)->getType()->getScalarType()->isDoubleTy();
  }

  /// Expands atomic arithmetic to a loop around an exchange of integers.
  void expandAtomics() {
    SmallVector<AtomicRMWInst *> atomics;
    for (Instruction &instruction : instructions(function))
      if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction);
          atomic && isFloat16(atomic->getType()))
        atomics.push_back(atomic);
    for (AtomicRMWInst *atomic : atomics)
      expandAtomicRMWToCmpXchg(atomic, [](IRBuilderBase &builder, Value *address, Value *loaded,
                                          Value *changed, Align align, AtomicOrdering ordering,
                                          SyncScope::ID scope, Value *&success, Value *&seen,
                                          Instruction *) {
        Type *type = loaded->getType(), *bits = passedType(type);
        Value *pair = builder.CreateAtomicCmpXchg(
            address, builder.CreateBitCast(loaded, bits), builder.CreateBitCast(changed, bits),
            align, ordering, AtomicCmpXchgInst::getStrongestFailureOrdering(ordering), scope);
        success = builder.CreateExtractValue(pair, 1);
        seen = builder.CreateBitCast(builder.CreateExtractValue(pair, 0), type);
      });
  }

  /// Returns the replacement of an instruction that was of `type`; null if it stays, on integers.
  Value *expand(Instruction &instruction, Type *type) {
    const bool toBfloat = isBfloat.back();
    switch (instruction.getOpcode()) {
    case Instruction::FPExt: {
      Value *wide = widened(instruction, 0);
      return wide->getType() == type ? wide : b.CreateFPExt(wide, type);
    }
    case Instruction::FPTrunc:
      if (!isSoft(type)) // to half where the machine has it
        return b.CreateFPTrunc(roundToOdd(instruction.getOperand(0)), type);
      return round(instruction.getOperand(0), toBfloat);
    case Instruction::SIToFP:
    case Instruction::UIToFP: {
      Type *wide = withElements(type, toBfloat ? b.getDoubleTy() : b.getFloatTy());
      return round(
          b.CreateCast(cast<CastInst>(instruction).getOpcode(), instruction.getOperand(0), wide),
          toBfloat);
    }
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return b.CreateCast(cast<CastInst>(instruction).getOpcode(), widened(instruction, 0), type);
    case Instruction::BitCast:
      return b.CreateBitCast(instruction.getOperand(0), instruction.getType());
    case Instruction::FCmp:
      return b.CreateFCmp(cast<FCmpInst>(instruction).getPredicate(), widened(instruction, 0),
                          widened(instruction, 1));
    case Instruction::FNeg:
      return b.CreateXor(instruction.getOperand(0),
                         ConstantInt::get(instruction.getType(), 0x8000));
    default:
      break;
    }
    if (auto *binary = dyn_cast<BinaryOperator>(&instruction))
      return round(
          b.CreateBinOp(binary->getOpcode(), widened(instruction, 0), widened(instruction, 1)),
          toBfloat);
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      return expandIntrinsic(*intrinsic, type);
    return nullptr;
  }

  Value *expandIntrinsic(IntrinsicInst &intrinsic, Type *type) {
    SmallVector<Value *> arguments;
    const auto parameters = intrinsic.getFunctionType()->params();
    for (auto [place, argument] : enumerate(intrinsic.args()))
      arguments.push_back(isSoft(parameters[place]) ? widened(intrinsic, place) : argument.get());
    Type *result = isSoft(type) ? withElements(type, b.getFloatTy()) : type;
    Value *wide = b.CreateIntrinsic(result, intrinsic.getIntrinsicID(), arguments);
    return isSoft(type) ? round(wide, isBfloat.back()) : wide;
  }

  Type *words(Value *like) { return withElements(like->getType(), b.getInt32Ty()); }
  Type *floats(Value *like) { return withElements(like->getType(), b.getFloatTy()); }
  static Value *number(Type *type, uint64_t value) { return ConstantInt::get(type, value); }
  Value *magnitude(Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); }

  /// Returns a 16-bit operand extended to float; other operands unchanged.
  Value *widened(Instruction &instruction, unsigned operand) {
    Value *bits = instruction.getOperand(operand);
    if (!bits->getType()->getScalarType()->isIntegerTy(16))
      return bits;
    Type *word = words(bits);
    Value *wide = b.CreateZExt(bits, word);
    return isBfloat[operand] ? b.CreateBitCast(b.CreateShl(wide, number(word, 16)), floats(bits))
                             : widenHalf(wide);
  }

  Value *widenHalf(Value *half) {
    Type *word = half->getType(), *type = floats(half);
    Value *sign = b.CreateShl(b.CreateAnd(half, number(word, 0x8000)), number(word, 16));
    Value *size = b.CreateAnd(half, number(word, 0x7fff));
    Value *moved = b.CreateShl(size, number(word, 13));
    Value *normal = b.CreateAdd(moved, number(word, 112u << 23));
    Value *tiny = b.CreateBitCast(
        b.CreateFMul(b.CreateUIToFP(size, type), ConstantFP::get(type, 0x1p-24)), word);
    Value *special = b.CreateOr(moved, number(word, 0x7f800000));
    Value *isNan = b.CreateICmpUGT(size, number(word, 0x7c00));
    special = b.CreateSelect(isNan, b.CreateOr(special, number(word, 0x400000)), special);
    Value *result = b.CreateSelect(b.CreateICmpULT(size, number(word, 0x400)), tiny, normal);
    result = b.CreateSelect(b.CreateICmpUGE(size, number(word, 0x7c00)), special, result);
    return b.CreateBitCast(b.CreateOr(result, sign), type);
  }

  /// Rounds to nearest, ties to even; NaN stays NaN. A double is rounded once.
  Value *round(Value *value, bool toBfloat) {
    if (value->getType()->getScalarType()->isDoubleTy())
      value = roundToOdd(value);
    else if (!value->getType()->getScalarType()->isFloatTy())
      value = b.CreateFPExt(value, floats(value));
    Value *word = b.CreateBitCast(value, words(value));
    Value *rounded = toBfloat ? roundToBfloat(word) : roundToHalf(word);
    return b.CreateTrunc(rounded, withElements(value->getType(), b.getInt16Ty()));
  }

  Value *roundOff(Value *word, unsigned bits) {
    Type *type = word->getType();
    Value *odd = b.CreateAnd(b.CreateLShr(word, number(type, bits)), number(type, 1));
    Value *bias = b.CreateAdd(odd, number(type, (1u << (bits - 1)) - 1));
    return b.CreateLShr(b.CreateAdd(word, bias), number(type, bits));
  }

  Value *roundToBfloat(Value *word) {
    Type *type = word->getType();
    Value *quiet = b.CreateOr(b.CreateLShr(word, number(type, 16)), number(type, 0x40));
    Value *size = b.CreateAnd(word, number(type, 0x7fffffff));
    return b.CreateSelect(b.CreateICmpUGT(size, number(type, 0x7f800000)), quiet,
                          roundOff(word, 16));
  }

  Value *roundToHalf(Value *word) {
    Type *type = word->getType(), *real = withElements(type, b.getFloatTy());
    Value *sign = b.CreateAnd(b.CreateLShr(word, number(type, 16)), number(type, 0x8000));
    Value *size = b.CreateAnd(word, number(type, 0x7fffffff));
    Value *normal = b.CreateSub(roundOff(size, 13), number(type, 112u << 10));
    normal = b.CreateBinaryIntrinsic(Intrinsic::umin, normal, number(type, 0x7c00));
    // Below the least normal number an addition rounds: 1/2 and the number share their last bit.
    Value *sum = b.CreateFAdd(b.CreateBitCast(size, real), ConstantFP::get(real, 0.5));
    Value *tiny = b.CreateSub(b.CreateBitCast(sum, type), number(type, 0x3f000000));
    Value *result = b.CreateSelect(b.CreateICmpULT(size, number(type, 0x38800000)), tiny, normal);
    Value *quiet =
        b.CreateOr(b.CreateAnd(b.CreateLShr(size, number(type, 13)), number(type, 0x3ff)),
                   number(type, 0x7e00));
    result = b.CreateSelect(b.CreateICmpUGT(size, number(type, 0x7f800000)), quiet, result);
    return b.CreateOr(result, sign);
  }

  /// Rounds a double to a float whose last bit is set if it is inexact, so that a second rounding
  /// gives the result of a single one.
  Value *roundToOdd(Value *value) {
    Value *near = b.CreateFPTrunc(value, floats(value));
    Value *back = b.CreateFPExt(near, value->getType());
    Type *type = words(near);
    Value *word = b.CreateBitCast(near, type);
    Value *tooFar = b.CreateFCmpOGT(magnitude(back), magnitude(value));
    Value *truncated = b.CreateSub(word, b.CreateZExt(tooFar, type));
    Value *inexact = b.CreateFCmpONE(back, value);
    Value *odd = b.CreateOr(truncated, number(type, 1));
    return b.CreateBitCast(b.CreateSelect(inexact, odd, word), near->getType());
  }

  Function &function;
  const bool softHalf;
  IRBuilder<> b;
  SmallVector<bool> isBfloat; ///< of the instruction at hand: its operands, then itself
};

} // namespace

void expandFloat16(Module &module, const TargetMachine &machine) {
  for (Function &function : make_early_inc_range(module))
    passIntegers(function);
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        passIntegers(*call);
  for (Function &function : module)
    if (!function.isDeclaration()) {
      // Fast selection does not get along with halves that comparisons are made of, in the mask
      // registers of AVX-512.
      const bool hasHalf =
          !machine.getTargetTriple().isX86() ||
          (!function.hasOptNone() && machine.getSubtargetImpl(function)->checkFeatures("+f16c"));
      Softener(function, !hasHalf).run();
    }
}

// Expands divisions of 128-bit integers to loops, because processors have no instruction for them.

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
