#include "lower/cpu/collective/Models.h"

#include "ir/Dialect.h"

using namespace mlir;

namespace fairlead::lower {

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
