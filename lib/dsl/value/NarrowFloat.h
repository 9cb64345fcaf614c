/// Floats without processor arithmetic: TFloat32 is stored as a Float32 with zero lower bits,
/// the others as their bits in 8 bits. Internal to lib/dsl.
#pragma once

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Converts a Float32 or Float64 to the nearest narrow float, ties to even. Larger numbers and
/// infinities give the largest number, like the GPU's conversions. NaN gives NaN, or the largest
/// number if the type has no NaN. Float8E8M0FNU, which has no sign, gives NaN for negative numbers
/// and its least number for 0.
mlir::Value emitToNarrow(Program::Impl &impl, mlir::Value value, DType to);
/// Converts a narrow float to the equal Float32.
mlir::Value emitFromNarrow(Program::Impl &impl, mlir::Value value, DType from);

} // namespace fairlead::dsl
