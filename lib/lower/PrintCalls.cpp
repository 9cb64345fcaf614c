/// printf on the host and in kernels for the CPU, and breakpoints there: calls of the runtime.
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "ir/Attributes.h"
#include "lower/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr char kPrintf[] = "FairleadPrintf", kStop[] = "FairleadCheckStop";

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
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer},
                                            /*isVarArg=*/true);
    const char *function = print->hasAttr(ir::kStopAttribute) ? kStop : kPrintf;
    b.setInsertionPointToStart(getOperation().getBody());
    if (!getOperation().lookupSymbol(function))
      LLVM::LLVMFuncOp::create(b, function, type);
    std::string bytes = print.getFormat().str() + '\0';
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
                           /*isConstant=*/true, LLVM::Linkage::Private, symbol,
                           b.getStringAttr(bytes));
    b.setInsertionPoint(print);
    SmallVector<Value> operands{LLVM::AddressOfOp::create(b, pointer, symbol)};
    llvm::append_range(operands, print.getArgs());
    LLVM::CallOp::create(b, type, function, operands);
    print->erase();
  }
};

} // namespace

std::unique_ptr<Pass> createPrintCallsPass() { return std::make_unique<PrintCallsPass>(); }

} // namespace fairlead::lower
