#include "fairlead/dsl/Layout.h"

#include "dsl/Builder.h"

namespace fairlead::dsl {

layout::Int toInt(const Scalar &scalar) {
  if (isFloat(scalar.dtype()))
    throw makeError(
        Diagnostic::IndexType,
        {{"got", scalar.isLiteral() ? "float" : std::string(className(scalar.dtype()))}});
  if (auto number = scalar.staticInt())
    return *number;
  DType type = bitWidth(scalar.dtype()) == 64 || scalar.dtype() == DType::Uint32 ? DType::Int64
                                                                                 : DType::Int32;
  Scalar value = scalar.dtype() == type ? scalar : cast(scalar, type);
  return layout::Int::dynamic(value.handle(), bitWidth(type), scalar.divisibility());
}

Scalar toScalar(const layout::Int &value) {
  if (value.isStatic())
    return Scalar(value.value());
  return Scalar::value(value.width() == 64 ? DType::Int64 : DType::Int32, value.symbol(),
                       value.divisibility());
}

namespace {

class TracedArithmetic : public layout::Arithmetic {
protected:
  const void *emit(Op op, const layout::Int &a, const layout::Int &b, int width) const override {
    DType type = width == 64 ? DType::Int64 : DType::Int32;
    auto operand = [&](const layout::Int &value) {
      return cast(materialize(toScalar(value)), type);
    };
    constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::TruncDiv, BinaryOp::Rem};
    return binary(kOps[static_cast<int>(op)], operand(a), operand(b)).handle();
  }
};

std::string tilerStr(const layout::Tiler &tiler) {
  if (tiler.isOpen())
    return "_";
  if (!tiler.isTuple())
    return tiler.layout().str();
  std::string text;
  for (const layout::Tiler &mode : tiler.modes())
    text += (text.empty() ? "<" : ", ") + tilerStr(mode);
  return text + ">";
}

Tensor withLayout(const Tensor &tensor, const std::optional<layout::Layout> &layout,
                  const char *operation, const layout::Tiler &tiler) {
  if (!layout)
    throw makeError(
        Diagnostic::LayoutOperation,
        {{"operation", operation}, {"layout", tensor.layoutStr()}, {"other", tilerStr(tiler)}});
  return makeTensor(Pointer(tensor), *layout);
}

/// The linear coordinate in one mode of the thread that the layout gives the number `index`.
layout::Int placeIn(const layout::Layout &mode, const layout::Int &index) {
  const layout::Arithmetic &compute = arithmetic();
  std::vector<layout::Int> extents = mode.shape().leaves(), strides = mode.stride().leaves();
  layout::Int place(0), weight(1);
  for (size_t i = 0; i < extents.size(); ++i) {
    layout::Int leaf = compute.mod(compute.floorDiv(index, strides[i]), extents[i]);
    place = compute.add(place, compute.mul(leaf, weight));
    weight = compute.mul(weight, extents[i]);
  }
  return place;
}

} // namespace

const layout::Arithmetic &arithmetic() {
  static const TracedArithmetic *traced = new TracedArithmetic;
  return *traced;
}

Tensor makeTensor(const Pointer &pointer, const layout::Layout &layout) {
  return Tensor(pointer.dtype(), pointer.handle(), layout, pointer.space(), pointer.alignment());
}

Tensor composition(const Tensor &tensor, const layout::Tiler &tiler) {
  return withLayout(tensor, layout::composition(tensor.layout(), tiler, arithmetic()),
                    "composition", tiler);
}
Tensor logicalDivide(const Tensor &tensor, const layout::Tiler &tiler) {
  return withLayout(tensor, layout::logicalDivide(tensor.layout(), tiler, arithmetic()),
                    "logical_divide", tiler);
}
Tensor zippedDivide(const Tensor &tensor, const layout::Tiler &tiler) {
  return withLayout(tensor, layout::zippedDivide(tensor.layout(), tiler, arithmetic()),
                    "zipped_divide", tiler);
}
Tensor tiledDivide(const Tensor &tensor, const layout::Tiler &tiler) {
  return withLayout(tensor, layout::tiledDivide(tensor.layout(), tiler, arithmetic()),
                    "tiled_divide", tiler);
}
Tensor flatDivide(const Tensor &tensor, const layout::Tiler &tiler) {
  return withLayout(tensor, layout::flatDivide(tensor.layout(), tiler, arithmetic()), "flat_divide",
                    tiler);
}

Tensor localTile(const Tensor &tensor, const layout::Tiler &tiler,
                 const layout::Coordinate &coordinate) {
  Tensor divided = zippedDivide(tensor, tiler);
  std::vector<layout::Coordinate> entries{layout::Coordinate(), coordinate};
  // Modes beyond the tiler stay whole.
  size_t rest = divided.layout().shape()[1].modes().size();
  if (coordinate.isTuple() && coordinate.modes().size() < rest) {
    std::vector<layout::Coordinate> all = coordinate.modes();
    all.resize(rest);
    entries[1] = layout::Coordinate(std::move(all));
  }
  return divided.sliceAt(layout::Coordinate(std::move(entries)));
}

Tensor localPartition(const Tensor &tensor, const layout::Layout &threads, const Scalar &index) {
  std::vector<layout::Tiler> tiles;
  std::vector<layout::Coordinate> inside;
  for (int mode = 0; mode < layout::rank(threads); ++mode) {
    layout::Layout part = threads.shape().isLeaf() ? threads : *layout::get(threads, {mode});
    tiles.emplace_back(layout::Layout(layout::size(part)));
    inside.emplace_back(placeIn(part, toInt(index)));
  }
  Tensor divided = zippedDivide(tensor, layout::Tiler(std::move(tiles)));
  return divided.sliceAt(layout::Coordinate(
      std::vector<layout::Coordinate>{layout::Coordinate(std::move(inside)), {}}));
}

Tensor domainOffset(const layout::Coordinate &coordinate, const Tensor &tensor) {
  return makeTensor(Pointer(tensor.sliceAt(coordinate)).aligned(1), tensor.layout());
}

} // namespace fairlead::dsl
