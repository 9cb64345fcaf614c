/// The models of this folder. A new one is declared here and attached in Models.cpp.
#ifndef FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_MODELS_H
#define FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_MODELS_H

#include "mlir/IR/MLIRContext.h"

namespace fairlead::lower {

/// Contexts that load the NVVM dialect from this registry, or get it appended, give the dialect's
/// operations their models.
void registerCollectiveModels(mlir::DialectRegistry &registry);
/// The same for one context; once is enough.
void loadCollectiveModels(mlir::MLIRContext &context);

void attachAsyncCopy(mlir::MLIRContext &context);
void attachAsyncCopies(mlir::MLIRContext &context);
void attachBarrier(mlir::MLIRContext &context);
void attachClusterBarrier(mlir::MLIRContext &context);
void attachClusterIndices(mlir::MLIRContext &context);
void attachElection(mlir::MLIRContext &context);
void attachGridDependency(mlir::MLIRContext &context);
void attachMapToBlock(mlir::MLIRContext &context);
void attachMatrices(mlir::MLIRContext &context);
void attachMbarrier(mlir::MLIRContext &context);
void attachMma(mlir::MLIRContext &context);
void attachOrders(mlir::MLIRContext &context);
void attachShuffle(mlir::MLIRContext &context);
void attachVote(mlir::MLIRContext &context);
void attachWarpBarrier(mlir::MLIRContext &context);
void attachWarpgroupMma(mlir::MLIRContext &context);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_COLLECTIVE_MODELS_H
