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

MemoryUse MemoryUse::of(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() || isa<LLVM::InlineAsmOp>(op))
    return {true, true, true};
  if (isMemoryEffectFree(op))
    return {};
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return {true, true, true};
  MemoryUse use;
  bool stated = false, writesMemory = false;
  for (const MemoryEffects::EffectInstance &effect : effectsOf(interface)) {
    const bool writes = isa<MemoryEffects::Write>(effect.getEffect());
    writesMemory |= writes && effect.getResource() == SideEffects::DefaultResource::get();
    if (effect.getEffectValue<OpOperand *>() != &operand)
      continue;
    stated = true;
    use.reads |= isa<MemoryEffects::Read>(effect.getEffect());
    use.writes |= writes;
  }
  use.escapes = !stated && writesMemory;
  return use;
}

bool accessesMemory(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  return interface && llvm::any_of(effectsOf(interface), [](const auto &effect) {
           return effect.template getEffectValue<OpOperand *>() != nullptr;
         });
}

bool holdsOperands(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  return interface && interface.hasEffect<MemoryEffects::Allocate>();
}

bool computesAddress(Operation *op) {
  return isMemoryEffectFree(op) && !op->getNumRegions() && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<arith::CmpIOp, LLVM::InlineAsmOp>(op);
}

} // namespace fairlead::ir
