/// Rewrites patterns of optimized device code that ptxas miscompiles. Seen with
/// ptxas 13.0 at every optimization level but 0, and with the drivers of its time; found by the
/// random programs of tests/gpu. The replacements are inline PTX, since LLVM would undo others.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

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

} // namespace

void avoidAssemblerBugs(Module &module) {
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
