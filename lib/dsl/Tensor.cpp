/// Tensors: indexing, slicing, loads and stores.
#include "fairlead/dsl/Tensor.h"

#include "dsl/Builder.h"
#include "dsl/PackedElements.h"
#include "fairlead/dsl/Layout.h"

using namespace mlir;

namespace fairlead::dsl {

static layout::IntTuple flatProfile(size_t modes) {
  return layout::IntTuple(std::vector<layout::IntTuple>(modes, 0));
}

Tensor::Tensor(DType dtype, const void *pointer, Scalars shape, Scalars strides, std::string space,
               int64_t alignment)
    : dtype_(dtype), pointer_(pointer), shape_(std::move(shape)), strides_(std::move(strides)),
      profile_(flatProfile(shape_.size())), space_(std::move(space)),
      alignment_(std::max<int64_t>(alignment, byteSize(dtype))) {}

static Scalars toScalars(const std::vector<layout::Int> &leaves) {
  Scalars scalars;
  for (const layout::Int &leaf : leaves)
    scalars.push_back(toScalar(leaf));
  return scalars;
}

static std::vector<layout::Int> toInts(const Scalars &scalars) {
  std::vector<layout::Int> ints;
  for (const Scalar &scalar : scalars)
    ints.push_back(toInt(scalar));
  return ints;
}

Tensor::Tensor(DType dtype, const void *pointer, const layout::Layout &layout, std::string space,
               int64_t alignment)
    : Tensor(dtype, pointer, toScalars(layout.shape().leaves()),
             toScalars(layout.stride().leaves()), std::move(space), alignment) {
  profile_ = layout.shape().isLeaf() ? flatProfile(1) : layout.shape();
}

layout::Layout Tensor::layout() const {
  return *layout::Layout::make(layout::unflatten(toInts(shape_), profile_),
                               layout::unflatten(toInts(strides_), profile_));
}

Tensor Tensor::rebuilt(const void *pointer, Scalars shape, Scalars strides,
                       const Scalar &origin) const {
  Tensor result = *this;
  result.origin_ = origin;
  result.pointer_ = pointer;
  result.shape_ = std::move(shape);
  result.strides_ = std::move(strides);
  return result;
}

Tensor Tensor::withLayout(const layout::Layout &layout) const {
  return makeTensor(Pointer(*this), layout).swizzled(swizzle_, origin_);
}

Tensor Tensor::swizzled(const Swizzle &swizzle, const Scalar &origin) const {
  Tensor result = *this;
  result.swizzle_ = swizzle;
  result.origin_ = origin;
  return result;
}

static int checkedMode(int mode, int rank) {
  int positive = mode < 0 ? mode + rank : mode;
  if (positive < 0 || positive >= rank)
    throw makeError(Diagnostic::ModeRange,
                    {{"got", std::to_string(mode)}, {"expected", std::to_string(rank)}});
  return positive;
}

const Scalar &Tensor::shape(int mode) const {
  return shape_[checkedMode(mode, static_cast<int>(shape_.size()))];
}
const Scalar &Tensor::stride(int mode) const {
  return strides_[checkedMode(mode, static_cast<int>(strides_.size()))];
}

/// Literals multiply without a program.
static Scalar multiply(const Scalar &a, const Scalar &b) {
  if (a.isLiteral() && b.isLiteral())
    return Scalar(a.literalInt() * b.literalInt());
  if (a.isLiteral() && a.literalInt() == 1)
    return b;
  return a * b;
}

Scalar Tensor::size() const {
  Scalar product(1);
  for (const Scalar &extent : shape_)
    product = multiply(product, extent);
  return product;
}

/// Splits a linear index into coordinates, mode 0 fastest.
static Scalars splitIndex(const Scalar &index, const Scalars &shape) {
  Scalars coordinate;
  Scalar rest = index;
  // A literal 0 is 0 everywhere: no division to emit.
  if (index.isLiteral() && !index.isFloatLiteral() && index.literalInt() == 0)
    return Scalars(shape.size(), Scalar(0));
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    bool last = mode + 1 == shape.size();
    coordinate.push_back(last ? rest : binary(BinaryOp::Rem, rest, shape[mode]));
    if (!last)
      rest = binary(BinaryOp::TruncDiv, rest, shape[mode]);
  }
  return coordinate;
}

/// The 64-bit element offset of a coordinate; null where it has no leaves.
static mlir::Value emitOffset(Program::Impl &impl, const Tensor &tensor,
                              const Scalars &coordinate) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value offset;
  for (size_t mode = 0; mode < coordinate.size(); ++mode) {
    mlir::Value term = emitIndex(impl, coordinate[mode]);
    const Scalar &stride = tensor.strides()[mode];
    if (!stride.isLiteral() || stride.literalInt() != 1)
      term = b.createOrFold<arith::MulIOp>(loc, term, emitIndex(impl, stride));
    offset = offset ? b.createOrFold<arith::AddIOp>(loc, offset, term) : term;
  }
  return offset;
}

/// One entry per leaf, from one per leaf, one per top-level mode, or a linear index.
static Scalars leafCoordinate(const Tensor &tensor, const Scalars &coordinate) {
  size_t leaves = tensor.shape().size();
  if (coordinate.size() == leaves)
    return coordinate;
  if (coordinate.size() == 1)
    return splitIndex(coordinate.front(), tensor.shape());
  if (static_cast<int>(coordinate.size()) != tensor.rank())
    throw makeError(Diagnostic::CoordinateRank, {{"got", std::to_string(coordinate.size())},
                                                 {"expected", std::to_string(tensor.rank())}});
  Scalars full;
  layout::IntTuple shape = tensor.layout().shape();
  for (int mode = 0; mode < tensor.rank(); ++mode) {
    Scalars extents(tensor.shape().begin() + full.size(),
                    tensor.shape().begin() + full.size() + shape[mode].leaves().size());
    for (Scalar &entry : splitIndex(coordinate[mode], extents))
      full.push_back(std::move(entry));
  }
  return full;
}

/// The leaves of a nested coordinate, where open entries count as 0.
static bool appendLeaves(const layout::Coordinate &coordinate, const layout::IntTuple &shape,
                         Scalars &leaves) {
  if (!coordinate.isTuple()) {
    Scalars extents = toScalars(shape.leaves());
    Scalar index = coordinate.isOpen() ? Scalar(0) : toScalar(coordinate.entry());
    for (Scalar &entry : splitIndex(index, extents))
      leaves.push_back(std::move(entry));
    return true;
  }
  if (shape.isLeaf())
    return coordinate.modes().size() == 1 && appendLeaves(coordinate.modes()[0], shape, leaves);
  if (shape.modes().size() != coordinate.modes().size())
    return false;
  for (size_t mode = 0; mode < shape.modes().size(); ++mode)
    if (!appendLeaves(coordinate.modes()[mode], shape[mode], leaves))
      return false;
  return true;
}

static Scalars leafCoordinate(const Tensor &tensor, const layout::Coordinate &coordinate) {
  Scalars leaves;
  if (!appendLeaves(coordinate, tensor.layout().shape(), leaves))
    throw makeError(Diagnostic::CoordinateRank,
                    {{"got", std::to_string(coordinate.isTuple() ? coordinate.modes().size() : 1)},
                     {"expected", std::to_string(tensor.rank())}});
  return leaves;
}

/// `bits` with those that the swizzle takes xored; integers of any width.
static mlir::Value emitSwizzle(OpBuilder &b, const Swizzle &swizzle, mlir::Value bits) {
  Location loc = b.getUnknownLoc();
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits.getType(), value));
  };
  int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << (swizzle.base + std::max(swizzle.shift, 0));
  mlir::Value taken = b.createOrFold<arith::AndIOp>(loc, bits, number(mask));
  mlir::Value moved = swizzle.shift >= 0
                          ? b.createOrFold<arith::ShRUIOp>(loc, taken, number(swizzle.shift))
                          : b.createOrFold<arith::ShLIOp>(loc, taken, number(-swizzle.shift));
  return b.createOrFold<arith::XOrIOp>(loc, bits, moved);
}

mlir::Value emitSwizzledAddress(Program::Impl &impl, const Swizzle &swizzle, mlir::Value address) {
  OpBuilder &b = impl.builder;
  Location loc = b.getUnknownLoc();
  mlir::Value bits = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address);
  mlir::Value step = b.createOrFold<arith::SubIOp>(loc, emitSwizzle(b, swizzle, bits), bits);
  // A step from the address, so that what it points to stays known.
  return LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(step)});
}

/// The place from which a swizzle of elements counts, and the coordinate's distance from it.
static mlir::Value emitPlace(Program::Impl &impl, const Tensor &tensor, const Scalars &leaves) {
  mlir::Value offset = emitOffset(impl, tensor, leaves);
  mlir::Value origin = emitIndex(impl, tensor.origin());
  return offset ? impl.builder.createOrFold<arith::AddIOp>(impl.builder.getUnknownLoc(), origin,
                                                           offset)
                : origin;
}

/// Of a swizzle of addresses the address before it is meant: elements are found from it.
static mlir::Value emitAddress(Program::Impl &impl, const Tensor &tensor, const Scalars &leaves) {
  if (!tensor.pointer())
    throw makeError(Diagnostic::TensorWithoutData);
  mlir::Value base = emit(impl, Scalar::value(DType::Int64, tensor.pointer()));
  const Swizzle &swizzle = tensor.swizzle();
  mlir::Value offset = swizzle && !swizzle.onAddresses
                           ? emitSwizzle(impl.builder, swizzle, emitPlace(impl, tensor, leaves))
                           : emitOffset(impl, tensor, leaves);
  if (!offset)
    return base;
  if (isPacked(tensor)) {
    OpBuilder &b = impl.builder;
    Location loc = b.getUnknownLoc();
    mlir::Value bits = b.createOrFold<arith::MulIOp>(
        loc, offset, emitIntConstant(impl, DType::Int64, bitWidth(tensor.dtype())));
    offset = b.createOrFold<arith::ShRSIOp>(loc, bits, emitIntConstant(impl, DType::Int64, 3));
  }
  return LLVM::GEPOp::create(impl.builder, impl.builder.getUnknownLoc(), base.getType(),
                             memoryType(impl.context.get(), tensor.dtype()), base,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// For text, and for what is known of a number without its value: looks at no IR, which may be
/// gone.
static layout::Int nameOf(const Scalar &scalar) {
  if (scalar.isLiteral())
    return scalar.literalInt();
  return layout::Int::dynamic(scalar.handle(), scalar.dtype() == DType::Int64 ? 64 : 32,
                              scalar.divisibility());
}

static std::vector<layout::Int> namesOf(const Scalars &scalars) {
  std::vector<layout::Int> ints;
  for (const Scalar &scalar : scalars)
    ints.push_back(nameOf(scalar));
  return ints;
}

/// Bytes that divide the element's address for sure, where they are more than the element's own.
static unsigned knownAlignment(const Tensor &tensor, const Scalars &leaves) {
  if (tensor.swizzle())
    return 0;
  layout::Arithmetic arithmetic;
  layout::Int offset(0);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    offset = arithmetic.add(offset,
                            arithmetic.mul(nameOf(leaves[leaf]), nameOf(tensor.strides()[leaf])));
  constexpr int64_t kMost = 128; // no access is wider
  int64_t bits =
      std::min(tensor.alignment(), kMost) | offset.divisibility() * byteSize(tensor.dtype());
  int64_t known = offset.is(0) ? std::min(tensor.alignment(), kMost) : bits & -bits;
  return known > byteSize(tensor.dtype()) ? static_cast<unsigned>(known) : 0;
}

static mlir::Value emitElementAddress(Program::Impl &impl, const Tensor &tensor,
                                      const Scalars &leaves) {
  DType type = tensor.dtype();
  if (isPacked(tensor))
    throw makeError(Diagnostic::SubByteElement, {{"type", std::string(className(type))},
                                                 {"bits", std::to_string(bitWidth(type))}});
  mlir::Value address = emitAddress(impl, tensor, leaves);
  return tensor.swizzle().onAddresses ? emitSwizzledAddress(impl, tensor.swizzle(), address)
                                      : address;
}

mlir::Value emitFirstElement(Program::Impl &impl, const Tensor &tensor) {
  return emitElementAddress(impl, tensor, Scalars(tensor.shape().size(), Scalar(0)));
}

/// In elements, from the tensor's first.
static Scalar offsetOf(Program::Impl &impl, const Tensor &tensor, const Scalars &leaves) {
  mlir::Value offset = emitOffset(impl, tensor, leaves);
  return offset ? wrap(DType::Int64, offset) : constant(DType::Int64, int64_t(0));
}

static Scalar emitLoad(const Tensor &tensor, const Scalars &leaves) {
  Program::Impl &impl = currentImpl("reading a tensor's element");
  if (isPacked(tensor))
    return loadPackedAt(tensor, offsetOf(impl, tensor, leaves));
  mlir::Value address = emitElementAddress(impl, tensor, leaves);
  mlir::Value value = LLVM::LoadOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                           memoryType(impl.context.get(), tensor.dtype()), address,
                                           knownAlignment(tensor, leaves));
  if (tensor.dtype() == DType::Boolean)
    return dsl::cast(wrap(DType::Uint8, value), DType::Boolean);
  return wrap(tensor.dtype(), value);
}

static void emitStore(const Tensor &tensor, const Scalars &leaves, const Scalar &value) {
  Program::Impl &impl = currentImpl("writing a tensor's element");
  DType type = tensor.dtype();
  if (isFloat(value.dtype()) && !isFloat(type))
    throw makeError(Diagnostic::StoreType,
                    {{"got", value.isLiteral() ? "float" : std::string(className(value.dtype()))},
                     {"expected", std::string(className(type))}});
  if (isPacked(tensor))
    return storePackedAt(tensor, offsetOf(impl, tensor, leaves), value);
  mlir::Value address = emitElementAddress(impl, tensor, leaves);
  mlir::Value stored = emitAs(impl, value, type);
  if (type == DType::Boolean)
    stored = emit(impl, dsl::cast(wrap(DType::Boolean, stored), DType::Uint8));
  LLVM::StoreOp::create(impl.builder, impl.builder.getUnknownLoc(), stored, address,
                        knownAlignment(tensor, leaves));
}

Scalar Tensor::load(const Scalars &coordinate) const {
  return emitLoad(*this, leafCoordinate(*this, coordinate));
}
Scalar Tensor::loadAt(const layout::Coordinate &coordinate) const {
  return emitLoad(*this, leafCoordinate(*this, coordinate));
}
void Tensor::store(const Scalars &coordinate, const Scalar &value) const {
  emitStore(*this, leafCoordinate(*this, coordinate), value);
}
void Tensor::storeAt(const layout::Coordinate &coordinate, const Scalar &value) const {
  emitStore(*this, leafCoordinate(*this, coordinate), value);
}

Tensor Tensor::slice(const std::vector<std::optional<Scalar>> &coordinate) const {
  std::vector<layout::Coordinate> modes;
  for (const auto &entry : coordinate)
    modes.push_back(entry ? layout::Coordinate(toIndex(*entry)) : layout::Coordinate());
  return sliceAt(layout::Coordinate(std::move(modes)));
}

Tensor Tensor::sliceAt(const layout::Coordinate &coordinate) const {
  Program::Impl &impl = currentImpl("slicing a tensor");
  // Offsets are computed below, in 64 bits.
  auto kept = layout::slice(layout(), coordinate);
  Scalars leaves = leafCoordinate(*this, coordinate);
  if (!kept)
    throw makeError(Diagnostic::CoordinateRank,
                    {{"got", std::to_string(coordinate.isTuple() ? coordinate.modes().size() : 1)},
                     {"expected", std::to_string(rank())}});
  if (swizzle_ && !swizzle_.onAddresses) {
    // The memory stays where it is: only the place in it moves.
    Scalar place = wrap(DType::Int64, emitPlace(impl, *this, leaves));
    Tensor whole = coordinate.hasOpen()
                       ? Tensor(dtype_, pointer_, kept->layout, space_, alignment_)
                       : Tensor(dtype_, pointer_, Scalars(), Scalars(), space_, alignment_);
    return whole.swizzled(swizzle_, place);
  }
  int64_t step = kept->offset.divisibility() * byteSize(dtype_);
  if (isPacked(*this)) {
    requireWholeBytes(*this, kept->offset);
    step = kept->offset.divisibility() / 8 * bitWidth(dtype_) +
           kept->offset.divisibility() % 8 * bitWidth(dtype_) / 8;
  }
  mlir::Value address = emitAddress(impl, *this, leaves);
  // The largest power of two that divides both the address and the step from it.
  int64_t bits = alignment_ | step;
  int64_t alignment = kept->offset.is(0) ? alignment_ : bits & -bits;
  if (!coordinate.hasOpen())
    return Tensor(dtype_, toHandle(address), Scalars(), Scalars(), space_, alignment)
        .swizzled(swizzle_);
  return Tensor(dtype_, toHandle(address), kept->layout, space_, alignment).swizzled(swizzle_);
}

Element::operator Scalar() const { return tensor_->load(coordinate_); }

const Element &Element::operator=(const Scalar &value) const {
  tensor_->store(coordinate_, value);
  return *this;
}

std::string Tensor::layoutStr() const {
  return layout::unflatten(namesOf(shape_), profile_).str() + ":" +
         layout::unflatten(namesOf(strides_), profile_).str();
}

static std::string elementStr(DType type) {
  switch (type) {
  case DType::Boolean:
    return "i8";
  case DType::BFloat16:
    return "bf16";
  case DType::TFloat32:
    return "tf32";
  default:
    if (isNarrowFloat(type)) // "float8_e4m3fn" as "f8E4M3FN"
      return std::string("f").append(className(type).substr(5));
    std::string name = isFloat(type) ? "f" : isSigned(type) ? "i" : "u";
    return name.append(std::to_string(bitWidth(type)));
  }
}

std::string Tensor::str() const {
  std::string align =
      alignment_ > byteSize(dtype_) ? ", align<" + std::to_string(alignment_) + ">" : "";
  std::string swizzle = "S<" + std::to_string(swizzle_.bits) + "," + std::to_string(swizzle_.base) +
                        "," + std::to_string(swizzle_.shift) + ">";
  bool onAddresses = swizzle_ && swizzle_.onAddresses;
  std::string pointer = "ptr<" + elementStr(dtype_) + ", " + space_ + align +
                        (onAddresses ? ", " + swizzle : "") + ">";
  std::string composed =
      swizzle_ && !onAddresses ? swizzle + " o " + nameOf(origin_).str() + " o " : "";
  return "tensor<" + pointer + " o " + composed + layoutStr() + ">";
}

} // namespace fairlead::dsl
