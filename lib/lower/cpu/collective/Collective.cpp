#include "lower/cpu/collective/Collective.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::lower::CollectiveOp)

namespace fairlead::lower {

bool CollectiveModel::takesAll(Operation *, std::optional<int64_t>) const { return true; }

SmallVector<Value> CollectiveModel::uniformOperands(Operation *) const { return {}; }

Divergence CollectiveModel::divergence(Operation *, const Uniformity &,
                                       std::optional<int64_t>) const {
  return Divergence::Any;
}

void CollectiveModel::rewrite(Operation *, ImplicitLocOpBuilder &) const {
  llvm_unreachable("an operation that is not rewritten");
}

void CollectiveModel::emitTogether(Operation *, FissionBuilder &) const {
  llvm_unreachable("an operation that is not emitted");
}

Value CollectiveModel::emitThread(Operation *, ThreadBuilder &) const {
  llvm_unreachable("an operation that is not emitted");
}

bool holdsCollective(Operation *root, Scope least) {
  return root
      ->walk([&](Operation *op) {
        CollectiveOp collective = asCollective(op);
        return collective && collective.scope() >= least ? WalkResult::interrupt()
                                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

void rewriteCollectives(Operation *kernel) {
  SmallVector<CollectiveOp> ops;
  kernel->walk([&](CollectiveOp op) {
    if (op.cpuForm() == CpuForm::Rewritten)
      ops.push_back(op);
  });
  ImplicitLocOpBuilder b(kernel->getLoc(), kernel->getContext());
  for (CollectiveOp op : ops) {
    b.setInsertionPoint(op);
    op.rewrite(b);
  }
}

} // namespace fairlead::lower
