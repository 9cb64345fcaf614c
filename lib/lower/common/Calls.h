/// Arguments of the runtime calls that replace operations.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "dsl/trace/RuntimeCalls.h"

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

} // namespace fairlead::lower
