/// Reductions and matrices of the threads of a warp, and shared memory as tensors.
#pragma once

#include <functional>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/Operation.h"

namespace fairlead::dsl {

/// `combine` over each group of `threads` threads (a power of two up to 32); every thread gets the
/// result. Throws fairlead::Error (ValueError, WarpGroup).
inline Scalar warpReduce(Scalar value, const std::function<Scalar(Scalar, Scalar)> &combine,
                         int threads = kWarpSize, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  if (threads < 1 || threads > kWarpSize || (threads & (threads - 1)) != 0)
    throw makeError(Diagnostic::WarpGroup, {{"got", std::to_string(threads)}});
  for (int offset = threads / 2; offset; offset /= 2)
    value = combine(value, shuffle(Shuffle::Butterfly, value, offset));
  return value;
}
inline Scalar warpSum(const Scalar &value, int threads = kWarpSize,
                      SourceLoc at = SourceLoc::here()) {
  return warpReduce(value, [](Scalar a, Scalar b) { return a + b; }, threads, at);
}
inline Scalar warpMax(const Scalar &value, int threads = kWarpSize,
                      SourceLoc at = SourceLoc::here()) {
  return warpReduce(value, [](Scalar a, Scalar b) { return max(a, b); }, threads, at);
}

/// Transposes a matrix of 8 x 8 elements of 16 bits. Thread 4 i + j of the warp passes elements
/// 2 j and 2 j + 1 of row i as the halves of `elements` (Int32 or Uint32) and gets these elements
/// of column i. All threads of the warp take part.
inline Scalar transposeMatrix(const Scalar &elements, SourceLoc at = SourceLoc::here()) {
  return cast(operation("transpose_matrix", {elements}, at).front(), elements.dtype());
}

/// Reserves shared memory for a tensor of a static layout (see allocateShared). `swizzle`: of
/// addresses; the alignment then makes its pattern begin at the start of the memory.
inline Tensor sharedTensor(DType dtype, const layout::Layout &layout, int64_t alignment = 1,
                           const Swizzle &swizzle = {}, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  alignment = std::max<int64_t>(alignment, byteSize(dtype));
  if (swizzle)
    alignment = std::max(alignment, swizzle.period());
  int64_t bytes = layout::cosize(layout).value() * byteSize(dtype);
  return makeTensor(allocateShared(dtype, bytes, alignment).swizzled(swizzle), layout);
}

} // namespace fairlead::dsl
