#include "entry/EntryBuilder.h"

#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

// Offsets in DLTensor and in the header of an ffi object.
constexpr int64_t kData = offsetof(DLTensor, data);
constexpr int64_t kDeviceType = offsetof(DLTensor, device);
constexpr int64_t kDeviceId = kDeviceType + 4;
constexpr int64_t kNdim = offsetof(DLTensor, ndim);
constexpr int64_t kDType = offsetof(DLTensor, dtype);
constexpr int64_t kShape = offsetof(DLTensor, shape);
constexpr int64_t kStrides = offsetof(DLTensor, strides);
constexpr int64_t kByteOffset = offsetof(DLTensor, byte_offset);
constexpr int64_t kObjectHeader = sizeof(TVMFFIObject);

/// A DLDataType as the 32-bit word that it is in memory.
uint32_t dtypeWord(DType type) {
  DLDataType word = toDLDataType(type);
  return word.code | uint32_t{word.bits} << 8 | uint32_t{word.lanes} << 16;
}

} // namespace

TensorChecks::TensorChecks(EntryBuilder &entry, const EntryOptions &options)
    : e(entry), options(options), tensors(entry.signature.params.size()), symbols(entry.signature.symbols.size()) {}

std::string TensorChecks::place(const TensorState &tensor, const char *what, size_t mode) {
  return tensor.name + "." + what + "[" + std::to_string(mode) + "]";
}

void TensorChecks::addTensor(int param, const ArgumentCell &cell) {
  TensorState &tensor = tensors[param];
  tensor.type = &std::get<TensorParam>(e.signature.params[param].type);
  tensor.argument = cell.index;
  tensor.name = e.signature.params[param].name;
  // An ffi.Tensor holds its DLTensor behind the object header; the other form is a pointer to one.
  Value *isObject = e.b.CreateICmpEQ(cell.type, e.b.getInt32(kTVMFFITensor));
  Value *isPointer = e.b.CreateICmpEQ(cell.type, e.b.getInt32(kTVMFFIDLTensorPtr));
  Value *notNull = e.b.CreateICmpNE(cell.payload, e.i64(0));
  Value *ok = e.b.CreateAnd(e.b.CreateOr(isObject, isPointer), notNull);
  e.check(ok, Diagnostic::ArgumentType, {{"site", e.site(cell.index)}, {"type", "Tensor"}}, nullptr, e.widen(cell.type));
  Value *pointer = e.b.CreateIntToPtr(cell.payload, e.b.getPtrTy());
  tensor.dl = e.b.CreateGEP(e.b.getInt8Ty(), pointer, e.b.CreateSelect(isObject, e.i64(kObjectHeader), e.i64(0)));
}

void TensorChecks::checkAll() {
  auto forEach = [&](void (TensorChecks::*step)(TensorState &)) {
    for (TensorState &tensor : tensors)
      if (tensor.type)
        (this->*step)(tensor);
  };
  forEach(&TensorChecks::checkHeader);
  forEach(&TensorChecks::checkShape);
  forEach(&TensorChecks::checkStrides);
  forEach(&TensorChecks::checkAlignment);
  checkEqualities();
  if (!firstDeviceId)
    firstDeviceId = e.b.getInt32(0);
}

void TensorChecks::checkHeader(TensorState &tensor) {
  Value *dtype = e.load(e.b.getInt32Ty(), tensor.dl, kDType);
  e.check(e.b.CreateICmpEQ(dtype, e.b.getInt32(dtypeWord(tensor.type->dtype))), Diagnostic::TensorDType,
          {{"site", e.site(tensor.argument)}, {"dtype", std::string(dtypeName(tensor.type->dtype))}}, nullptr, e.widen(dtype));
  Value *ndim = e.load(e.b.getInt32Ty(), tensor.dl, kNdim);
  auto expected = static_cast<int32_t>(tensor.type->shape.size());
  e.check(e.b.CreateICmpEQ(ndim, e.b.getInt32(expected)), Diagnostic::TensorNdim, {{"site", e.site(tensor.argument)}}, e.i64(expected), e.widen(ndim));
  checkDevice(tensor);
  Value *shape = e.load(e.b.getPtrTy(), tensor.dl, kShape);
  for (size_t mode = 0; mode < tensor.type->shape.size(); ++mode)
    tensor.shape.push_back(e.load(e.b.getInt64Ty(), shape, 8 * static_cast<int64_t>(mode)));
  Value *data = e.load(e.b.getPtrTy(), tensor.dl, kData);
  tensor.data = e.b.CreateGEP(e.b.getInt8Ty(), data, e.load(e.b.getInt64Ty(), tensor.dl, kByteOffset));
}

void TensorChecks::checkDevice(TensorState &tensor) {
  Value *type = e.load(e.b.getInt32Ty(), tensor.dl, kDeviceType);
  Value *id = e.load(e.b.getInt32Ty(), tensor.dl, kDeviceId);
  bool cuda = options.deviceType == kDLCUDA;
  // Memory that the device reaches by plain addresses: managed memory from the GPU, pinned memory from the CPU.
  DLDeviceType alternative = cuda ? kDLCUDAManaged : kDLCUDAHost;
  Value *ok = e.b.CreateOr(e.b.CreateICmpEQ(type, e.b.getInt32(options.deviceType)), e.b.CreateICmpEQ(type, e.b.getInt32(alternative)));
  Value *device = e.b.CreateOr(e.widen(type), e.b.CreateShl(e.widen(id), 32));
  e.check(ok, Diagnostic::TensorDevice, {{"site", e.site(tensor.argument)}, {"targets", options.targets}}, nullptr, device);
  if (!firstDeviceId) {
    firstDeviceId = id;
    firstName = tensor.name;
  } else if (cuda) {
    e.check(e.b.CreateICmpEQ(id, firstDeviceId), Diagnostic::TensorDeviceId, {{"site", e.site(tensor.argument)}, {"other", firstName}},
            e.widen(firstDeviceId), e.widen(id));
  }
}

void TensorChecks::checkShape(TensorState &tensor) {
  for (size_t mode = 0; mode < tensor.shape.size(); ++mode) {
    const Extent &extent = tensor.type->shape[mode];
    Value *actual = tensor.shape[mode];
    std::string where = place(tensor, "shape", mode);
    if (extent.isSymbol()) {
      bind(extent.symbols.front(), actual, where, tensor.argument);
      continue;
    }
    Value *expected = product(extent);
    e.check(e.b.CreateICmpEQ(actual, expected), Diagnostic::ExtentStatic, {{"place", where}, {"site", e.site(tensor.argument)}}, expected, actual);
  }
}

/// The first place of a symbol checks its range and divisibility; every later one that the value is the same.
void TensorChecks::bind(int index, Value *value, const std::string &where, int argument) {
  SymbolState &state = symbols[index];
  if (state.value) {
    e.check(e.b.CreateICmpEQ(value, state.value), Diagnostic::ExtentSymbol,
            {{"place", where}, {"site", e.site(argument)}, {"other", state.place}}, state.value, value);
    return;
  }
  const Symbol &symbol = e.signature.symbols[index];
  if (symbol.width == 32) {
    Value *roundTrip = e.b.CreateSExt(e.b.CreateTrunc(value, e.b.getInt32Ty()), e.b.getInt64Ty());
    e.check(e.b.CreateICmpEQ(value, roundTrip), Diagnostic::ExtentRange, {{"place", where}, {"site", e.site(argument)}, {"width", "32"}}, nullptr, value);
  }
  if (symbol.divisibility > 1) {
    Value *rest = isPowerOf2_64(symbol.divisibility) ? e.b.CreateAnd(value, e.i64(symbol.divisibility - 1))
                                                     : e.b.CreateSRem(value, e.i64(symbol.divisibility));
    e.check(e.b.CreateICmpEQ(rest, e.i64(0)), Diagnostic::ExtentDivisibility, {{"place", where}, {"site", e.site(argument)}},
            e.i64(symbol.divisibility), value);
  }
  state = {value, where};
}

Value *TensorChecks::product(const Extent &extent) {
  Value *value = e.i64(extent.coefficient);
  for (int symbol : extent.symbols)
    value = e.b.CreateMul(value, symbols[symbol].value);
  return value;
}

/// NULL strides mean compact row-major: the array is made on the stack, off the hot path.
Value *TensorChecks::stridesOrRowMajor(TensorState &tensor) {
  size_t rank = tensor.shape.size();
  Value *given = e.load(e.b.getPtrTy(), tensor.dl, kStrides);
  BasicBlock *before = e.b.GetInsertBlock();
  BasicBlock *absent = e.block("no_strides"), *next = e.block("");
  IRBuilder<> top(&e.function->getEntryBlock(), e.function->getEntryBlock().begin());
  Value *made = top.CreateAlloca(e.b.getInt64Ty(), e.i64(static_cast<int64_t>(rank)));
  e.b.CreateCondBr(e.b.CreateICmpNE(given, ConstantPointerNull::get(e.b.getPtrTy())), next, absent, e.likely);
  e.b.SetInsertPoint(absent);
  Value *stride = e.i64(1);
  for (size_t mode = rank; mode-- > 0;) {
    e.b.CreateStore(stride, e.b.CreateConstInBoundsGEP1_64(e.b.getInt64Ty(), made, mode));
    stride = e.b.CreateMul(stride, tensor.shape[mode]);
  }
  e.b.CreateBr(next);
  e.b.SetInsertPoint(next);
  PHINode *strides = e.b.CreatePHI(e.b.getPtrTy(), 2);
  strides->addIncoming(given, before);
  strides->addIncoming(made, absent);
  return strides;
}

void TensorChecks::checkStrides(TensorState &tensor) {
  if (tensor.shape.empty())
    return;
  Value *strides = stridesOrRowMajor(tensor);
  for (size_t mode = 0; mode < tensor.shape.size(); ++mode)
    checkStride(tensor, mode, e.load(e.b.getInt64Ty(), strides, 8 * static_cast<int64_t>(mode)));
}

Value *TensorChecks::isEmpty(const TensorState &tensor) {
  Value *empty = e.b.getFalse();
  for (Value *extent : tensor.shape)
    empty = e.b.CreateOr(empty, e.b.CreateICmpEQ(extent, e.i64(0)));
  return empty;
}

/// A stride of an extent of 1, or of an empty tensor, addresses nothing: producers write what they like there.
void TensorChecks::checkStride(TensorState &tensor, size_t mode, Value *actual) {
  const Extent &extent = tensor.type->strides[mode];
  std::string where = place(tensor, "strides", mode);
  if (extent.isSymbol() && !symbols[extent.symbols.front()].value) {
    bind(extent.symbols.front(), actual, where, tensor.argument);
    return;
  }
  Value *expected = product(extent);
  BasicBlock *next = e.block(""), *differs = e.block("stride_differs"), *failed = e.block("failed");
  e.b.CreateCondBr(e.b.CreateICmpEQ(actual, expected), next, differs, e.likely);
  e.b.SetInsertPoint(differs);
  Value *unused = e.b.CreateOr(e.b.CreateICmpEQ(tensor.shape[mode], e.i64(1)), isEmpty(tensor));
  e.b.CreateCondBr(unused, next, failed);
  e.b.SetInsertPoint(failed);
  e.fail(Diagnostic::StrideMismatch, {{"place", where}, {"site", e.site(tensor.argument)}}, expected, actual);
  e.b.SetInsertPoint(next);
}

void TensorChecks::checkAlignment(TensorState &tensor) {
  int64_t alignment = tensor.type->alignment;
  if (alignment <= 1)
    return;
  Value *address = e.b.CreatePtrToInt(tensor.data, e.b.getInt64Ty());
  Value *rest = isPowerOf2_64(alignment) ? e.b.CreateAnd(address, e.i64(alignment - 1)) : e.b.CreateURem(address, e.i64(alignment));
  Value *ok = e.b.CreateOr(e.b.CreateICmpEQ(rest, e.i64(0)), isEmpty(tensor));
  e.check(ok, Diagnostic::TensorAlignment, {{"site", e.site(tensor.argument)}}, e.i64(alignment), rest);
}

void TensorChecks::checkEqualities() {
  for (const ExtentEquality &equality : e.signature.equalities) {
    TensorState &tensor = tensors[equality.param], &other = tensors[equality.otherParam];
    Value *actual = tensor.shape[equality.mode], *expected = other.shape[equality.otherMode];
    e.check(e.b.CreateICmpEQ(actual, expected), Diagnostic::ExtentSymbol,
            {{"place", place(tensor, "shape", equality.mode)}, {"site", e.site(tensor.argument)}, {"other", place(other, "shape", equality.otherMode)}},
            expected, actual);
  }
}

} // namespace fairlead::entry
