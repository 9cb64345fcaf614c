#include "lower/cpu/collective/Models.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace fairlead::lower {

static void attachAll(MLIRContext *context, NVVM::NVVMDialect *) {
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
