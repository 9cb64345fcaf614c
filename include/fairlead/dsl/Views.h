/// Short forms of programs: layouts of run-time numbers, tensors under other layouts, register
/// tensors like others, assignment operators of elements.
#pragma once

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/layout/Like.h"
#include "fairlead/layout/Recast.h"

namespace fairlead::dsl {

namespace detail {
template <typename T> layout::IntTuple asTuple(const T &mode) {
  if constexpr (std::is_constructible_v<layout::IntTuple, const T &>)
    return layout::IntTuple(mode);
  else
    return toInt(Scalar(mode));
}
inline Tensor viewedIf(const char *operation, const Tensor &tensor,
                       const std::optional<layout::Layout> &layout, const std::string &other) {
  if (!layout)
    throw makeError(
        Diagnostic::LayoutOperation,
        {{"operation", operation}, {"layout", tensor.layout().str()}, {"other", other}});
  return tensor.withLayout(*layout);
}
inline std::string listed(const std::vector<int> &modes) {
  return layout::IntTuple(std::vector<layout::IntTuple>(modes.begin(), modes.end())).str();
}
} // namespace detail

/// A tuple of integers, known while tracing or not: `tuple(n, 4, tuple(2, m))`. Throws
/// fairlead::Error (TypeError, IndexType) for a float.
template <typename... Mode> layout::IntTuple tuple(const Mode &...modes) {
  return layout::IntTuple(std::vector<layout::IntTuple>{detail::asTuple(modes)...});
}
/// A compact layout, mode 0 fastest.
inline layout::Layout makeLayout(const layout::IntTuple &shape) {
  return layout::Layout(shape, arithmetic());
}
/// Throws fairlead::Error (TypeError, StrideNesting) for strides that are not nested as the shape
/// is.
inline layout::Layout makeLayout(const layout::IntTuple &shape, const layout::IntTuple &stride,
                                 SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  auto layout = layout::Layout::make(shape, stride);
  if (!layout)
    throw makeError(Diagnostic::StrideNesting, {{"shape", shape.str()}, {"got", stride.str()}});
  return *layout;
}
/// A compact layout whose modes run in the order of the numbers in `order`, the smallest fastest.
/// Throws fairlead::Error (TypeError, OrderNesting).
inline layout::Layout makeOrderedLayout(const layout::IntTuple &shape,
                                        const layout::IntTuple &order,
                                        SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  auto layout = layout::Layout::ordered(shape, order, arithmetic());
  if (!layout)
    throw makeError(Diagnostic::OrderNesting, {{"got", order.str()}});
  return *layout;
}
/// The index of a coordinate. Throws fairlead::Error (ValueError, LayoutOperation) for one that
/// does not fit the layout.
inline Scalar indexOf(const layout::IntTuple &coordinate, const layout::Layout &layout,
                      SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  auto index = layout::crd2idx(coordinate, layout, arithmetic());
  if (!index)
    throw makeError(
        Diagnostic::LayoutOperation,
        {{"operation", "indexOf"}, {"layout", layout.str()}, {"other", coordinate.str()}});
  return toScalar(*index);
}
/// The bits of the indices that `layout` reaches from `coordinate` if `mode` takes all its values.
/// Throws fairlead::Error: TypeError, LayoutMode for a layout that is not static; ValueError,
/// LayoutOperation for a mode or coordinate that it has not, and for an index not from 0 to 62.
FAIRLEAD_API Scalar imageMask(const layout::Layout &layout, const layout::IntTuple &coordinate,
                              int mode, SourceLoc at = SourceLoc::here());
/// The coordinate, nested as the shape, of a linear index.
inline layout::IntTuple coordinateOf(const Scalar &index, const layout::IntTuple &shape) {
  return *layout::idx2crd(toInt(index), shape, arithmetic());
}
/// The numbers of a tuple, from left to right.
inline Scalars leaves(const layout::IntTuple &tuple) {
  Scalars numbers;
  for (const layout::Int &leaf : tuple.leaves())
    numbers.push_back(toScalar(leaf));
  return numbers;
}

/// The least multiple of b that is not below a; b positive.
inline Scalar roundUp(const Scalar &a, const Scalar &b) { return ceilDiv(a, b) * b; }

/// Tensors, of data or of coordinates, under another layout; see fairlead/layout. Throw
/// fairlead::Error (ValueError, LayoutOperation) for modes or profiles that the tensor has not.
inline Tensor coalesce(const Tensor &tensor) {
  return tensor.withLayout(layout::coalesce(tensor.layout(), arithmetic()));
}
inline Tensor coalesce(const Tensor &tensor, const layout::IntTuple &profile) {
  return detail::viewedIf("coalesce", tensor,
                          layout::coalesce(tensor.layout(), profile, arithmetic()), profile.str());
}
inline Tensor flatten(const Tensor &tensor) {
  return tensor.withLayout(layout::flatten(tensor.layout()));
}
inline Tensor groupModes(const Tensor &tensor, int begin, int end,
                         SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  return detail::viewedIf("groupModes", tensor, layout::groupModes(tensor.layout(), begin, end),
                          detail::listed({begin, end}));
}
inline Tensor select(const Tensor &tensor, const std::vector<int> &modes,
                     SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  return detail::viewedIf("select", tensor, layout::select(tensor.layout(), modes),
                          detail::listed(modes));
}
inline Tensor modeOf(const Tensor &tensor, const std::vector<int> &path,
                     SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  return detail::viewedIf("modeOf", tensor, layout::get(tensor.layout(), path),
                          detail::listed(path));
}
inline Tensor append(const Tensor &tensor, const layout::Layout &mode) {
  return tensor.withLayout(layout::append(tensor.layout(), mode));
}
inline Tensor prepend(const Tensor &tensor, const layout::Layout &mode) {
  return tensor.withLayout(layout::prepend(tensor.layout(), mode));
}
inline Tensor filterZeros(const Tensor &tensor) {
  return tensor.withLayout(layout::filterZeros(tensor.layout()));
}
/// Returns the memory as elements of another type; extents of the mode of stride 1 change with its
/// width.
inline Tensor recast(const Tensor &tensor, DType dtype, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  if (bitWidth(dtype) == bitWidth(tensor.dtype()))
    return Tensor(tensor.pointer().recast(dtype), tensor.composed());
  auto layout =
      layout::recast(tensor.layout(), bitWidth(dtype), bitWidth(tensor.dtype()), arithmetic());
  if (!layout || !tensor.composed().isLayout())
    throw makeError(Diagnostic::LayoutOperation, {{"operation", "recast"},
                                                  {"layout", tensor.layoutStr()},
                                                  {"other", std::string(className(dtype))}});
  return Tensor(tensor.pointer().recast(dtype), *layout);
}

/// A register tensor of the shape of `tensor`. registerLike keeps the order of the tensor's modes
/// (layout::layoutLike). fragmentLike, for operands of instructions, makes mode 0 compact and
/// fastest (layout::fragmentLayout).
inline Tensor registerLike(const Tensor &tensor, std::optional<DType> dtype = std::nullopt) {
  return registerTensor(dtype.value_or(tensor.dtype()), layout::layoutLike(tensor.layout()));
}
FAIRLEAD_API Tensor fragmentLike(const Tensor &tensor, std::optional<DType> dtype = std::nullopt);

inline void operator+=(Element &&element, const Operand &value) {
  Scalar before = std::move(element); // reads it: nothing is moved out of it
  std::move(element) = before + value;
}
inline void operator-=(Element &&element, const Operand &value) {
  Scalar before = std::move(element); // reads it: nothing is moved out of it
  std::move(element) = before - value;
}
inline void operator*=(Element &&element, const Operand &value) {
  Scalar before = std::move(element); // reads it: nothing is moved out of it
  std::move(element) = before * value;
}

} // namespace fairlead::dsl
