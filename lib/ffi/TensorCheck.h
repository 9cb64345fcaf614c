/// Checks a caller's DLTensor.
#pragma once

#include "tvm/ffi/c_api.h"

namespace tvm::ffi {

/// How much of a tensor has to be there.
enum class TensorPart {
  Shape, ///< rank, extents and their number of bytes
  All    ///< also the data, their offset, and the reach of the strides
};

/// Throws ValueError that begins with `function` and names the field, unless the tensor's fields
/// fit each other: rank and pointers, extents of at least 0, sizes that do not overflow, data where
/// there are elements. Whether memory is really there cannot be seen.
void requireValidTensor(const DLTensor &tensor, const char *function, TensorPart part);

} // namespace tvm::ffi
