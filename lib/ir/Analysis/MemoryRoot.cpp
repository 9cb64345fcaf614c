#include "ir/Analysis/MemoryRoot.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::ir {
namespace {

MemoryRoot::Kind kindOf(Value base) {
  if (auto argument = dyn_cast<BlockArgument>(base))
    return isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) &&
                   isa<LLVM::LLVMPointerType>(argument.getType())
               ? MemoryRoot::Kind::Parameter
               : MemoryRoot::Kind::Unknown;
  return base.getDefiningOp<LLVM::AllocaOp>() ? MemoryRoot::Kind::Private
                                              : MemoryRoot::Kind::Unknown;
}

} // namespace

Value addressSource(Operation *op) {
  if (auto guard = dyn_cast<GuardOp>(op))
    return guard.getAddress();
  return isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::IntToPtrOp, LLVM::PtrToIntOp, IndexOp>(op)
             ? op->getOperand(0)
             : Value();
}

std::optional<int64_t> addressStep(Operation *op) {
  auto step = dyn_cast<LLVM::GEPOp>(op);
  if (!step)
    return 0;
  if (step.getRawConstantIndices().size() != 1)
    return std::nullopt;
  int64_t index = step.getRawConstantIndices().front();
  if (!step.getDynamicIndices().empty()) {
    APInt constant;
    if (!matchPattern(step.getDynamicIndices().front(), m_ConstantInt(&constant)))
      return std::nullopt;
    index = constant.getSExtValue();
  }
  const Type element = step.getElemType();
  const uint64_t bytes = element.isIntOrFloat()
                             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                             : DataLayout().getTypeSize(element).getFixedValue();
  return index * static_cast<int64_t>(bytes);
}

MemoryRoot MemoryRoot::of(Value address) {
  MemoryRoot root;
  for (root.base = address;;) {
    Operation *op = root.base.getDefiningOp();
    auto allocation = op ? op->getAttrOfType<DenseI64ArrayAttr>(kAllocationAttribute) : nullptr;
    if (allocation) {
      root.kind = Kind::Shared;
      root.allocation = allocation.asArrayRef();
      return root;
    }
    Value source = op ? addressSource(op) : Value();
    if (!source) {
      root.kind = kindOf(root.base);
      return root;
    }
    if (auto index = dyn_cast<IndexOp>(op))
      root.boundedByIndices |= index.getWhole();
    std::optional<int64_t> step = addressStep(op);
    root.distance = root.distance && step ? std::optional(*root.distance + *step) : std::nullopt;
    root.base = source;
  }
}

} // namespace fairlead::ir
