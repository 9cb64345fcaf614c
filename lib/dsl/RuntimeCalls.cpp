#include "dsl/RuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace fairlead {
namespace {

Type typeOf(RuntimeType type, Builder &b) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  switch (type) {
  case RuntimeType::Void:
    return LLVM::LLVMVoidType::get(b.getContext());
  case RuntimeType::Pointer:
    return pointer;
  case RuntimeType::TwoPointers:
    return LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer});
  case RuntimeType::Unsigned16:
    return b.getI16Type();
  case RuntimeType::Int32:
    return b.getI32Type();
  case RuntimeType::Int64:
    return b.getI64Type();
  case RuntimeType::Float64:
    return b.getF64Type();
  }
  llvm_unreachable("a type of the runtime's functions");
}

} // namespace

Value callRuntime(OpBuilder &b, Location location, const RuntimeFunction &function,
                  ValueRange arguments) {
  SmallVector<Type> parameters;
  for (size_t i = 0; i < function.numParameters; ++i)
    parameters.push_back(typeOf(function.parameters[i], b));
  auto type =
      LLVM::LLVMFunctionType::get(typeOf(function.result, b), parameters, function.isVariadic);
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
