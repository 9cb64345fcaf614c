/// Expressions as code of a launch stub.
#ifndef FAIRLEAD_LIB_ENTRY_EXPRESSIONEMITTER_H_
#define FAIRLEAD_LIB_ENTRY_EXPRESSIONEMITTER_H_

#include <functional>
#include <string>

#include "llvm/IR/IRBuilder.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/Signature.h"
#include "signature/Expression.h"

namespace fairlead::entry {

class ExpressionEmitter {
public:
  /// `function` is emitLaunchStub's: context, parameters, symbols. `b` is at its current end.
  ExpressionEmitter(llvm::Function *function, llvm::IRBuilder<> &b, const Signature &signature)
      : function(function), b(b), signature(signature) {}

  /// Emits an expression as an i64. `what` names its purpose: "grid[0]".
  llvm::Value *emit(const Expression &expression, const std::string &what);
  /// Emits an expression and a check that it is in [least, most].
  llvm::Value *emitInRange(const Expression &expression, const std::string &what, int64_t least,
                           int64_t most);
  llvm::Value *parameter(int index) { return function->getArg(1 + index); }

private:
  llvm::Value *operation(const Expression &expression, const std::string &what);
  llvm::Value *checked(llvm::Intrinsic::ID intrinsic, llvm::Value *left, llvm::Value *right,
                       const Expression &expression, const std::string &what);
  llvm::Value *divide(const Expression &expression, llvm::Value *left, llvm::Value *right,
                      const std::string &what);
  llvm::Value *divideByConstant(Expression::Kind kind, llvm::Value *left, int64_t divisor);
  /// Continues if `ok` holds; otherwise raises the diagnostic and leaves the stub.
  void check(llvm::Value *ok, Diagnostic id, DiagnosticArgs args, llvm::Value *got = nullptr);

  llvm::Function *function;
  llvm::IRBuilder<> &b;
  const Signature &signature;
};

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_EXPRESSIONEMITTER_H_
