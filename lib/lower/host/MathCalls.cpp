/// Operations of the math dialect, and dot products of pairs. On the CPU they become calls of our
/// own functions; for GPUs, the former must not be folded with this machine's library.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/Ops.h"
#include "lower/common/Passes.h"
#include "lower/machine/HostPasses.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Returns the function's name; "" for operations whose exact result IEEE 754 defines.
StringRef functionName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Default([](Operation *) { return ""; });
}

/// The CPU has one form of each function, even if approximations are allowed.
struct MathCallsPass : PassWrapper<MathCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MathCallsPass)
  StringRef getArgument() const final { return "fairlead-math-calls"; }
  StringRef getDescription() const final { return "Call our own mathematical functions"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect>();
  }

  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
        op->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(&getContext(), arith::FastMathFlags::none));
      if (StringRef name = functionName(op); !name.empty())
        call(op, name);
      else if (auto dot = dyn_cast<ir::DotPairsOp>(op))
        call(dot);
    });
  }

private:
  void call(Operation *op, StringRef name) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    Type type = op->getResult(0).getType();
    // The functions are of Float32 and Float64; narrower floats are computed in the former.
    Type computed = type.isF64() ? type : Type(b.getF32Type());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(type == computed
                             ? operand
                             : arith::ExtFOp::create(b, loc, computed, operand).getResult());
    std::string symbol = (kMathPrefix + name + (computed.isF64() ? "" : "f")).str();
    SmallVector<Type> parameters(operands.size(), computed);
    Value result =
        LLVM::CallOp::create(b, loc, declare(symbol, computed, parameters), operands).getResult();
    if (type != computed)
      result = arith::TruncFOp::create(b, loc, type, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

  void call(ir::DotPairsOp op) {
    OpBuilder b(op);
    std::string symbol = kDotPairsPrefix;
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      symbol += "." + std::to_string(vector.getNumElements());
    op->replaceAllUsesWith(LLVM::CallOp::create(
        b, op.getLoc(), declare(symbol, op.getType(), llvm::to_vector(op->getOperandTypes())),
        op->getOperands()));
    op->erase();
  }

  LLVM::LLVMFuncOp declare(const std::string &symbol, Type type, ArrayRef<Type> parameters) {
    ModuleOp module = getOperation();
    if (auto declared = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
      return declared;
    auto b = OpBuilder::atBlockBegin(module.getBody());
    return LLVM::LLVMFuncOp::create(b, module.getLoc(), symbol,
                                    LLVM::LLVMFunctionType::get(type, parameters));
  }
};

} // namespace

std::unique_ptr<Pass> createMathCallsPass() { return std::make_unique<MathCallsPass>(); }

void keepMathOfConstants(Operation *root) {
  root->walk([](Operation *op) {
    if (functionName(op).empty())
      return;
    OpBuilder b(op);
    for (OpOperand &operand : op->getOpOperands())
      if (matchPattern(operand.get(), m_Constant()))
        operand.set(LLVM::FreezeOp::create(b, op->getLoc(), operand.get()));
  });
}

} // namespace fairlead::lower
