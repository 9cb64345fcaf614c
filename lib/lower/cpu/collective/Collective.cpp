#include "lower/cpu/collective/Collective.h"

#include "lower/cpu/Checks.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::lower::CollectiveOp)

namespace fairlead::lower {

bool CollectiveModel::takesAll(Operation *, std::optional<int64_t>) const { return true; }

bool CollectiveModel::aligned(Operation *) const { return false; }

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
    Attribute site = op->getAttr(kSiteAttribute);
    Block::iterator before(op), after = std::next(before);
    const bool first = before == op->getBlock()->begin();
    Block *block = op->getBlock();
    if (!first)
      --before;
    op.rewrite(b);
    if (!site)
      continue;
    // What takes its place waits where it did.
    for (auto at = first ? block->begin() : std::next(before); at != after; ++at)
      at->walk([&](Operation *part) {
        if (asCollective(part))
          part->setAttr(kSiteAttribute, site);
      });
  }
}

} // namespace fairlead::lower
