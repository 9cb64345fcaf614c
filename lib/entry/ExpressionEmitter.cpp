#include "entry/LaunchStub.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {

using Kind = Expression::Kind;

void ExpressionEmitter::check(Value *ok, Diagnostic id, DiagnosticArgs args, Value *got) {
  LLVMContext &context = function->getContext();
  auto *next = BasicBlock::Create(context, "ok", function);
  auto *cold = BasicBlock::Create(context, "cold", function);
  b.CreateCondBr(ok, next, cold, MDBuilder(context).createBranchWeights(2000, 1));
  b.SetInsertPoint(cold);
  emitRaise(*function->getParent(), b, function->getArg(0), id, args, nullptr, got);
  b.CreateRetVoid();
  b.SetInsertPoint(next);
}

Value *ExpressionEmitter::emit(const Expression &expression, const std::string &what) {
  switch (expression.kind) {
  case Kind::Constant:
    return b.getInt64(static_cast<uint64_t>(expression.constant));
  case Kind::Symbol: {
    Value *value = function->getArg(1 + signature.params.size() + expression.index);
    return b.CreateSExt(value, b.getInt64Ty());
  }
  case Kind::Param: {
    DType type = std::get<ScalarParam>(signature.params[expression.index].type).dtype;
    Value *value = parameter(expression.index);
    return isSigned(type) ? b.CreateSExt(value, b.getInt64Ty())
                          : b.CreateZExt(value, b.getInt64Ty());
  }
  default:
    return operation(expression, what);
  }
}

Value *ExpressionEmitter::emitInRange(const Expression &expression, const std::string &what,
                                      int64_t least, int64_t most) {
  Value *value = emit(expression, what);
  // One compare, of the distance from the least.
  Value *distance = least ? b.CreateSub(value, b.getInt64(static_cast<uint64_t>(least))) : value;
  uint64_t span = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
  if (expression.kind != Kind::Constant || expression.constant < least ||
      expression.constant > most)
    check(b.CreateICmpULE(distance, b.getInt64(span)), Diagnostic::LaunchRange,
          {{"what", what},
           {"signature", signature.str()},
           {"expression", expression.text},
           {"least", std::to_string(least)},
           {"most", std::to_string(most)}},
          value);
  return value;
}

Value *ExpressionEmitter::checked(Intrinsic::ID intrinsic, Value *left, Value *right,
                                  const Expression &expression, const std::string &what) {
  Value *both = b.CreateBinaryIntrinsic(intrinsic, left, right);
  Value *value = b.CreateExtractValue(both, 0);
  check(b.CreateNot(b.CreateExtractValue(both, 1)), Diagnostic::LaunchOverflow,
        {{"what", what}, {"signature", signature.str()}, {"expression", expression.text}});
  return value;
}

Value *ExpressionEmitter::operation(const Expression &expression, const std::string &what) {
  Value *left = emit(expression.operands[0], what), *right = emit(expression.operands[1], what);
  switch (expression.kind) {
  case Kind::Add:
    return checked(Intrinsic::sadd_with_overflow, left, right, expression, what);
  case Kind::Subtract:
    return checked(Intrinsic::ssub_with_overflow, left, right, expression, what);
  case Kind::Multiply:
    return checked(Intrinsic::smul_with_overflow, left, right, expression, what);
  case Kind::Min:
    return b.CreateSelect(b.CreateICmpSLT(left, right), left, right);
  case Kind::Max:
    return b.CreateSelect(b.CreateICmpSGT(left, right), left, right);
  default:
    return divide(expression, left, right, what);
  }
}

/// By a power of two, in the few instructions that code generation without optimisation would not
/// find.
Value *ExpressionEmitter::divideByConstant(Kind kind, Value *left, int64_t divisor) {
  Value *mask = b.getInt64(divisor - 1);
  if (kind == Kind::Modulo)
    return b.CreateAnd(left, mask);
  Value *quotient = b.CreateAShr(left, Log2_64(divisor));
  if (kind == Kind::FloorDivide)
    return quotient;
  Value *rest = b.CreateICmpNE(b.CreateAnd(left, mask), b.getInt64(0));
  return b.CreateAdd(quotient, b.CreateZExt(rest, b.getInt64Ty()));
}

Value *ExpressionEmitter::divide(const Expression &expression, Value *left, Value *right,
                                 const std::string &what) {
  const Expression &divisor = expression.operands[1];
  bool constant = divisor.kind == Kind::Constant;
  if (constant && divisor.constant > 0 && isPowerOf2_64(divisor.constant))
    return divideByConstant(expression.kind, left, divisor.constant);
  std::string text = signature.str();
  Value *zero = b.getInt64(0), *minusOne = b.getInt64(~uint64_t{0});
  if (!constant)
    check(b.CreateICmpNE(right, zero), Diagnostic::LaunchDivision,
          {{"what", what}, {"signature", text}, {"expression", expression.text}});
  if (!constant || divisor.constant == -1) {
    Value *least = b.getInt64(static_cast<uint64_t>(INT64_MIN));
    check(b.CreateNot(b.CreateAnd(b.CreateICmpEQ(left, least), b.CreateICmpEQ(right, minusOne))),
          Diagnostic::LaunchOverflow,
          {{"what", what}, {"signature", text}, {"expression", expression.text}});
  }
  Value *quotient = b.CreateSDiv(left, right);
  Value *rest = b.CreateSub(left, b.CreateMul(quotient, right));
  Value *inexact = b.CreateICmpNE(rest, zero);
  Value *opposite = b.CreateICmpSLT(b.CreateXor(left, right), zero);
  if (expression.kind == Kind::CeilDivide) {
    Value *up = b.CreateAnd(inexact, b.CreateNot(opposite));
    return b.CreateAdd(quotient, b.CreateZExt(up, b.getInt64Ty()));
  }
  Value *down = b.CreateAnd(inexact, opposite);
  if (expression.kind == Kind::Modulo)
    return b.CreateAdd(rest, b.CreateSelect(down, right, zero));
  return b.CreateSub(quotient, b.CreateZExt(down, b.getInt64Ty()));
}

} // namespace fairlead::entry
