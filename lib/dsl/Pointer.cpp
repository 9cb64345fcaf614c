#include "fairlead/dsl/Pointer.h"

#include "dsl/Builder.h"

using namespace mlir;

namespace fairlead::dsl {

Pointer::Pointer(DType dtype, const void *handle, std::string space, int64_t alignment)
    : dtype_(dtype), handle_(handle), space_(std::move(space)),
      alignment_(std::max<int64_t>(alignment, byteSize(dtype))) {}

Pointer::Pointer(const Tensor &tensor)
    : Pointer(tensor.dtype(), tensor.pointer(), tensor.space(), tensor.alignment()) {
  if (tensor.swizzle().onAddresses)
    swizzle_ = tensor.swizzle();
}

Pointer::Pointer(const Tensor &tensor, const Scalars &coordinate)
    : Pointer(tensor.slice({coordinate.begin(), coordinate.end()})) {
  if (tensor.swizzle() && !tensor.swizzle().onAddresses) {
    Tensor element = tensor.slice({coordinate.begin(), coordinate.end()});
    handle_ = toHandle(emitFirstElement(currentImpl("the address of an element"), element));
    alignment_ = byteSize(dtype_);
  }
}

Pointer Pointer::fromInt(DType dtype, const Scalar &address, std::string space, int64_t alignment) {
  Program::Impl &impl = currentImpl("the pointer of an address");
  OpBuilder &b = impl.builder;
  mlir::Value made =
      LLVM::IntToPtrOp::create(b, b.getUnknownLoc(), LLVM::LLVMPointerType::get(impl.context.get()),
                               emitAs(impl, address, DType::Int64));
  return Pointer(dtype, toHandle(made), std::move(space), alignment);
}

Pointer Pointer::operator+(const Scalar &elements) const {
  if (elements.isLiteral() && elements.literalInt() == 0 && !elements.isFloatLiteral())
    return *this;
  return Pointer(tensor({Scalar(1)}, {Scalar(1)}), {elements});
}

Pointer Pointer::recast(DType dtype) const {
  return Pointer(dtype, handle_, space_, std::max<int64_t>(alignment_, byteSize(dtype)))
      .swizzled(swizzle_);
}

Pointer Pointer::aligned(int64_t bytes) const {
  return Pointer(dtype_, handle_, space_, bytes).swizzled(swizzle_);
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
  Tensor made(dtype_, handle_, std::move(shape), std::move(strides), space_, alignment_);
  return swizzle_ ? made.swizzled(swizzle_) : made;
}

std::string Pointer::str() const {
  Tensor here(dtype_, handle_, {}, {}, space_, alignment_);
  std::string text = (swizzle_ ? here.swizzled(swizzle_) : here).str();
  // "tensor<ptr<f32, smem> o ():()>"
  size_t begin = text.find("ptr<");
  return text.substr(begin, text.find(" o ") - begin);
}

} // namespace fairlead::dsl
