/// Rewrites patterns of optimized device code that ptxas miscompiles. Seen with
/// ptxas 13.0 at every optimization level but 0, and with the drivers of its time; found by the
/// random programs of tests/gpu. The replacements are inline PTX where LLVM would undo others.
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// `text` computes $0 from $1, both of the type of `input`.
Value *assemble(IRBuilder<> &b, Value *input, StringRef text, StringRef constraints) {
  auto *type = FunctionType::get(input->getType(), {input->getType()}, false);
  return b.CreateCall(InlineAsm::get(type, text, constraints, false), {input});
}

/// Bug: ptxas takes -abs.s64(x) to be less than every constant that it is compared with.
void replaceWideAbs(IntrinsicInst &abs) {
  if (!abs.getType()->isIntegerTy(64))
    return;
  IRBuilder<> b(&abs);
  abs.replaceAllUsesWith(assemble(b, abs.getArgOperand(0),
                                  "{ .reg .b64 minus; neg.s64 minus, $1; max.s64 $0, $1, minus; }",
                                  "=l,l"));
  abs.eraseFromParent();
}

/// Bug: if -x or |x| of 16 bits is extended, ptxas takes the sign from x, so that -32768 gives
/// 32768.
void replaceNarrowAbs(IntrinsicInst &abs) {
  IRBuilder<> b(&abs);
  abs.replaceAllUsesWith(assemble(
      b, abs.getArgOperand(0),
      "{ .reg .b16 minus; not.b16 minus, $1; add.s16 minus, minus, 1; max.s16 $0, $1, minus; }",
      "=h,h"));
  abs.eraseFromParent();
}

void replaceNarrowNegation(BinaryOperator &negation) {
  Value *number;
  if (!negation.getType()->isIntegerTy(16) ||
      !PatternMatch::match(&negation, PatternMatch::m_Neg(PatternMatch::m_Value(number))))
    return;
  IRBuilder<> b(&negation);
  negation.replaceAllUsesWith(assemble(b, number, "not.b16 $0, $1; add.s16 $0, $0, 1;", "=&h,h"));
  negation.eraseFromParent();
}

/// Hides a negation from ptxas: -b is also ~b + 1.
void replaceNegation(Instruction &user, Use &operand) {
  Value *number;
  unsigned width = operand->getType()->getIntegerBitWidth();
  if ((width != 16 && width != 32) ||
      !PatternMatch::match(operand.get(), PatternMatch::m_Neg(PatternMatch::m_Value(number))))
    return;
  IRBuilder<> b(&user);
  const char *text =
      width == 32 ? "not.b32 $0, $1; add.s32 $0, $0, 1;" : "not.b16 $0, $1; add.s16 $0, $0, 1;";
  operand.set(assemble(b, number, text, width == 32 ? "=&r,r" : "=&h,h"));
}

/// Bug: ptxas merges min(min(a, -b), c) to one instruction and drops the sign, because its second
/// operand cannot have one.
void replaceNegated(IntrinsicInst &extreme) {
  for (Use &operand : extreme.args())
    replaceNegation(extreme, operand);
}

/// Bug: ptxas merges a + (-b >> n), where b is the low half of 64 bits, to one instruction that
/// shifts the bits of -b as an unsigned number.
void replaceShifted(BinaryOperator &shift) {
  if (shift.getOpcode() == Instruction::AShr && shift.getType()->isIntegerTy(32))
    replaceNegation(shift, shift.getOperandUse(0));
}

/// Return the minimum, maximum or absolute value that LLVM's back end makes of a comparison and a
/// choice, otherwise null.
Value *createIntrinsic(IRBuilder<> &b, SelectInst &choice) {
  Value *first, *second;
  auto flavor = matchSelectPattern(&choice, first, second).Flavor;
  switch (flavor) {
  case SPF_SMIN:
  case SPF_UMIN:
  case SPF_SMAX:
  case SPF_UMAX:
    return b.CreateBinaryIntrinsic(getMinMaxIntrinsic(flavor), first, second);
  case SPF_ABS:
    return b.CreateBinaryIntrinsic(Intrinsic::abs, first, b.getFalse());
  case SPF_NABS:
    return b.CreateNeg(b.CreateBinaryIntrinsic(Intrinsic::abs, first, b.getFalse()));
  default:
    return nullptr;
  }
}

/// Make the back end's later form of a choice visible.
void replaceChoice(SelectInst &choice) {
  if (!choice.getType()->isIntOrIntVectorTy())
    return;
  IRBuilder<> b(&choice);
  if (Value *intrinsic = createIntrinsic(b, choice)) {
    choice.replaceAllUsesWith(intrinsic);
    choice.eraseFromParent();
  }
}

/// True if a comparison or a switch may see the result of `start` through casts, choices and
/// arithmetic.
bool isCompared(Instruction &start) {
  SmallPtrSet<Instruction *, 16> seen{&start};
  SmallVector<Instruction *> pending{&start};
  while (!pending.empty())
    for (User *user : pending.pop_back_val()->users()) {
      auto *reader = cast<Instruction>(user);
      if (isa<ICmpInst, SwitchInst>(reader))
        return true;
      bool passesOn = isa<CastInst, PHINode, SelectInst, FreezeInst, BinaryOperator, IntrinsicInst,
                          ExtractElementInst, InsertElementInst, ShuffleVectorInst>(reader);
      if (passesOn && reader->getType()->isIntOrIntVectorTy() && seen.insert(reader).second)
        pending.push_back(reader);
    }
  return false;
}

bool isExtreme(Intrinsic::ID intrinsic) {
  return intrinsic == Intrinsic::smin || intrinsic == Intrinsic::smax ||
         intrinsic == Intrinsic::umin || intrinsic == Intrinsic::umax;
}

/// True for sums and differences that saturate. The back end computes them by minima and maxima.
bool isSaturating(Intrinsic::ID intrinsic) {
  return intrinsic == Intrinsic::sadd_sat || intrinsic == Intrinsic::ssub_sat ||
         intrinsic == Intrinsic::uadd_sat || intrinsic == Intrinsic::usub_sat;
}

/// Return the result of `call` on numbers of 32 bits, within the range of its own type.
Value *computeWide(IRBuilder<> &b, IntrinsicInst &call, Value *first, Value *second) {
  Intrinsic::ID intrinsic = call.getIntrinsicID();
  if (isExtreme(intrinsic))
    return b.CreateBinaryIntrinsic(intrinsic, first, second);
  Type *wide = first->getType();
  unsigned width = call.getType()->getScalarSizeInBits();
  auto number = [&](APInt value, bool isSigned) {
    return ConstantInt::get(wide, isSigned ? value.sext(32) : value.zext(32));
  };
  if (intrinsic == Intrinsic::uadd_sat)
    return b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateAdd(first, second),
                                   number(APInt::getMaxValue(width), false));
  if (intrinsic == Intrinsic::usub_sat)
    return b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(first, second),
                                   Constant::getNullValue(wide));
  Value *exact =
      intrinsic == Intrinsic::sadd_sat ? b.CreateAdd(first, second) : b.CreateSub(first, second);
  Value *bounded = b.CreateBinaryIntrinsic(Intrinsic::smin, exact,
                                           number(APInt::getSignedMaxValue(width), true));
  return b.CreateBinaryIntrinsic(Intrinsic::smax, bounded,
                                 number(APInt::getSignedMinValue(width), true));
}

/// Bug: ptxas merges min(a, b) == a of 16 bits, and the same of max, to one instruction for two
/// packed minima that writes the predicates of both halves to one register.
void widenExtreme(IntrinsicInst &call) {
  unsigned width = call.getType()->getScalarSizeInBits();
  Intrinsic::ID intrinsic = call.getIntrinsicID();
  if (width < 2 || width > 16 || !(isExtreme(intrinsic) || isSaturating(intrinsic)) ||
      !isCompared(call))
    return;
  IRBuilder<> b(&call);
  Type *wide = call.getType()->getWithNewBitWidth(32);
  bool isSigned = intrinsic == Intrinsic::smin || intrinsic == Intrinsic::smax ||
                  intrinsic == Intrinsic::sadd_sat || intrinsic == Intrinsic::ssub_sat;
  Value *first = b.CreateIntCast(call.getArgOperand(0), wide, isSigned);
  Value *second = b.CreateIntCast(call.getArgOperand(1), wide, isSigned);
  call.replaceAllUsesWith(b.CreateTrunc(computeWide(b, call, first, second), call.getType()));
  call.eraseFromParent();
}

/// Return the operand of a cast or a rounding that keeps 0 and 1, otherwise null.
Value *keptTruth(Value *number) {
  if (auto *cast = dyn_cast<CastInst>(number)) {
    bool isSigned = isa<SIToFPInst, SExtInst>(cast);
    bool keeps =
        isa<FPExtInst, FPTruncInst, FPToSIInst, FPToUIInst, UIToFPInst, ZExtInst, TruncInst>(
            cast) ||
        (isSigned && !cast->getSrcTy()->isIntOrIntVectorTy(1));
    return keeps ? cast->getOperand(0) : nullptr;
  }
  if (auto *call = dyn_cast<IntrinsicInst>(number))
    switch (call->getIntrinsicID()) {
    case Intrinsic::fabs:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::round:
    case Intrinsic::roundeven:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat:
      return call->getArgOperand(0);
    default:
      break;
    }
  return nullptr;
}

/// Return the integer that a floating-point number is converted from if it is 0 or 1, otherwise
/// null.
Value *findTruth(Value *number, const DataLayout &layout) {
  while ((number = keptTruth(number)))
    if (number->getType()->isIntOrIntVectorTy() &&
        computeKnownBits(number, layout).countMaxActiveBits() <= 1)
      return number;
  return nullptr;
}

/// Return the number that an instruction negates, otherwise null. Products, quotients and copied
/// signs are negations for LLVM's back end.
Value *findNegated(Instruction &instruction) {
  using namespace PatternMatch;
  Value *number;
  const APFloat *sign;
  if (match(&instruction, m_FNeg(m_Value(number))) ||
      match(&instruction, m_c_FMul(m_Value(number), m_SpecificFP(-1.0))) ||
      match(&instruction, m_FDiv(m_Value(number), m_SpecificFP(-1.0))) ||
      (match(&instruction, m_CopySign(m_Value(number), m_APFloat(sign))) && sign->isNegative()))
    return number;
  return nullptr;
}

/// Bug: ptxas makes a choice between -1 and 0 of the negation of a truth value that is converted to
/// floating point, where -0 is right.
void replaceNegatedTruth(Instruction &negation, const DataLayout &layout) {
  Value *number = findNegated(negation);
  Value *truth = number ? findTruth(number, layout) : nullptr;
  if (!truth)
    return;
  IRBuilder<> b(&negation);
  Type *type = negation.getType();
  Value *isOne = truth->getType()->isIntOrIntVectorTy(1) ? truth : b.CreateIsNotNull(truth);
  negation.replaceAllUsesWith(
      b.CreateSelect(isOne, ConstantFP::get(type, -1.0), ConstantFP::getNegativeZero(type)));
  negation.eraseFromParent();
}

void replaceFunctionPatterns(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *choice = dyn_cast<SelectInst>(&instruction))
      replaceChoice(*choice);
    else if (instruction.getType()->isFPOrFPVectorTy())
      replaceNegatedTruth(instruction, layout);
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      widenExtreme(*call);
}

} // namespace

void avoidAssemblerBugs(Module &module) {
  for (Function &function : module)
    replaceFunctionPatterns(function);
  SmallVector<IntrinsicInst *> calls;
  SmallVector<BinaryOperator *> subtractions;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && call->getType()->isIntegerTy())
        calls.push_back(call);
      else if (auto *operation = dyn_cast<BinaryOperator>(&instruction)) {
        replaceShifted(*operation);
        if (operation->getOpcode() == Instruction::Sub)
          subtractions.push_back(operation);
      }
    }
  for (IntrinsicInst *call : calls) {
    if (call->getIntrinsicID() == Intrinsic::abs) {
      if (call->getType()->isIntegerTy(16))
        replaceNarrowAbs(*call);
      else
        replaceWideAbs(*call);
    } else if (call->getIntrinsicID() == Intrinsic::smin ||
               call->getIntrinsicID() == Intrinsic::smax)
      replaceNegated(*call);
  }
  for (BinaryOperator *subtraction : subtractions)
    replaceNarrowNegation(*subtraction);
}

} // namespace fairlead::lower
