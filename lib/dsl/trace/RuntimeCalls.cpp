#include "dsl/trace/RuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace fairlead {
namespace {

struct Types {
  Type none() const { return LLVM::LLVMVoidType::get(context); }
  Type pointer() const { return LLVM::LLVMPointerType::get(context); }
  Type pair() const { return LLVM::LLVMStructType::getLiteral(context, {pointer(), pointer()}); }
  Type integer(unsigned bits) const { return IntegerType::get(context, bits); }
  Type float64() const { return Float64Type::get(context); }

  MLIRContext *context;
};

} // namespace

Value callRuntime(OpBuilder &b, Location location, const RuntimeFunction &function,
                  ValueRange arguments) {
  const Types types{b.getContext()};
  SmallVector<Type> parameters;
  for (size_t i = 0; i < function.numParameters; ++i)
    parameters.push_back(irTypeOf(function.parameters[i], types));
  auto type = LLVM::LLVMFunctionType::get(irTypeOf(function.result, types), parameters,
                                          function.isVariadic);
  for (Operation *table = b.getInsertionBlock()->getParentOp(); table;
       table = table->getParentOp()) {
    if (!table->hasTrait<OpTrait::SymbolTable>() ||
        SymbolTable::lookupSymbolIn(table, function.name))
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&table->getRegion(0).front());
    auto declared = LLVM::LLVMFuncOp::create(b, location, function.name, type);
    if (function.binding == RuntimeBinding::Eager)
      declared.setPassthroughAttr(b.getArrayAttr(b.getStringAttr("nonlazybind")));
  }
  auto call = LLVM::CallOp::create(b, location, type, function.name, arguments);
  return call.getNumResults() ? call.getResult() : Value();
}

} // namespace fairlead
