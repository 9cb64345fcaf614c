/// Conditions that a program checks when it runs, on the host.
#include "dsl/trace/Builder.h"

#include "dsl/trace/RuntimeCalls.h"
#include "fairlead/dsl/TracingDialect.h"
#include "ir/Builders.h"

using namespace mlir;

namespace fairlead::dsl {

mlir::Value textAddress(Program::Impl &impl, StringRef text) {
  std::string symbol = "text_" + std::to_string(impl.numGlobals++);
  return ir::textAddress(impl.builder, impl.builder.getUnknownLoc(), *impl.module, symbol, text);
}

void requireEqual(Program::Impl &impl, const Scalar &expected, const Scalar &got,
                  std::string_view kind, const std::string &message) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value x = emitIndex(impl, expected), y = emitIndex(impl, got);
  mlir::Value differ = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x, y);
  auto branch = scf::IfOp::create(b, loc, differ, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // FairleadFailure {kind, message}, on the stack: this path is cold.
  auto pointer = LLVM::LLVMPointerType::get(impl.context.get());
  mlir::Value two = emitIntConstant(impl, DType::Int64, 2);
  mlir::Value failure = LLVM::AllocaOp::create(b, loc, pointer, pointer, two);
  LLVM::StoreOp::create(b, loc, textAddress(impl, kind), failure);
  mlir::Value second =
      LLVM::GEPOp::create(b, loc, pointer, pointer, failure, ArrayRef<LLVM::GEPArg>{1});
  LLVM::StoreOp::create(b, loc, textAddress(impl, message), second);
  callRuntime(b, loc, runtime::FairleadRaise, {impl.host.getArgument(0), failure, x, y});
}

static thread_local TracingDialect currentDialect;

const TracingDialect &tracingDialect() { return currentDialect; }

void setTracingDialect(const TracingDialect &dialect) { currentDialect = dialect; }

} // namespace fairlead::dsl
