/// Habits of the programs whose functions are traced.
#pragma once

#include "fairlead/Export.h"

namespace fairlead::dsl {

/// Differences between functions of native programs, which have the defaults, and of published
/// programs (see `fairlead/_tracing/dialect.py`).
struct TracingDialect {
  /// True if an out-of-range index that is known while tracing is an error. Published programs have
  /// such accesses under conditions that are false at run time. Without the check, addresses follow
  /// the layout, reads of registers return zero, and writes to registers do nothing.
  bool checksKnownIndices = true;
  /// True if operators of programs give published types and values (see `publishedOperands`,
  /// `publishedBinary`), conversions to TFloat32 and Float8E8M0FNU their bits, a block with too
  /// many threads is an error of the call, and programs print at run time in the form that tests
  /// and tools of published programs expect: `print_tensor` with mode 0 fastest in its verbose
  /// form, values as a tensor of registers, coordinates in padded columns; `print` at most 32
  /// values, and elements only of layouts that are known while tracing. Register tensors of several
  /// elements are then aligned to 32 bytes on every target.
  bool publishedForm = false;
};

/// Returns the dialect of the function that the calling thread traces. A new thread has the
/// default.
FAIRLEAD_API const TracingDialect &tracingDialect();

/// Sets the dialect of functions that the calling thread traces from now on.
FAIRLEAD_API void setTracingDialect(const TracingDialect &dialect);

} // namespace fairlead::dsl
