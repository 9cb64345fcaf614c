/// Kernels for the CPU whose threads end before the end of the kernel, by inline PTX `exit`.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "lower/cpu/CpuPasses.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

bool isExit(Operation &op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().trim() == "exit;";
}

/// Erases the block's operations from this one to its terminator.
void eraseFrom(Operation *first) {
  Block *block = first->getBlock();
  while (first->getNextNode() != &block->back())
    block->back().getPrevNode()->erase();
  first->erase();
}

/// Moves the operations between the branch and the end of the kernel into its other side.
void moveRest(scf::IfOp branch, bool exitsIfTrue) {
  Block *rest = branch->getBlock();
  if (!branch.elseBlock()) {
    OpBuilder b = OpBuilder::atBlockBegin(&branch.getElseRegion().emplaceBlock());
    scf::YieldOp::create(b, branch.getLoc());
  }
  Block *side = exitsIfTrue ? branch.elseBlock() : branch.thenBlock();
  side->getOperations().splice(side->getTerminator()->getIterator(), rest->getOperations(),
                               std::next(branch->getIterator()),
                               rest->getTerminator()->getIterator());
}

} // namespace

void endThreads(gpu::GPUModuleOp kernels) {
  kernels.walk([](gpu::GPUFuncOp kernel) {
    Block *body = &kernel.getBody().front();
    // What moved into a branch is still the kernel's body: an exit there ends the thread, too.
    for (auto next = body->begin(); next != body->end();) {
      Operation &op = *next++;
      if (isExit(op)) {
        eraseFrom(&op);
        break;
      }
      auto branch = dyn_cast<scf::IfOp>(op);
      if (!branch || branch->getNumResults())
        continue;
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
        if (region->empty())
          continue;
        auto exit = llvm::find_if(region->front(), isExit);
        if (exit == region->front().end())
          continue;
        eraseFrom(&*exit);
        const bool exitsIfTrue = region == &branch.getThenRegion();
        moveRest(branch, exitsIfTrue);
        body = exitsIfTrue ? branch.elseBlock() : branch.thenBlock();
        next = body->begin();
        break;
      }
    }
  });
}

} // namespace fairlead::lower
