#include "lower/cpu/collective/Models.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "ir/Dialect.h"

using namespace mlir;

namespace fairlead::lower {

static void attachAll(MLIRContext *context, NVVM::NVVMDialect *) {
  attachAsyncCopy(*context);
  attachBarrier(*context);
  attachClusterBarrier(*context);
  attachClusterIndices(*context);
  attachElection(*context);
  attachGridDependency(*context);
  attachMapToBlock(*context);
  attachShuffle(*context);
  attachVote(*context);
  attachWarpBarrier(*context);
}

static void attachAtoms(MLIRContext *context, ir::FairleadDialect *) {
  attachAsyncCopies(*context);
  attachMatrices(*context);
  attachMma(*context);
  attachWarpgroupMma(*context);
}

static void attachBarriers(MLIRContext *context, NVVM::NVVMDialect *, ir::FairleadDialect *) {
  attachMbarrier(*context);
  attachOrders(*context);
}

void registerCollectiveModels(DialectRegistry &registry) {
  registry.addExtension(attachAll);
  registry.addExtension(attachAtoms);
  registry.addExtension(attachBarriers);
}

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
