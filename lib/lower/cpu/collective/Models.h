/// The models of this folder, which Models.def lists.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace fairlead::lower {

/// Attaches the models to all operations in contexts that load our dialect from this registry, or
/// that get the registry appended.
void registerCollectiveModels(mlir::DialectRegistry &registry);
/// Attaches the models to one context; once is enough.
void loadCollectiveModels(mlir::MLIRContext &context);

#define FAIRLEAD_CPU_MODEL(name) void attach##name(mlir::MLIRContext &context);
#include "lower/cpu/collective/Models.def"

} // namespace fairlead::lower
