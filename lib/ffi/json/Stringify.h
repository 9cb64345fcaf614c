/// JSON text of values, as the library itself writes it.
#pragma once

#include "tvm/ffi/any.h"
#include "tvm/ffi/string.h"

namespace tvm::ffi::inner {

/// A value as JSON text: in one line, or with `indent` > 0 with a line for each element. Throws
/// ValueError for a value that JSON has no form for.
String stringify(const Any &value, int indent = 0);

} // namespace tvm::ffi::inner
