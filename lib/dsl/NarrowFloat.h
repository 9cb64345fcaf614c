/// Floats that no processor computes with: TFloat32 is kept as a Float32 with its lower bits zero,
/// the others as their bits in 8. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_NARROWFLOAT_H_
#define FAIRLEAD_LIB_DSL_NARROWFLOAT_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// The narrow float nearest to a Float32 or Float64, ties to even. Numbers beyond the largest one,
/// infinities too, give the largest, as the GPU's own conversions do; NaN gives NaN, and where
/// there is none the largest number. Float8E8M0FNU, which has no sign, gives NaN for negative
/// numbers and its least number for 0.
mlir::Value emitToNarrow(Program::Impl &impl, mlir::Value value, DType to);
/// The Float32 that a narrow float is.
mlir::Value emitFromNarrow(Program::Impl &impl, mlir::Value value, DType from);

/// The type that arithmetic of `type` is done in: Float32 for narrow floats.
inline DType workType(DType type) { return isNarrowFloat(type) ? DType::Float32 : type; }

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_NARROWFLOAT_H_
