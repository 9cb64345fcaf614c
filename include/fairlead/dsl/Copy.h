/// Moving elements between tensors, also divided among threads.
#pragma once

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/atom/TiledCopy.h"

namespace fairlead::dsl {

/// Copies all elements of tensors of one shape; neighbours whose alignment is known move together.
/// If the shape is static and small, everything is read before anything is written.
inline void copy(const Tensor &src, const Tensor &dst, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  dst.assign(TensorExpr::read(src));
}

/// Copies the elements whose `predicate` is not 0. All operands have one static size. Throws
/// fairlead::Error (ValueError, WholeTensorShape).
inline void copyIf(const Tensor &predicate, const Tensor &src, const Tensor &dst,
                   SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  auto count = src.size().staticInt(), other = dst.size().staticInt(),
       flags = predicate.size().staticInt();
  if (!count || count != other || count != flags)
    throw makeError(Diagnostic::WholeTensorShape,
                    {{"expected", dst.layoutStr()}, {"got", src.layoutStr()}});
  for (int64_t i = 0; i < *count; ++i)
    if_(predicate.load({Scalar(i)}) != 0, [&] { dst.store({Scalar(i)}, src.load({Scalar(i)})); });
}

} // namespace fairlead::dsl
