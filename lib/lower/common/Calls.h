/// Calls of the runtime in the place of operations.
#ifndef FAIRLEAD_LIB_LOWER_COMMON_CALLS_H
#define FAIRLEAD_LIB_LOWER_COMMON_CALLS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace fairlead::lower {

inline mlir::Value nullPointer(mlir::ImplicitLocOpBuilder &b) {
  return mlir::LLVM::ZeroOp::create(b, mlir::LLVM::LLVMPointerType::get(b.getContext()));
}

/// Converts an address of any memory to the CPU's only address space.
inline mlir::Value generic(mlir::ImplicitLocOpBuilder &b, mlir::Value address) {
  auto type = mlir::LLVM::LLVMPointerType::get(b.getContext());
  if (address.getType() == type)
    return address;
  mlir::Value number = mlir::LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
  return mlir::LLVM::IntToPtrOp::create(b, type, number);
}

/// Calls a function of the runtime. Returns null if it has no result.
inline mlir::Value callRuntime(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                               mlir::ArrayRef<mlir::Value> arguments, mlir::Type result = {}) {
  using namespace mlir;
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto type = LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b.getContext()),
                                          SmallVector<Type>(ValueRange(arguments).getTypes()));
  auto declareIn = [&](Operation *table, Block *body) {
    if (SymbolTable::lookupSymbolIn(table, name))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    LLVM::LLVMFuncOp::create(b, name, type);
  };
  // Kernels become functions of the module itself later.
  if (auto device = parent->getParentOfType<gpu::GPUModuleOp>())
    declareIn(device, device.getBody());
  auto module = parent->getParentOfType<ModuleOp>();
  declareIn(module, module.getBody());
  auto call = LLVM::CallOp::create(b, result ? TypeRange(result) : TypeRange(), name,
                                   ValueRange(arguments));
  return result ? call.getResult() : Value();
}

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_COMMON_CALLS_H
