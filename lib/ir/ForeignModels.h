/// The dialect's interfaces on operations of other dialects.
#ifndef FAIRLEAD_LIB_IR_FOREIGNMODELS_H_
#define FAIRLEAD_LIB_IR_FOREIGNMODELS_H_

#include "mlir/IR/MLIRContext.h"

namespace fairlead::ir {

/// Attaches them. The context has loaded the dialects LLVM and NVVM.
void attachForeignModels(mlir::MLIRContext &context);

} // namespace fairlead::ir
#endif // FAIRLEAD_LIB_IR_FOREIGNMODELS_H_
