/// Memory of a thread, through which rewritten operations pass registers to the runtime and back.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "dsl/trace/Symbols.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"

namespace fairlead::lower {

/// Returns the thread's variable of this name, of `words` words of 32 bits. All operations of a
/// kernel share it.
inline mlir::Value threadScratch(mlir::gpu::GPUFuncOp kernel, mlir::StringRef name, int words,
                                 mlir::ImplicitLocOpBuilder &b) {
  using namespace mlir;
  Block &entry = kernel.getBody().front();
  for (auto memory : entry.getOps<LLVM::AllocaOp>())
    if (memory->hasAttr(name))
      return memory;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&entry);
  auto memory = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                       b.getI32Type(), i32Constant(b, words), /*alignment=*/16);
  memory->setAttr(name, b.getUnitAttr());
  return memory;
}

/// Returns the address of element `index` of that memory. Elements have the type `word`.
inline mlir::Value scratchElement(mlir::Value memory, mlir::Type word, size_t index,
                                  mlir::ImplicitLocOpBuilder &b) {
  using namespace mlir;
  return LLVM::GEPOp::create(b, memory.getType(), word, memory,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
}

/// Returns the address of the block's shared memory, as an argument of the runtime.
inline mlir::Value sharedMemory(mlir::ImplicitLocOpBuilder &b) {
  auto window = mlir::LLVM::LLVMPointerType::get(b.getContext(), dsl::kSharedAddressSpace);
  return generic(b, mlir::LLVM::AddressOfOp::create(b, window, dsl::kSharedSymbol));
}

} // namespace fairlead::lower
