/// Tensors: indexing, slicing, loads and stores.
#include "fairlead/dsl/Tensor.h"

#include <bit>

#include "dsl/memory/ElementAccess.h"
#include "dsl/trace/Builder.h"
#include "dsl/verify/Verify.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/TracingDialect.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

std::vector<layout::Int> toInts(const Scalars &scalars) {
  std::vector<layout::Int> ints;
  for (const Scalar &scalar : scalars)
    ints.push_back(toInt(scalar));
  return ints;
}

Scalars toScalars(const std::vector<layout::Int> &leaves) {
  Scalars scalars;
  for (const layout::Int &leaf : leaves)
    scalars.push_back(toScalar(leaf.steps()));
  return scalars;
}

layout::IntTuple listOf(const std::vector<layout::Int> &leaves) {
  return layout::IntTuple(std::vector<layout::IntTuple>(leaves.begin(), leaves.end()));
}

int checkedMode(int mode, int rank) {
  int positive = mode < 0 ? mode + rank : mode;
  if (positive < 0 || positive >= rank)
    throw makeError(Diagnostic::ModeRange,
                    {{"got", std::to_string(mode)}, {"expected", std::to_string(rank)}});
  return positive;
}

[[noreturn]] void rejectCoordinate(size_t entries, const Tensor &tensor) {
  throw makeError(Diagnostic::CoordinateRank,
                  {{"got", std::to_string(entries)}, {"expected", std::to_string(tensor.rank())}});
}

size_t numEntries(const layout::Coordinate &coordinate) {
  return coordinate.isTuple() ? coordinate.modes().size() : 1;
}

/// One entry per leaf, one per top-level mode, or a linear index.
layout::IntTuple toCoordinate(const Tensor &tensor, const Scalars &entries) {
  std::vector<layout::Int> ints;
  for (const Scalar &entry : entries)
    ints.push_back(toIndex(entry));
  const layout::IntTuple &shape = tensor.layout().shape();
  if (ints.size() == shape.leaves().size())
    return layout::unflatten(ints, shape);
  if (ints.size() == 1)
    return ints.front();
  if (static_cast<int>(ints.size()) != tensor.rank())
    rejectCoordinate(ints.size(), tensor);
  return listOf(ints);
}

/// Replaces a coordinate of one entry by the entry if the mode is a leaf.
layout::Coordinate fitted(const layout::Coordinate &coordinate, const layout::IntTuple &shape) {
  if (!coordinate.isTuple())
    return coordinate;
  std::vector<layout::Coordinate> modes = coordinate.modes();
  if (shape.isLeaf())
    return modes.size() == 1 ? fitted(modes[0], shape) : coordinate;
  for (size_t mode = 0; mode < modes.size() && mode < shape.modes().size(); ++mode)
    modes[mode] = fitted(modes[mode], shape[mode]);
  return layout::Coordinate(std::move(modes));
}

layout::IntTuple toCoordinate(const Tensor &tensor, const layout::Coordinate &coordinate) {
  return layout::closed(fitted(coordinate, tensor.layout().shape()));
}

int64_t powerOfTwoIn(int64_t number) { return number & -number; }

} // namespace

//===--- offsets of elements -------------------------------------------------------------------===

layout::Int offsetOf(const Tensor &tensor, const layout::IntTuple &coordinate) {
  auto place = tensor.composed()(coordinate, arithmetic(64));
  if (!place || !place->isLeaf())
    rejectCoordinate(static_cast<size_t>(layout::rank(coordinate)), tensor);
  return place->leaf();
}

/// Returns a number of bytes that divides the step of this many elements.
static int64_t knownStep(const Pointer &pointer, const layout::Int &place) {
  if (!isPacked(pointer))
    return place.divisibility() * byteSize(pointer.dtype());
  int width = bitWidth(pointer.dtype());
  return place.divisibility() / 8 * width + place.divisibility() % 8 * width / 8;
}

int64_t alignmentAt(const Pointer &pointer, const layout::Int &place) {
  int64_t step = knownStep(pointer, place);
  int64_t known = place.is(0) ? pointer.alignment() : powerOfTwoIn(pointer.alignment() | step);
  return pointer.swizzle() ? std::min(known, int64_t{1} << pointer.swizzle().base) : known;
}

mlir::Value emitSwizzledAddress(Program::Impl &impl, const Swizzle &swizzle, mlir::Value address) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  Scalar bits = wrap(DType::Int64, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address));
  Scalar moved = toScalar(swizzle(toInt(bits), arithmetic(64)));
  // An offset from the original address, so that the analysis still knows its object.
  return LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(emit(impl, moved - bits))});
}

/// Emits the element's address before the pointer's swizzle. Other addresses are computed from it.
static mlir::Value emitStep(Program::Impl &impl, const Pointer &pointer, const layout::Int &place) {
  if (!pointer.handle())
    throw makeError(Diagnostic::TensorWithoutData);
  mlir::Value base = emit(impl, Scalar::value(DType::Int64, pointer.handle()));
  if (place.is(0))
    return base;
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value offset = emitIndex(impl, toScalar(place));
  if (isPacked(pointer)) {
    mlir::Value bits = b.createOrFold<arith::MulIOp>(
        loc, offset, emitIntConstant(impl, DType::Int64, bitWidth(pointer.dtype())));
    offset = b.createOrFold<arith::ShRSIOp>(loc, bits, emitIntConstant(impl, DType::Int64, 3));
  }
  // Addresses of tensor memory count words. The two highest bits say which part of a word it is.
  bool words = pointer.space() == AddressSpace::Tensor;
  constexpr int kWordBits = 32;
  if (words && bitWidth(pointer.dtype()) < kWordBits) {
    const int parts = kWordBits / bitWidth(pointer.dtype()),
              shift = std::countr_zero(unsigned(parts));
    auto number = [&](int64_t value) { return emitIntConstant(impl, DType::Int64, value); };
    mlir::Value part = b.createOrFold<arith::AndIOp>(loc, offset, number(parts - 1));
    mlir::Value high = b.createOrFold<arith::ShLIOp>(loc, part, number(kWordBits - shift));
    mlir::Value word = b.createOrFold<arith::ShRSIOp>(loc, offset, number(shift));
    return LLVM::GEPOp::create(
        b, loc, base.getType(), b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(b.createOrFold<arith::OrIOp>(loc, high, word))});
  }
  return LLVM::GEPOp::create(
      b, loc, base.getType(),
      words ? b.getI8Type() : memoryType(impl.context.get(), pointer.dtype()), base,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)}, LLVM::GEPNoWrapFlags::inbounds);
}

mlir::Value emitAddress(Program::Impl &impl, const Pointer &pointer, const layout::Int &place) {
  DType type = pointer.dtype();
  if (isPacked(pointer))
    throw makeError(Diagnostic::SubByteElement, {{"type", std::string(className(type))},
                                                 {"bits", std::to_string(bitWidth(type))}});
  return emitByteAddress(impl, pointer, place);
}

mlir::Value emitByteAddress(Program::Impl &impl, const Pointer &pointer, const layout::Int &place) {
  if (isPacked(pointer))
    requireWholeBytes(pointer, place);
  mlir::Value address = emitStep(impl, pointer, place);
  return pointer.swizzle() ? emitSwizzledAddress(impl, pointer.swizzle(), address) : address;
}

Pointer moved(const Pointer &pointer, const layout::Int &place) {
  if (place.is(0))
    return pointer;
  Program::Impl &impl = currentImpl("the address of an element");
  int64_t step = knownStep(pointer, place);
  if (isPacked(pointer))
    requireWholeBytes(pointer, place);
  // The largest power of two that divides both the address and the step from it.
  int64_t known = powerOfTwoIn(pointer.alignment() | step);
  return pointer.at(toHandle(emitStep(impl, pointer, place))).aligned(known);
}

//===--- loads and stores ----------------------------------------------------------------------===

/// Returns the alignment of an access; 0 if only the element's natural alignment is known.
static unsigned accessAlignment(const Pointer &pointer, const layout::Int &place) {
  constexpr int64_t kMost = 128; // no access is wider
  int64_t known = std::min(alignmentAt(pointer, place), kMost);
  return known > byteSize(pointer.dtype()) ? static_cast<unsigned>(known) : 0;
}

namespace {

/// Rejects coordinates that tracing knows to be out of bounds, if they would access other memory.
/// Coordinates of views are not checked: later accesses may mask elements that are outside.
class BoundsCheck {
public:
  explicit BoundsCheck(const Tensor &tensor) : shape(tensor.layout().shape()) {}

  /// Returns true if the element may exist. If it certainly does not: an error, or false in
  /// a dialect that does not check indices.
  bool check(const layout::IntTuple &coordinate) const { return check(coordinate, shape, ""); }

private:
  bool check(const layout::IntTuple &coordinate, const layout::IntTuple &modes,
             const std::string &mode) const {
    if (!coordinate.isLeaf()) {
      if (modes.isLeaf() || modes.modes().size() != coordinate.modes().size())
        return true; // an error of the layout's
      bool inside = true;
      for (size_t i = 0; i < modes.modes().size(); ++i)
        inside &= check(coordinate[i], modes[i], mode.empty() ? "mode " + std::to_string(i) : mode);
      return inside;
    }
    const layout::Int &index = coordinate.leaf();
    if (!index.isStatic() || index.isStep())
      return true;
    std::optional<int64_t> extent;
    if (modes.isStatic())
      extent = layout::size(modes).value();
    // Code that accesses a tensor without elements never runs.
    bool outside = index.value() < 0 || (extent && *extent > 0 && index.value() >= *extent);
    if (outside && tracingDialect().checksKnownIndices)
      reject(index.value(),
             mode.empty() ? "the " + (extent ? std::to_string(*extent) + " " : "") + "elements"
                          : mode + (extent ? ", of extent " + std::to_string(*extent) + "," : ""));
    return !outside;
  }

  [[noreturn]] void reject(int64_t index, const std::string &extent) const {
    throw makeError(
        Diagnostic::IndexBounds,
        {{"got", std::to_string(index)},
         {"extent", extent},
         {"shape", shape.str()},
         {"hint", index < 0 ? "; the last element of a vector is a[a.shape[0] - 1]" : ""}});
  }

  const layout::IntTuple &shape;
};

} // namespace

/// Marks a constant as the value of a register that does not exist.
static constexpr char kAbsentRegister[] = "fairlead.absent";

/// True if the value to store is undefined. Published programs rely on the element keeping its
/// value then, as with other compilers.
static bool isAbsent(Program::Impl &impl, const Scalar &value) {
  Operation *made = value.isValue() ? known(impl, value.handle()).getDefiningOp() : nullptr;
  return made && made->hasAttr(kAbsentRegister);
}

static Scalar emitLoad(const Tensor &tensor, const layout::IntTuple &coordinate) {
  Program::Impl &impl = currentImpl("reading a tensor's element");
  const Pointer &pointer = tensor.pointer();
  if (!BoundsCheck(tensor).check(coordinate) && tensor.space() == AddressSpace::Register) {
    if (isPacked(pointer) || pointer.dtype() == DType::Boolean)
      return cast(Scalar(0), pointer.dtype());
    OpBuilder &b = impl.builder;
    auto zero = b.getZeroAttr(memoryType(impl.context.get(), pointer.dtype()));
    auto absent = arith::ConstantOp::create(b, b.getUnknownLoc(), zero);
    absent->setAttr(kAbsentRegister, b.getUnitAttr());
    return wrap(pointer.dtype(), absent);
  }
  layout::Int place = offsetOf(tensor, coordinate);
  if (isPacked(pointer))
    return loadPackedAt(tensor, cast(materialize(toScalar(place)), DType::Int64));
  mlir::Value value = LLVM::LoadOp::create(
      impl.builder, impl.builder.getUnknownLoc(), memoryType(impl.context.get(), pointer.dtype()),
      checkedAddress(impl, tensor, coordinate, emitAddress(impl, pointer, place)),
      accessAlignment(pointer, place));
  if (pointer.dtype() == DType::Boolean)
    return cast(wrap(DType::Uint8, value), DType::Boolean);
  return wrap(pointer.dtype(), value);
}

static void emitStore(const Tensor &tensor, const layout::IntTuple &coordinate,
                      const Scalar &value) {
  Program::Impl &impl = currentImpl("writing a tensor's element");
  const Pointer &pointer = tensor.pointer();
  DType type = pointer.dtype();
  requireStorable(value, type);
  if (!BoundsCheck(tensor).check(coordinate) && tensor.space() == AddressSpace::Register)
    return;
  if (isAbsent(impl, value))
    return;
  layout::Int place = offsetOf(tensor, coordinate);
  if (isPacked(pointer))
    return storePackedAt(tensor, cast(materialize(toScalar(place)), DType::Int64), value);
  mlir::Value address = checkedAddress(impl, tensor, coordinate, emitAddress(impl, pointer, place));
  mlir::Value stored = emitAs(impl, value, type);
  if (type == DType::Boolean)
    stored = emit(impl, cast(wrap(DType::Boolean, stored), DType::Uint8));
  LLVM::StoreOp::create(impl.builder, impl.builder.getUnknownLoc(), stored, address,
                        accessAlignment(pointer, place));
}

void requireStorable(const Scalar &value, DType type) {
  if (isFloat(value.dtype()) && !isFloat(type))
    throw makeError(Diagnostic::StoreType,
                    {{"got", value.isLiteral() ? "float" : std::string(className(value.dtype()))},
                     {"expected", std::string(className(type))}});
}

//===--- Tensor --------------------------------------------------------------------------------===

Tensor::Tensor(const Pointer &pointer, layout::ComposedLayout layout)
    : engine_(pointer), layout_(std::move(layout)) {}

Tensor::Tensor(const Pointer &pointer, const Scalars &shape, const Scalars &strides)
    : engine_(pointer),
      layout_(*layout::Layout::make(listOf(toInts(shape)), listOf(toInts(strides)))) {}

const Pointer &Tensor::pointer() const {
  static const Pointer none;
  const auto *pointer = std::get_if<Pointer>(&engine_);
  return pointer ? *pointer : none;
}

const layout::IntTuple &Tensor::origin() const {
  static const layout::IntTuple none(0);
  const auto *origin = std::get_if<layout::IntTuple>(&engine_);
  return origin ? *origin : none;
}

Scalars Tensor::shape() const { return toScalars(layout().shape().leaves()); }
Scalars Tensor::strides() const { return toScalars(layout().stride().leaves()); }

Scalar Tensor::shape(int mode, SourceLoc at) const {
  AtSourceLoc placed(at);
  std::vector<layout::Int> leaves = layout().shape().leaves();
  return toScalar(leaves[checkedMode(mode, static_cast<int>(leaves.size()))]);
}
Scalar Tensor::stride(int mode, SourceLoc at) const {
  AtSourceLoc placed(at);
  std::vector<layout::Int> leaves = layout().stride().leaves();
  return toScalar(leaves[checkedMode(mode, static_cast<int>(leaves.size()))].steps());
}
Scalar Tensor::size() const { return toScalar(layout::size(layout(), arithmetic(64))); }

namespace {

/// Visits the numbers of a tensor in one order.
template <typename Visit> void eachNumber(const Tensor &tensor, Visit visit) {
  visit(tensor.origin());
  visit(tensor.composed().offset());
  visit(tensor.layout().shape());
  visit(tensor.layout().stride());
}

/// Dynamic integers are replaced by the next leaves.
class LeafReader {
public:
  explicit LeafReader(const Scalars &leaves) : leaves(leaves) {}
  const Scalar &next() { return leaves.at(at++); }
  layout::IntTuple read(const layout::IntTuple &tuple) {
    std::vector<layout::Int> numbers = tuple.leaves();
    for (layout::Int &number : numbers)
      if (!number.isStatic()) {
        layout::Int value = toInt(next());
        number = number.isStep() ? layout::Int::along(number.path(), value) : value;
      }
    return layout::unflatten(numbers, tuple);
  }

private:
  const Scalars &leaves;
  size_t at = 0;
};

} // namespace

Scalars Tensor::leaves() const {
  Scalars result;
  if (!isCoordinates())
    result.push_back(Scalar::value(DType::Int64, pointer().handle()));
  eachNumber(*this, [&](const layout::IntTuple &tuple) {
    for (const layout::Int &leaf : tuple.leaves())
      if (!leaf.isStatic())
        result.push_back(toScalar(leaf.steps()));
  });
  return result;
}

Tensor Tensor::withLeaves(const Scalars &leaves) const {
  LeafReader reader(leaves);
  const void *address = isCoordinates() ? nullptr : reader.next().handle();
  std::vector<layout::IntTuple> parts;
  eachNumber(*this, [&](const layout::IntTuple &tuple) { parts.push_back(reader.read(tuple)); });
  layout::Layout outer = *layout::Layout::make(parts[2], parts[3]);
  if (isCoordinates())
    return Tensor(parts[0], std::move(outer));
  return Tensor(pointer().at(address),
                layout::ComposedLayout(layout_.inner(), parts[1], std::move(outer)));
}

Tensor Tensor::withLayout(const layout::Layout &layout) const {
  return isCoordinates() ? Tensor(origin(), layout) : Tensor(pointer(), layout_.withOuter(layout));
}

Scalar Tensor::load(const Scalars &coordinate, SourceLoc at) const {
  AtSourceLoc placed(at);
  return emitLoad(*this, toCoordinate(*this, coordinate));
}
Scalar Tensor::loadAt(const layout::Coordinate &coordinate, SourceLoc at) const {
  AtSourceLoc placed(at);
  return emitLoad(*this, toCoordinate(*this, coordinate));
}
void Tensor::store(const Scalars &coordinate, const Scalar &value, SourceLoc at) const {
  AtSourceLoc placed(at);
  emitStore(*this, toCoordinate(*this, coordinate), value);
}
void Tensor::storeAt(const layout::Coordinate &coordinate, const Scalar &value,
                     SourceLoc at) const {
  AtSourceLoc placed(at);
  emitStore(*this, toCoordinate(*this, coordinate), value);
}

layout::IntTuple Tensor::at(const layout::IntTuple &coordinate) const {
  auto place = layout::coordinateAt(coordinate, layout(), origin(), arithmetic());
  if (!place)
    rejectCoordinate(static_cast<size_t>(layout::rank(coordinate)), *this);
  return *place;
}

Tensor Tensor::slice(const std::vector<std::optional<Scalar>> &coordinate, SourceLoc at) const {
  AtSourceLoc placed(at);
  std::vector<layout::Coordinate> modes;
  for (const auto &entry : coordinate)
    modes.push_back(entry ? layout::Coordinate(toIndex(*entry)) : layout::Coordinate());
  return sliceAt(layout::Coordinate(std::move(modes)));
}

/// Converts the offset of a slice to a dynamic number, so that a variable can later hold a view
/// with another offset.
static layout::Int asDynamic(const layout::Int &offset) {
  if (!offset.isStatic())
    return offset;
  constexpr int64_t kMost = int64_t{1} << 30;
  int64_t factor = offset.is(0) ? kMost : offset.divisibility();
  return layout::Int::dynamic(constant(DType::Int64, offset.value()).handle(), 64, factor);
}

Tensor Tensor::sliceAt(const layout::Coordinate &given, SourceLoc at) const {
  AtSourceLoc placed(at);
  layout::Coordinate coordinate = fitted(given, layout().shape());
  if (isCoordinates()) {
    auto part = layout::slice(layout(), coordinate);
    if (!part)
      rejectCoordinate(numEntries(coordinate), *this);
    return Tensor(this->at(layout::closed(coordinate)), part->layout);
  }
  currentImpl("slicing a tensor");
  auto part = layout_.slice(coordinate, arithmetic(64));
  if (!part)
    rejectCoordinate(numEntries(coordinate), *this);
  layout::Layout remaining =
      coordinate.hasOpen() ? part->outer() : layout::group(std::vector<layout::Layout>());
  layout::Int offset = part->offset().leaf();
  if (!std::holds_alternative<std::monostate>(layout_.inner()))
    // The pointer stays the same: only the offset changes.
    return Tensor(pointer(), part->withOuter(remaining).withOffset(asDynamic(offset)));
  return Tensor(moved(pointer(), offset), remaining);
}

Element::operator Scalar() const && {
  AtSourceLoc at(at_);
  return tensor_->load(coordinate_);
}

const Element &Element::operator=(const Operand &value) && {
  AtSourceLoc at(at_);
  tensor_->store(coordinate_, value);
  return *this;
}

std::string Tensor::str() const {
  std::string engine = isCoordinates() ? origin().str() : pointer().str();
  return "tensor<" + engine + " o " + layout_.str() + ">";
}

} // namespace fairlead::dsl
