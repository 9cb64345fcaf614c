#include "fairlead/dsl/Layout.h"

#include <numeric>

#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/Views.h"

namespace fairlead::dsl {

layout::Int toInt(const Scalar &scalar) {
  if (isFloat(scalar.dtype()))
    throw makeError(
        Diagnostic::IndexType,
        {{"got", scalar.isLiteral() ? "float" : std::string(className(scalar.dtype()))}});
  if (scalar.isLiteral())
    return scalar.literalInt();
  DType type = bitWidth(scalar.dtype()) >= 64 || scalar.dtype() == DType::Uint32 ? DType::Int64
                                                                                 : DType::Int32;
  Scalar value = scalar.dtype() == type ? scalar : cast(scalar, type);
  return layout::Int::dynamic(value.handle(), bitWidth(type), knownFactor(scalar));
}

int64_t knownFactor(const Scalar &scalar) {
  int64_t factor = scalar.divisibility();
  if (factor == 1 || scalar.isLiteral() || scalar.isAssumed())
    return factor;
  auto number = scalar.staticInt();
  return number && (*number < 0 ? -*number : *number) == factor ? 1 : factor;
}

layout::Int toIndex(const Scalar &scalar) {
  auto number = isFloat(scalar.dtype()) ? std::nullopt : scalar.staticInt();
  return number ? layout::Int(*number) : toInt(scalar);
}

Scalar toScalar(const layout::Int &value) {
  if (value.isStatic())
    return Scalar(value.value());
  DType type = value.width() == 64 ? DType::Int64 : DType::Int32;
  return Scalar::value(type, value.symbol()).assumed(value.divisibility());
}

Scalar assume(const Scalar &value, int64_t divisor) {
  // A constant counts by the promise alone, like other numbers of the program.
  return value.assumed(std::lcm(knownFactor(value), divisor));
}

namespace {

/// A product: a constant times values that are not products themselves.
struct Factors {
  uint64_t constant = 1;
  llvm::SmallVector<const void *> values;

  void add(mlir::Value value) {
    mlir::APInt number;
    if (auto wider = value.getDefiningOp<mlir::arith::ExtSIOp>())
      return add(wider.getIn());
    if (auto product = value.getDefiningOp<mlir::arith::MulIOp>()) {
      add(product.getLhs());
      return add(product.getRhs());
    }
    if (mlir::matchPattern(value, mlir::m_ConstantInt(&number)) && number.getBitWidth() <= 64)
      constant *= static_cast<uint64_t>(number.getSExtValue());
    else
      values.push_back(value.getAsOpaquePointer());
  }
  bool add(const layout::Int &value, const Program::Impl &impl) {
    if (value.isStatic())
      constant *= static_cast<uint64_t>(value.value());
    else if (impl.handles.contains(value.symbol())) // of an earlier program nothing is known
      add(fromHandle(value.symbol()));
    else
      return false;
    llvm::sort(values);
    return true;
  }
};

class TracedArithmetic : public layout::Arithmetic {
public:
  using Arithmetic::Arithmetic;

  /// Products of the same factors are.
  bool same(const layout::Int &a, const layout::Int &b) const override {
    Program *program = Program::current();
    if (a == b || a.isStep() || b.isStep() || !program)
      return a == b;
    Factors x, y;
    return x.add(a, program->impl()) && y.add(b, program->impl()) && x.constant == y.constant &&
           x.values == y.values;
  }
  bool checks() const override {
    Program *program = Program::current();
    return program && program->impl().checksLayouts;
  }
  void requireZero(const layout::Int &value, const std::string &what) const override {
    assertThat(compare(CompareOp::Eq, toScalar(value), 0), what);
  }

protected:
  const void *emit(Op op, const layout::Int &a, const layout::Int &b, int width) const override {
    DType type = width == 64 ? DType::Int64 : DType::Int32;
    auto operand = [&](const layout::Int &value) {
      return cast(materialize(toScalar(value)), type);
    };
    constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::TruncDiv, BinaryOp::Rem,
                                 BinaryOp::Min, BinaryOp::Max, BinaryOp::And,      BinaryOp::Xor,
                                 BinaryOp::Shl, BinaryOp::Shr};
    bool divides = op == Op::FloorDiv || op == Op::Mod;
    // Same as for static integers: an empty mode has no coordinates.
    if (divides && toScalar(b).staticInt() == 0)
      return constant(type, int64_t(0)).handle();
    Scalar second = operand(b);
    // A program may compute them without using them, but processors stop at divisions by 0.
    if (divides && !toScalar(b).staticInt())
      second = binary(BinaryOp::Max, second, cast(Scalar(1), type));
    return binary(kOps[static_cast<int>(op)], operand(a), second).handle();
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

using Algebra = std::optional<layout::Layout> (*)(const layout::Layout &, const layout::Tiler &,
                                                  const layout::Arithmetic &);

Tensor apply(Algebra algebra, const char *operation, const Tensor &tensor,
             const layout::Tiler &tiler) {
  auto layout = algebra(tensor.layout(), tiler, arithmetic());
  if (!layout)
    throw makeError(
        Diagnostic::LayoutOperation,
        {{"operation", operation}, {"layout", tensor.layout().str()}, {"other", tilerStr(tiler)}});
  return tensor.withLayout(*layout);
}

/// Returns a coordinate that keeps each mode of a shape as a separate mode.
layout::Coordinate allOpen(const layout::IntTuple &shape) {
  if (shape.isLeaf())
    return {};
  return layout::Coordinate(std::vector<layout::Coordinate>(shape.modes().size()));
}

} // namespace

const layout::Arithmetic &arithmetic(int width) {
  static const TracedArithmetic *narrow = new TracedArithmetic(32),
                                *wide = new TracedArithmetic(64);
  return width == 64 ? *wide : *narrow;
}

Tensor makeTensor(const Pointer &pointer, const layout::ComposedLayout &layout, SourceLoc at) {
  AtSourceLoc placed(at);
  auto reject = [&] {
    throw makeError(
        Diagnostic::LayoutOperation,
        {{"operation", "make_tensor"}, {"layout", layout.str()}, {"other", pointer.str()}});
  };
  if (layout::yieldsCoordinates(layout.outer()) || !layout.offset().isLeaf())
    reject();
  if (layout.isLayout())
    return Tensor(pointer, layout);
  if (const auto *inner = std::get_if<layout::Layout>(&layout.inner())) {
    // A layout of one mode is linear, so an offset in it is also one in memory.
    layout::Int offset = layout.offset().leaf();
    auto composed = layout::composition(*inner, layout.outer(), arithmetic());
    auto begin = layout::crd2idx(offset, *inner, arithmetic(64));
    if (!composed || !begin || (!offset.is(0) && !inner->shape().isLeaf()))
      reject();
    return Tensor(pointer + toScalar(*begin), *composed);
  }
  if (!layout.swizzle() || pointer.swizzle())
    reject();
  return Tensor(pointer, layout);
}

#define FAIRLEAD_BY_TILER(function, name)                                                          \
  Tensor function(const Tensor &tensor, const layout::Tiler &tiler, SourceLoc at) {                \
    AtSourceLoc placed(at);                                                                        \
    return apply(&layout::function, name, tensor, tiler);                                          \
  }
FAIRLEAD_BY_TILER(composition, "composition")
FAIRLEAD_BY_TILER(logicalDivide, "logical_divide")
FAIRLEAD_BY_TILER(zippedDivide, "zipped_divide")
FAIRLEAD_BY_TILER(tiledDivide, "tiled_divide")
FAIRLEAD_BY_TILER(flatDivide, "flat_divide")
#undef FAIRLEAD_BY_TILER

Tensor localTile(const Tensor &tensor, const layout::Tiler &tiler,
                 const layout::Coordinate &coordinate, SourceLoc at) {
  AtSourceLoc placed(at);
  Tensor divided = zippedDivide(tensor, tiler);
  std::vector<layout::Coordinate> entries{allOpen(divided.layout().shape()[0]), coordinate};
  // Modes beyond the tiler are not divided.
  size_t rest = divided.layout().shape()[1].modes().size();
  if (coordinate.isTuple() && coordinate.modes().size() < rest) {
    std::vector<layout::Coordinate> all = coordinate.modes();
    all.resize(rest);
    entries[1] = layout::Coordinate(std::move(all));
  }
  return divided.sliceAt(layout::Coordinate(std::move(entries)));
}

Tensor localPartition(const Tensor &tensor, const layout::Layout &threads, const Scalar &index,
                      SourceLoc at) {
  AtSourceLoc placed(at);
  layout::IntTuple place = layout::flatCoordinate(toIndex(index), threads, arithmetic());
  std::vector<layout::IntTuple> extents, inside;
  if (place.isLeaf()) {
    extents.emplace_back(layout::size(threads, arithmetic()));
    inside.push_back(place);
  } else {
    extents = layout::productEach(threads.shape(), arithmetic()).modes();
    inside = place.modes();
  }
  std::vector<layout::Tiler> tiles;
  std::vector<layout::Coordinate> entries;
  for (size_t mode = 0; mode < extents.size(); ++mode) {
    tiles.emplace_back(layout::Layout(extents[mode]));
    entries.emplace_back(inside[mode].leaf());
  }
  Tensor divided = zippedDivide(tensor, layout::Tiler(std::move(tiles)));
  return divided.sliceAt(layout::Coordinate(std::vector<layout::Coordinate>{
      layout::Coordinate(std::move(entries)), allOpen(divided.layout().shape()[1])}));
}

Tensor domainOffset(const layout::Coordinate &coordinate, const Tensor &tensor, SourceLoc at) {
  AtSourceLoc placed(at);
  return tensor.sliceAt(coordinate).withLayout(tensor.layout());
}

Scalar imageMask(const layout::Layout &layout, const layout::IntTuple &coordinate, int mode,
                 SourceLoc at) {
  AtSourceLoc placed(at);
  auto reject = [&]() -> Error {
    return makeError(Diagnostic::LayoutOperation,
                     {{"operation", "make_layout_image_mask"},
                      {"layout", layout.str()},
                      {"other", coordinate.str() + " along mode " + std::to_string(mode)}});
  };
  if (!layout.isStatic())
    throw makeError(
        Diagnostic::LayoutMode,
        {{"expected", "a static layout for make_layout_image_mask"}, {"got", layout.str()}});
  auto along = layout::get(layout, {mode});
  if (!along || coordinate.isLeaf() || coordinate.modes().size() <= static_cast<size_t>(mode))
    throw reject();
  std::vector<layout::IntTuple> entries = coordinate.modes();
  entries[mode] = 0;
  auto first = layout::crd2idx(layout::IntTuple(entries), layout, arithmetic());
  if (!first || first->isStep())
    throw reject();
  // All indices are that of place 0 and a distance that the mode alone decides.
  const int64_t begin = first->isStatic() ? first->value() : 0;
  int64_t bits = 0;
  for (int64_t place = 0; place < layout::size(*along).value(); ++place) {
    const int64_t index = begin + layout::crd2idx(place, *along)->value();
    if (index < 0 || index > 62)
      throw reject();
    bits |= int64_t{1} << index;
  }
  return first->isStatic()
             ? Scalar(bits)
             : binary(BinaryOp::Shl, cast(Scalar(bits), DType::Int32), toScalar(*first));
}

Tensor identityTensor(const layout::IntTuple &shape, SourceLoc at) {
  AtSourceLoc placed(at);
  std::vector<layout::Int> zeros(shape.leaves().size());
  return Tensor(layout::unflatten(zeros, shape), layout::identityLayout(shape));
}

static void appendComparisons(const layout::IntTuple &a, const layout::IntTuple &b,
                              Scalars &comparisons) {
  if (a.isLeaf()) {
    layout::Int limit = layout::size(b, arithmetic());
    if (a.leaf().isStatic() && limit.isStatic())
      comparisons.push_back(a.leaf().value() < limit.value());
    else
      comparisons.push_back(compare(CompareOp::Lt, toScalar(a.leaf()), toScalar(limit)));
    return;
  }
  if (layout::rank(a) != layout::rank(b) || b.isLeaf())
    throw makeError(Diagnostic::LayoutOperation,
                    {{"operation", "elem_less"}, {"layout", a.str()}, {"other", b.str()}});
  for (size_t mode = 0; mode < a.modes().size(); ++mode)
    appendComparisons(a[mode], b[mode], comparisons);
}

Scalar elemLess(const layout::IntTuple &a, const layout::IntTuple &b, SourceLoc at) {
  AtSourceLoc placed(at);
  Scalars comparisons;
  appendComparisons(a, b, comparisons);
  Scalar all(true);
  for (const Scalar &comparison : comparisons) {
    if (comparison.isBoolLiteral()) {
      if (comparison.literalInt() == 0)
        return false;
      continue;
    }
    all = all.isLiteral() ? comparison : binary(BinaryOp::And, all, comparison);
  }
  return all;
}

} // namespace fairlead::dsl
