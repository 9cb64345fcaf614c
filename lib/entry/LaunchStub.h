/// The host program of a kernel that comes without one: computes its launch from the call's
/// arguments.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/Signature.h"
#include "signature/Expression.h"

namespace fairlead::entry {

/// How a kernel is launched for the arguments of a call. One plan serves all instances of a
/// signature.
struct LaunchPlan {
  std::array<Expression, 3> grid, block;
  std::array<Expression, 3> cluster; ///< all 0: none
  Expression sharedBytes;
  int32_t flags = 0; ///< FairleadLaunchFlag
  std::vector<KernelArgument> args;
};

/// The dtype that an argument has in an instance of the signature.
DType argumentDType(const KernelArgument &argument, const Signature &instance);
/// Bytes of the argument as the kernel takes it.
int32_t argumentSize(const KernelArgument &argument, const Signature &instance);

/// Adds an internal function for emitEntry's `host`, which launches kernel number `kernel` of the
/// external global `cudaModule` (FairleadCudaModule). If an expression overflows, divides by zero
/// or leaves its range, the call raises an error that names it, and launches nothing.
llvm::Function *emitLaunchStub(llvm::Module &module, const Signature &instance,
                               const LaunchPlan &plan, int kernel, llvm::StringRef cudaModule);

/// Expressions as code of a launch stub.
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
