/// Results of single instructions of GPUs that no operator has.
#pragma once

#include <string_view>

#include "fairlead/dsl/Block.h"

namespace fairlead::dsl {

/// Roundings other than to the nearest.
enum class Rounding { Zero, Down, Up };

/// Returns the result of "add", "sub", "mul", "fma", "div", "rcp" or "sqrt" of Float32 numbers, or
/// with "cvt" the Float32 of an integer or Float64, rounded in a direction, on every target. Throws
/// fairlead::Error (TypeError, OperatorOperand) for another operation.
FAIRLEAD_API Scalar directed(std::string_view operation, Rounding rounding, const Scalars &operands,
                             SourceLoc at = SourceLoc::here());

/// Returns `a * b + c`, rounded once where all are Float32 or all Float64, as literals may be too.
FAIRLEAD_API Scalar multiplyAdd(const Scalar &a, const Scalar &b, const Scalar &c,
                                SourceLoc at = SourceLoc::here());

/// Counts a Uint32 in one step: up to `last` and then from 0 again, or down to 0 and then from
/// `last` again. Returns the old value.
FAIRLEAD_API Scalar atomicCount(const Pointer &pointer, const Scalar &last, bool up,
                                AtomicOrder order = AtomicOrder::Relaxed,
                                AtomicScope scope = AtomicScope::Device,
                                SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
