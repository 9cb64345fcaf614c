/// printf on the host and in kernels for the CPU, and breakpoints there: calls of the runtime.
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "dsl/trace/RuntimeCalls.h"
#include "ir/Attributes.h"
#include "lower/common/Passes.h"

using namespace mlir;

namespace fairlead::lower {
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
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    b.setInsertionPointToStart(getOperation().getBody());
    std::string bytes = print.getFormat().str() + '\0';
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
                           /*isConstant=*/true, LLVM::Linkage::Private, symbol,
                           b.getStringAttr(bytes));
    b.setInsertionPoint(print);
    SmallVector<Value> operands{LLVM::AddressOfOp::create(b, pointer, symbol)};
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
