#include "dsl/atom/AtomOps.h"

#include "mlir/IR/OpImplementation.h"

#include "dsl/CheckOps.h"
#include "dsl/LaunchOp.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::AtomDialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::LaunchExtrasOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::MmaOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::LoadMatrixOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::StoreMatrixOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::WarpgroupMmaOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::TensorCopyOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::BulkCopyOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::TensorMapOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::MapEditOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::MbarrierOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(fairlead::dsl::OrderOp)

namespace fairlead::dsl {

AtomDialect::AtomDialect(mlir::MLIRContext *context)
    : Dialect(getDialectNamespace(), context, mlir::TypeID::get<AtomDialect>()) {
  addOperations<LaunchExtrasOp, MmaOp, LoadMatrixOp, StoreMatrixOp, WarpgroupMmaOp, TensorCopyOp,
                BulkCopyOp, TensorMapOp, MapEditOp, MbarrierOp, OrderOp, IndexOp, MemoryOp>();
}

} // namespace fairlead::dsl
