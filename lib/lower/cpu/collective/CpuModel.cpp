#include "lower/cpu/collective/CpuModel.h"

#include "check/compile/CheckBuilder.h"
#include "check/compile/Checks.h"
#include "ir/Dialect.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::lower::CpuOp)

namespace fairlead::lower {

Divergence CpuModel::divergence(Operation *, const Uniformity &, std::optional<int64_t>) const {
  return Divergence::Any;
}

void CpuModel::rewrite(Operation *, ImplicitLocOpBuilder &) const {
  llvm_unreachable("an operation that is not rewritten");
}

void CpuModel::emitTogether(Operation *, FissionBuilder &) const {
  llvm_unreachable("an operation that is not emitted");
}

Value CpuModel::emitThread(Operation *, ThreadBuilder &) const {
  llvm_unreachable("an operation that is not emitted");
}

bool holdsCollective(Operation *root, Scope least) {
  return root
      ->walk([&](ir::CollectiveOp op) {
        return op.getScope() >= least ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void addModelChecks(Operation *op, CheckBuilder &checks) {
  auto modelled = dyn_cast<CpuOp>(op);
  if (!modelled)
    return;
  modelled.checkAccesses(checks);
  if (checks.orders())
    modelled.tellOrder(checks);
}

void rewriteCollectives(Operation *kernel) {
  SmallVector<CpuOp> ops;
  kernel->walk([&](CpuOp op) {
    if (op.cpuForm() == CpuForm::Rewritten)
      ops.push_back(op);
  });
  ImplicitLocOpBuilder b(kernel->getLoc(), kernel->getContext());
  for (CpuOp op : ops) {
    b.setInsertionPoint(op);
    Attribute site = op->getAttr(check::kSiteAttribute);
    Block::iterator before(op), after = std::next(before);
    const bool first = before == op->getBlock()->begin();
    Block *block = op->getBlock();
    if (!first)
      --before;
    op.rewrite(b);
    if (!site)
      continue;
    // Its replacements wait at the same site.
    for (auto at = first ? block->begin() : std::next(before); at != after; ++at)
      at->walk([&](Operation *part) {
        if (isa<ir::CollectiveOp>(part))
          part->setAttr(check::kSiteAttribute, site);
      });
  }
}

/// Our dialect loads NVVM.
static void attachAll(MLIRContext *context, ir::FairleadDialect *) {
#define FAIRLEAD_CPU_MODEL(name) attach##name(*context);
#include "lower/cpu/collective/Models.def"
}

void registerCollectiveModels(DialectRegistry &registry) { registry.addExtension(attachAll); }

void loadCollectiveModels(MLIRContext &context) {
  static const DialectRegistry *registry = [] {
    auto *models = new DialectRegistry;
    registerCollectiveModels(*models);
    return models;
  }();
  // The context remembers which extensions it has.
  context.appendDialectRegistry(*registry);
}

} // namespace fairlead::lower
