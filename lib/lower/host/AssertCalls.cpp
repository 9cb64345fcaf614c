/// Lowers assertions of host functions and of CPU kernels, and guards, to calls of the runtime.
/// Assertions of CUDA kernels are left to the conversion to NVVM.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "check/compile/Guards.h"
#include "dsl/trace/RuntimeCalls.h"
#include "ir/Attributes.h"
#include "ir/Builders.h"
#include "ir/Ops.h"
#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

struct AssertCallsPass : PassWrapper<AssertCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssertCallsPass)
  StringRef getArgument() const final { return "fairlead-assert-calls"; }
  StringRef getDescription() const final { return "Call the runtime where assertions fail"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, scf::SCFDialect, arith::ArithDialect>();
  }

  void runOnOperation() final {
    SmallVector<cf::AssertOp> found;
    getOperation()->walk([&](cf::AssertOp op) {
      if (!op->getParentOfType<gpu::GPUModuleOp>())
        found.push_back(op);
    });
    for (auto [index, op] : llvm::enumerate(found))
      lower(op, "assertion_" + std::to_string(index));
    SmallVector<ir::GuardOp> guards;
    getOperation()->walk([&](ir::GuardOp op) {
      if (!op->getParentOfType<gpu::GPUModuleOp>())
        guards.push_back(op);
    });
    for (ir::GuardOp guard : guards)
      check::lowerGuard(guard);
  }

private:
  void lower(cf::AssertOp op, const std::string &symbol) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value wrong =
        arith::XOrIOp::create(b, op.getArg(), arith::ConstantOp::create(b, b.getBoolAttr(true)));
    auto branch = scf::IfOp::create(b, wrong, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    Value message = ir::textAddress(b, b.getLoc(), getOperation(), symbol, messageOf(op));
    if (auto host = op->getParentOfType<func::FuncOp>())
      raise(b, host, message);
    else
      stop(b, op->getParentOfType<LLVM::LLVMFuncOp>(), message);
    op.erase();
  }

  static std::string messageOf(cf::AssertOp op) {
    std::string message = op.getMsg().str();
    if (message.empty())
      message = "an assertion failed";
    if (auto place = dyn_cast<FileLineColLoc>(op.getLoc()))
      message += " (" + place.getFilename().str() + ":" + std::to_string(place.getLine()) + ")";
    return message;
  }

  /// Ends the call with the error; later launches of the call do nothing.
  void raise(ImplicitLocOpBuilder &b, func::FuncOp host, Value message) {
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Value two = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(2));
    Value failure = LLVM::AllocaOp::create(b, pointer, pointer, two);
    LLVM::StoreOp::create(b, kind(b), failure);
    Value second = LLVM::GEPOp::create(b, pointer, pointer, failure, ArrayRef<LLVM::GEPArg>{1});
    LLVM::StoreOp::create(b, message, second);
    Value zero = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(0));
    callRuntime(b, runtime::FairleadRaise, {host.getArgument(0), failure, zero, zero});
  }

  Value kind(ImplicitLocOpBuilder &b) {
    constexpr char kSymbol[] = "assertion_kind";
    if (getOperation().lookupSymbol(kSymbol))
      return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(&getContext()), kSymbol);
    return ir::textAddress(b, b.getLoc(), getOperation(), kSymbol, "AssertionError");
  }

  /// The third to fifth arguments of block and thread functions are the block's index.
  void stop(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp function, Value message) {
    callRuntime(
        b, runtime::FairleadCpuAssert,
        {message, function.getArgument(2), function.getArgument(3), function.getArgument(4)});
  }
};

} // namespace

std::unique_ptr<Pass> createAssertCallsPass() { return std::make_unique<AssertCallsPass>(); }

// printf on the host and in kernels for the CPU, and breakpoints there: calls of the runtime.

namespace {

struct PrintCallsPass : PassWrapper<PrintCallsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintCallsPass)
  StringRef getArgument() const final { return "fairlead-print-calls"; }
  StringRef getDescription() const final { return "Call the runtime for printf"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() final {
    SmallVector<gpu::PrintfOp> prints;
    getOperation()->walk([&](gpu::PrintfOp print) {
      if (!print->getParentOfType<gpu::GPUModuleOp>())
        prints.push_back(print);
    });
    ImplicitLocOpBuilder b(getOperation().getLoc(), &getContext());
    for (auto [index, print] : llvm::enumerate(prints))
      lower(b, print, "format_" + std::to_string(index));
  }

  void lower(ImplicitLocOpBuilder &b, gpu::PrintfOp print, const std::string &symbol) {
    b.setInsertionPoint(print);
    SmallVector<Value> operands{
        ir::textAddress(b, b.getLoc(), getOperation(), symbol, print.getFormat())};
    llvm::append_range(operands, print.getArgs());
    callRuntime(b,
                print->hasAttr(ir::kStopAttribute) ? runtime::FairleadCheckStop
                                                   : runtime::FairleadPrintf,
                operands);
    print->erase();
  }
};

} // namespace

std::unique_ptr<Pass> createPrintCallsPass() { return std::make_unique<PrintCallsPass>(); }

} // namespace fairlead::lower
