/// Tensors: indexing, slicing, loads and stores.
#include "fairlead/dsl/Tensor.h"

#include "dsl/Builder.h"
#include "fairlead/layout/IntTuple.h"

using namespace mlir;

namespace fairlead::dsl {

Tensor::Tensor(DType dtype, const void *pointer, Scalars shape, Scalars strides, std::string space,
               int64_t alignment)
    : dtype_(dtype), pointer_(pointer), shape_(std::move(shape)), strides_(std::move(strides)),
      space_(std::move(space)), alignment_(std::max<int64_t>(alignment, byteSize(dtype))) {}

static int checkedMode(int mode, int rank) {
  int positive = mode < 0 ? mode + rank : mode;
  if (positive < 0 || positive >= rank)
    throw makeError(Diagnostic::ModeRange,
                    {{"got", std::to_string(mode)}, {"expected", std::to_string(rank)}});
  return positive;
}

const Scalar &Tensor::shape(int mode) const { return shape_[checkedMode(mode, rank())]; }
const Scalar &Tensor::stride(int mode) const { return strides_[checkedMode(mode, rank())]; }

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
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    bool last = mode + 1 == shape.size();
    coordinate.push_back(last ? rest : binary(BinaryOp::Rem, rest, shape[mode]));
    if (!last)
      rest = binary(BinaryOp::TruncDiv, rest, shape[mode]);
  }
  return coordinate;
}

/// The 64-bit element offset of a coordinate; null when it is 0.
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

static mlir::Value emitAddress(Program::Impl &impl, const Tensor &tensor,
                               const Scalars &coordinate) {
  if (!tensor.pointer())
    throw makeError(Diagnostic::TensorWithoutData);
  mlir::Value base = emit(impl, wrap(DType::Int64, fromHandle(tensor.pointer())));
  Scalars full = coordinate;
  if (coordinate.size() == 1 && tensor.rank() > 1)
    full = splitIndex(coordinate.front(), tensor.shape());
  if (static_cast<int>(full.size()) != tensor.rank())
    throw makeError(Diagnostic::CoordinateRank, {{"got", std::to_string(coordinate.size())},
                                                 {"expected", std::to_string(tensor.rank())}});
  mlir::Value offset = emitOffset(impl, tensor, full);
  if (!offset)
    return base;
  return LLVM::GEPOp::create(impl.builder, impl.builder.getUnknownLoc(), base.getType(),
                             memoryType(impl.context.get(), tensor.dtype()), base,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Scalar Tensor::load(const Scalars &coordinate) const {
  Program::Impl &impl = currentImpl("reading a tensor's element");
  mlir::Value address = emitAddress(impl, *this, coordinate);
  mlir::Value value = LLVM::LoadOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                           memoryType(impl.context.get(), dtype_), address);
  if (dtype_ == DType::Boolean)
    return dsl::cast(wrap(DType::Uint8, value), DType::Boolean);
  return wrap(dtype_, value);
}

void Tensor::store(const Scalars &coordinate, const Scalar &value) const {
  Program::Impl &impl = currentImpl("writing a tensor's element");
  if (isFloat(value.dtype()) && !isFloat(dtype_))
    throw makeError(Diagnostic::StoreType,
                    {{"got", value.isLiteral() ? "float" : std::string(className(value.dtype()))},
                     {"expected", std::string(className(dtype_))}});
  mlir::Value address = emitAddress(impl, *this, coordinate);
  mlir::Value stored = emitAs(impl, value, dtype_);
  if (dtype_ == DType::Boolean)
    stored = emit(impl, dsl::cast(wrap(DType::Boolean, stored), DType::Uint8));
  LLVM::StoreOp::create(impl.builder, impl.builder.getUnknownLoc(), stored, address);
}

Tensor Tensor::slice(const std::vector<std::optional<Scalar>> &coordinate) const {
  if (static_cast<int>(coordinate.size()) != rank())
    throw makeError(Diagnostic::CoordinateRank, {{"got", std::to_string(coordinate.size())},
                                                 {"expected", std::to_string(rank())}});
  Program::Impl &impl = currentImpl("slicing a tensor");
  Scalars shape, strides, fixed;
  for (int mode = 0; mode < rank(); ++mode) {
    fixed.push_back(coordinate[mode].value_or(Scalar(0)));
    if (!coordinate[mode]) {
      shape.push_back(shape_[mode]);
      strides.push_back(strides_[mode]);
    }
  }
  mlir::Value address = emitAddress(impl, *this, fixed);
  return Tensor(dtype_, address.getAsOpaquePointer(), std::move(shape), std::move(strides), space_);
}

Element::operator Scalar() const { return tensor_->load(coordinate_); }

const Element &Element::operator=(const Scalar &value) const {
  tensor_->store(coordinate_, value);
  return *this;
}

static layout::IntTuple toTuple(const Scalars &leaves) {
  std::vector<layout::IntTuple> ints;
  for (const Scalar &leaf : leaves)
    ints.emplace_back(leaf.isLiteral() ? layout::Int(leaf.literalInt())
                                       : layout::Int::dynamic(
                                             leaf.handle(), leaf.dtype() == DType::Int64 ? 64 : 32,
                                             leaf.divisibility()));
  return layout::IntTuple(std::move(ints));
}

std::string Tensor::layoutStr() const {
  return toTuple(shape_).str() + ":" + toTuple(strides_).str();
}

static std::string elementStr(DType type) {
  switch (type) {
  case DType::Boolean:
    return "i8";
  case DType::BFloat16:
    return "bf16";
  default:
    return (isFloat(type) ? "f" : isSigned(type) ? "i" : "u") + std::to_string(bitWidth(type));
  }
}

std::string Tensor::str() const {
  std::string align =
      alignment_ > byteSize(dtype_) ? ", align<" + std::to_string(alignment_) + ">" : "";
  return "tensor<ptr<" + elementStr(dtype_) + ", " + space_ + align + "> o " + layoutStr() + ">";
}

} // namespace fairlead::dsl
