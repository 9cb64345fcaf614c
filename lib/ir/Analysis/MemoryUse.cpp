#include "ir/Analysis/MemoryUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fairlead::ir {
namespace {

SmallVector<MemoryEffects::EffectInstance> effectsOf(MemoryEffectOpInterface op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  return effects;
}

} // namespace

MemoryUse MemoryUse::of(OpOperand &operand) { return MemoryUses(operand.getOwner()).at(operand); }

MemoryUses::MemoryUses(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  isUnknown = op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
              isa<LLVM::InlineAsmOp>(op) || (!interface && !isMemoryEffectFree(op));
  if (isUnknown || !interface)
    return;
  interface.getEffects(effects);
  writesMemory = llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() == SideEffects::DefaultResource::get();
  });
}

MemoryUse MemoryUses::at(OpOperand &operand) const {
  if (isUnknown)
    return {true, true, true};
  MemoryUse use;
  bool isStated = false;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getEffectValue<OpOperand *>() != &operand)
      continue;
    isStated = true;
    use.reads |= isa<MemoryEffects::Read>(effect.getEffect());
    use.writes |= isa<MemoryEffects::Write>(effect.getEffect());
  }
  use.escapes = !isStated && writesMemory;
  return use;
}

bool isArithmetic(Operation *op) {
  const OperationName name = op->getName();
  return isa_and_nonnull<arith::ArithDialect>(name.getDialect()) ||
         name.getTypeID() == TypeID::get<LLVM::GEPOp>();
}

bool accessesMemory(Operation *op) {
  if (isArithmetic(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  return interface && llvm::any_of(effectsOf(interface), [](const auto &effect) {
           return effect.template getEffectValue<OpOperand *>() != nullptr;
         });
}

bool holdsOperands(Operation *op) {
  auto interface = isArithmetic(op) ? nullptr : dyn_cast<MemoryEffectOpInterface>(op);
  return interface && interface.hasEffect<MemoryEffects::Allocate>();
}

bool computesAddress(Operation *op) {
  return isMemoryEffectFree(op) && !op->getNumRegions() && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<arith::CmpIOp, LLVM::InlineAsmOp>(op);
}

} // namespace fairlead::ir
