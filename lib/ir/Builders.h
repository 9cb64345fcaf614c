/// Helpers that build IR, for tracing, checks and lowering: globals of bytes, loops without a body.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fairlead::ir {

/// A body for scf::ForOp::create, which then adds no terminator.
inline void leaveOpen(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::ValueRange) {}

/// Defines a global of these bytes at the start of `module`, which may be a gpu.module.
inline void defineBytes(mlir::OpBuilder &b, mlir::Location location, mlir::Operation *module,
                        llvm::StringRef symbol, llvm::StringRef bytes, bool isConstant,
                        mlir::LLVM::Linkage linkage, unsigned alignment = 0) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&module->getRegion(0).front());
  auto type = mlir::LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  mlir::LLVM::GlobalOp::create(b, location, type, isConstant, linkage, symbol,
                               b.getStringAttr(bytes), alignment);
}

/// Defines a global of these bytes in the modules around `op` that do not have it: kernels move
/// from gpu.module to the module itself later.
inline void defineBytesAround(mlir::Operation *op, llvm::StringRef symbol, llvm::StringRef bytes,
                              bool isConstant) {
  mlir::OpBuilder b(op->getContext());
  for (mlir::Operation *module = op->getParentOp(); module; module = module->getParentOp())
    if (module->hasTrait<mlir::OpTrait::SymbolTable>() &&
        !mlir::SymbolTable::lookupSymbolIn(module, symbol))
      defineBytes(b, op->getLoc(), module, symbol, bytes, isConstant, mlir::LLVM::Linkage::Internal,
                  /*alignment=*/8);
}

/// Defines a constant of the text and a NUL in `module`, and returns its address.
inline mlir::Value textAddress(mlir::OpBuilder &b, mlir::Location location, mlir::Operation *module,
                               llvm::StringRef symbol, llvm::StringRef text) {
  defineBytes(b, location, module, symbol, text.str() + '\0', /*isConstant=*/true,
              mlir::LLVM::Linkage::Private);
  return mlir::LLVM::AddressOfOp::create(b, location,
                                         mlir::LLVM::LLVMPointerType::get(b.getContext()), symbol);
}

} // namespace fairlead::ir
