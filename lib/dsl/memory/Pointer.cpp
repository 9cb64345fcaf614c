#include "fairlead/dsl/Pointer.h"

#include "dsl/memory/ElementAccess.h"
#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Layout.h"
#include "ir/Attributes.h"

using namespace mlir;

namespace fairlead::dsl {

Pointer::Pointer(DType dtype, const void *handle, AddressSpace space, int64_t alignment)
    : dtype_(dtype), space_(space), alignment_(std::max<int64_t>(alignment, byteSize(dtype))),
      handle_(handle) {}

Pointer::Pointer(const Tensor &tensor) : Pointer(tensor.pointer()) {}

Pointer::Pointer(const Tensor &tensor, const Scalars &coordinate) {
  Tensor element = tensor.slice({coordinate.begin(), coordinate.end()});
  *this = element.pointer();
  if (!element.composed().isLayout())
    *this = moved(*this, offsetOf(element, layout::IntTuple(std::vector<layout::IntTuple>())));
}

Pointer Pointer::fromInt(DType dtype, const Scalar &address, AddressSpace space,
                         int64_t alignment) {
  Program::Impl &impl = currentImpl("the pointer of an address");
  OpBuilder &b = impl.builder;
  auto pointer = LLVM::IntToPtrOp::create(b, b.getUnknownLoc(), pointerType(b, space),
                                          emitAs(impl, address, DType::Int64));
  if (space == AddressSpace::Global)
    pointer->setAttr(ir::kGlobalAttribute, b.getUnitAttr());
  return Pointer(dtype, toHandle(pointer.getResult()), space, alignment);
}

Pointer Pointer::operator+(const Scalar &elements) const { return moved(*this, toIndex(elements)); }

/// True if an element fills whole bytes, wherever it is.
static bool fillsBytes(DType type) { return bitWidth(type) >= 8 || type == DType::Boolean; }

static Error rejectRecast(const std::string &from, const std::string &to) {
  return makeError(Diagnostic::ArgumentKind,
                   {{"function", "recast"},
                    {"expected", "a register tensor of " + to + ", which packs " + from +
                                     " when it is recast to it"},
                    {"got", "one of " + from + ", which has a byte for each element"}});
}

Pointer Pointer::recast(DType dtype) const {
  Pointer result = *this;
  result.packsRegisters_ =
      space_ == AddressSpace::Register && (packsRegisters_ || fillsBytes(dtype_));
  if (space_ == AddressSpace::Register && !result.packsRegisters_ &&
      bitWidth(dtype) != bitWidth(dtype_))
    throw rejectRecast(std::string(className(dtype_)), std::string(className(dtype)));
  result.dtype_ = dtype;
  result.alignment_ = std::max<int64_t>(alignment_, byteSize(dtype));
  return result;
}

Pointer Pointer::aligned(int64_t bytes) const {
  Pointer result = *this;
  result.alignment_ = std::max<int64_t>(bytes, byteSize(dtype_));
  return result;
}

Pointer Pointer::at(const void *handle) const {
  Pointer result = *this;
  result.handle_ = handle;
  return result;
}

Pointer Pointer::swizzled(const Swizzle &swizzle) const {
  Pointer result = *this;
  result.swizzle_ = swizzle;
  return result;
}

mlir::Value emitPointer(Program::Impl &impl, const Pointer &pointer) {
  mlir::Value address = emit(impl, Scalar::value(DType::Int64, pointer.handle()));
  return pointer.swizzle() ? emitSwizzledAddress(impl, pointer.swizzle(), address) : address;
}

Scalar Pointer::load() const { return tensor({Scalar(1)}, {Scalar(1)}).load({Scalar(0)}); }

void Pointer::store(const Scalar &value) const {
  tensor({Scalar(1)}, {Scalar(1)}).store({Scalar(0)}, value);
}

Scalar Pointer::toInt() const {
  Program::Impl &impl = currentImpl("the number of an address");
  OpBuilder &b = impl.builder;
  return wrap(DType::Int64,
              LLVM::PtrToIntOp::create(b, b.getUnknownLoc(), b.getI64Type(), known(impl, handle_)));
}

Tensor Pointer::tensor(Scalars shape, Scalars strides) const {
  return Tensor(*this, shape, strides);
}

std::string elementName(DType type) {
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

std::string Pointer::str() const {
  std::string text = "ptr<" + elementName(dtype_) + ", " + std::string(nameOf(space_));
  if (alignment_ > byteSize(dtype_))
    text += ", align<" + std::to_string(alignment_) + ">";
  if (swizzle_)
    text += ", " + swizzle_.str();
  return text + ">";
}

} // namespace fairlead::dsl
