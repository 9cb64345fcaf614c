#include "dsl/atom/AtomOps.h"

#include "mlir/IR/OpImplementation.h"

#include "dsl/LaunchOp.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::AtomDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::LaunchExtrasOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::MmaOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::LoadMatrixOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::StoreMatrixOp)

namespace fairlead::dsl {

AtomDialect::AtomDialect(mlir::MLIRContext *context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<AtomDialect>()) {
  addOperations<LaunchExtrasOp, MmaOp, LoadMatrixOp, StoreMatrixOp>();
}

} // namespace fairlead::dsl
