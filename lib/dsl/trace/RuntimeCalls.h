/// Calls of the runtime's functions in MLIR.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "runtime/RuntimeFunctions.h"

namespace fairlead {

/// Emits a call of the function and declares it in the modules around it: kernels move from
/// gpu.module to the module itself later. Returns the result, or null for a function without one.
mlir::Value callRuntime(mlir::OpBuilder &b, mlir::Location location,
                        const RuntimeFunction &function, mlir::ValueRange arguments);
inline mlir::Value callRuntime(mlir::ImplicitLocOpBuilder &b, const RuntimeFunction &function,
                               mlir::ValueRange arguments) {
  return callRuntime(b, b.getLoc(), function, arguments);
}

} // namespace fairlead
