/// Arguments of the runtime calls that replace operations.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "dsl/trace/RuntimeCalls.h"

namespace fairlead::lower {

inline mlir::Value i32Constant(mlir::ImplicitLocOpBuilder &b, int64_t value) {
  return mlir::arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}
inline mlir::Value i64Constant(mlir::ImplicitLocOpBuilder &b, int64_t value) {
  return mlir::arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

/// Converts an index or a signed integer to an i64.
inline mlir::Value extendTo64(mlir::ImplicitLocOpBuilder &b, mlir::Value value) {
  if (value.getType().isIndex())
    return mlir::arith::IndexCastOp::create(b, b.getI64Type(), value);
  if (value.getType().isInteger(64))
    return value;
  return mlir::arith::ExtSIOp::create(b, b.getI64Type(), value);
}

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
