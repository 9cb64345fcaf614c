/// Moving elements between tensors, also divided among threads.
#ifndef FAIRLEAD_DSL_COPY_H_
#define FAIRLEAD_DSL_COPY_H_

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Layout.h"

namespace fairlead::dsl {

/// Copies all elements of tensors of one shape; neighbours whose alignment is known move together.
/// Everything is read before anything is written, where the shape is static and small.
inline void copy(const Tensor &src, const Tensor &dst) { dst.assign(TensorExpr::read(src)); }

/// Copies the elements for which `predicate` has a value other than 0. All have one static size.
/// Throws fairlead::Error (ValueError, WholeTensorShape).
inline void copyIf(const Tensor &predicate, const Tensor &src, const Tensor &dst) {
  auto count = src.size().staticInt(), other = dst.size().staticInt(),
       flags = predicate.size().staticInt();
  if (!count || count != other || count != flags)
    throw makeError(Diagnostic::WholeTensorShape,
                    {{"expected", dst.layoutStr()}, {"got", src.layoutStr()}});
  for (int64_t i = 0; i < *count; ++i)
    if_(predicate.load({Scalar(i)}) != 0, [&] { dst.store({Scalar(i)}, src.load({Scalar(i)})); });
}

/// Which elements of a tile each thread moves, and how many of them in one access.
class TiledCopy {
public:
  /// Threads lie as `threads` says, each with neighbouring values as `values` says. Throws
  /// fairlead::Error (ValueError, LayoutOperation) for layouts that are not known to be one-to-one,
  /// and for a number of values that is not static or no multiple of `together`.
  TiledCopy(const layout::Layout &threads, const layout::Layout &values, int together = 1)
      : together_(together) {
    auto made = layout::threadValues(threads, values, arithmetic());
    if (!made || together < 1 || !values.shape().isStatic() ||
        layout::size(values).value() % together)
      throw makeError(
          Diagnostic::LayoutOperation,
          {{"operation", "TiledCopy"}, {"layout", threads.str()}, {"other", values.str()}});
    tile_ = made->tile;
    elements_ = made->elements;
  }

  /// The extents of a tile.
  const layout::IntTuple &tile() const { return tile_; }
  /// (thread, value) -> linear coordinate in the tile.
  const layout::Layout &elements() const { return elements_; }

  /// The elements of `thread`: (values, tiles of mode 0, tiles of mode 1, ...), where values is
  /// (together, rest). Of data or of coordinates.
  template <typename AnyTensor>
  AnyTensor partition(const AnyTensor &tensor, const Scalar &thread) const {
    std::vector<layout::Tiler> extents;
    for (const layout::Int &extent : tile_.leaves())
      extents.emplace_back(layout::Layout(layout::IntTuple(extent)));
    AnyTensor divided = zippedDivide(tensor, layout::Tiler(std::move(extents)));
    AnyTensor owned =
        composition(divided, layout::Tiler(std::vector<layout::Tiler>{elements_, layout::Tiler()}));
    using C = layout::Coordinate;
    AnyTensor part =
        owned.sliceAt(C(std::vector<C>{C(std::vector<C>{C(toIndex(thread)), C()}), C()}));
    AnyTensor grouped =
        logicalDivide(part, layout::Tiler(std::vector<layout::Tiler>{
                                layout::Layout(layout::IntTuple(together_)), layout::Tiler()}));
    return flattened(grouped);
  }

private:
  static layout::Layout flattenedLayout(const layout::Layout &layout) {
    std::vector<layout::Layout> modes{*layout::get(layout, {0})};
    layout::Layout rest = *layout::get(layout, {1});
    if (rest.shape().isLeaf())
      modes.push_back(rest);
    else
      for (int mode = 0; mode < layout::rank(rest); ++mode)
        modes.push_back(*layout::get(rest, {mode}));
    return layout::group(modes);
  }
  static Tensor flattened(const Tensor &part) {
    return part.withLayout(flattenedLayout(part.layout()));
  }
  static CoordTensor flattened(const CoordTensor &part) {
    return CoordTensor(part.origin(), flattenedLayout(part.layout()));
  }

  int together_;
  layout::IntTuple tile_{1};
  layout::Layout elements_{layout::IntTuple(1)};
};

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_COPY_H_
