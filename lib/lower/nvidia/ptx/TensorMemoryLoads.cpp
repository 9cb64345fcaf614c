/// Keeps few registers in use around loads from tensor memory, which have up to 128 results each.
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {

namespace {

bool readsTensorMemory(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly && StringRef(assembly->getAsmString()).contains("tcgen05.ld");
}

} // namespace

void computeBehindLoads(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      auto load = find_if(block, readsTensorMemory);
      if (load == block.end())
        continue;
      auto isBefore = [&](const User *user) {
        const auto *op = cast<Instruction>(user);
        return op == &*load || (op->getParent() == &block && op->comesBefore(&*load)) ||
               isa<PHINode>(op);
      };
      for (Instruction &op : make_early_inc_range(reverse(make_range(block.begin(), load))))
        if ((op.isBinaryOp() && !op.isIntDivRem()) || op.isCast() ||
            isa<CmpInst, SelectInst, GetElementPtrInst>(op))
          if (none_of(op.users(), isBefore))
            op.moveAfter(&*load);
    }
}

void keepLoops(Module &module) {
  for (const Function &function : module)
    if (any_of(instructions(function), readsTensorMemory)) {
      module.appendModuleInlineAsm(".pragma \"nounroll\";");
      return;
    }
}

} // namespace fairlead::lower
