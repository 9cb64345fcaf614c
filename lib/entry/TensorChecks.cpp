#include "entry/ArgumentChecks.h"

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
static_assert(kDType == kNdim + 4, "ndim and dtype are compared as one word");

/// A DLDataType as the 32-bit word that it is in memory.
uint32_t dtypeWord(DType type, uint32_t lanes = 1) {
  DLDataType word = toDLDataType(type);
  return word.code | uint32_t{word.bits} << 8 | lanes << 16;
}

/// Frameworks count elements of 4 bits in pairs, as a type of two lanes (torch's
/// float4_e2m1fn_x2): the mode along which they lie side by side, or -1.
int pairedMode(const TensorParam &type) {
  if (bitWidth(type.dtype) != 4)
    return -1;
  for (size_t mode = 0; mode < type.strides.size(); ++mode)
    if (type.strides[mode].isStatic() && type.strides[mode].coefficient == 1)
      return static_cast<int>(mode);
  return -1;
}

int64_t elementOffset(size_t index) { return static_cast<int64_t>(index * sizeof(int64_t)); }

} // namespace

TensorChecks::TensorChecks(EntryBuilder &entry, const EntryOptions &options)
    : e(entry), options(options), tensors(entry.signature.params.size()), symbols(entry) {}

NamedValue TensorChecks::TensorState::place(const char *what, size_t mode) const {
  return {name + "." + what + "[" + std::to_string(mode) + "]", argument};
}

void TensorChecks::addTensor(int param, const ArgumentCell &cell) {
  TensorState &tensor = tensors[param];
  tensor.type = &std::get<TensorParam>(e.signature.params[param].type);
  tensor.argument = cell.index;
  tensor.name = e.signature.params[param].name;
  tensor.site = e.site(cell.index);
  DiagnosticArgs places = {{"site", tensor.site}, {"type", "Tensor"}};
  Value *pointer = e.b.CreateIntToPtr(cell.payload, e.b.getPtrTy());
  tensor.dl = e.checkElse(e.equal(cell.type, kTVMFFIDLTensorPtr), pointer, [&] {
    e.check(e.equal(cell.type, kTVMFFITensor), Diagnostic::ArgumentType, places,
            [&] { return FailureValues{nullptr, e.zeroExtend(cell.type)}; });
    // An ffi.Tensor holds its DLTensor behind the object header.
    return e.b.CreateConstGEP1_64(e.b.getInt8Ty(), pointer, kObjectHeader);
  });
  e.check(e.b.CreateICmpNE(cell.payload, e.i64(0)), Diagnostic::ArgumentType, places,
          [&] { return FailureValues{nullptr, e.i64(kTVMFFINone)}; });
}

void TensorChecks::addScalar(int symbol, const std::string &name, const ArgumentCell &cell) {
  scalars.push_back({symbol, cell.payload, {name, cell.index}});
}

void TensorChecks::checkAll() {
  auto forEach = [&](void (TensorChecks::*step)(TensorState &)) {
    for (TensorState &tensor : tensors)
      if (tensor.type)
        (this->*step)(tensor);
  };
  forEach(&TensorChecks::checkHeader);
  forEach(&TensorChecks::checkShape);
  for (const SymbolScalar &scalar : scalars)
    symbols.addScalar(scalar.symbol, scalar.value, scalar.place);
  forEach(&TensorChecks::checkProducts);
  forEach(&TensorChecks::checkStrides);
  forEach(&TensorChecks::checkAlignment);
  checkEqualities();
  checkApart();
}

void TensorChecks::checkHeader(TensorState &tensor) {
  auto ndim = static_cast<int32_t>(tensor.type->shape.size());
  uint32_t dtype = dtypeWord(tensor.type->dtype);
  Value *both = e.load(e.b.getInt64Ty(), tensor.dl, kNdim);
  auto header = [ndim](uint32_t word) {
    return static_cast<int64_t>(uint64_t{word} << 32 | uint32_t(ndim));
  };
  Value *ok = e.equal(both, header(dtype));
  tensor.paired = pairedMode(*tensor.type);
  uint32_t pairs = dtypeWord(tensor.type->dtype, 2);
  if (tensor.paired >= 0) {
    tensor.inPairs = e.equal(both, header(pairs));
    ok = e.b.CreateOr(ok, tensor.inPairs);
  }
  e.checkElse(ok, [&] {
    Value *gotDType = e.b.CreateLShr(both, 32);
    Value *known = e.equal(gotDType, dtype);
    if (tensor.paired >= 0)
      known = e.b.CreateOr(known, e.equal(gotDType, pairs));
    e.check(known, Diagnostic::TensorDType,
            {{"site", tensor.site}, {"dtype", std::string(dtypeName(tensor.type->dtype))}},
            [&] { return FailureValues{nullptr, gotDType}; });
    Value *gotNdim = e.signExtend(e.b.CreateTrunc(both, e.b.getInt32Ty()));
    e.fail(Diagnostic::TensorNdim, {{"site", tensor.site}}, {e.i64(ndim), gotNdim});
  });
  checkDevice(tensor);
  if (ndim > 0) {
    Value *shape = e.load(e.b.getPtrTy(), tensor.dl, kShape);
    for (int32_t mode = 0; mode < ndim; ++mode)
      tensor.shape.push_back(e.load(e.b.getInt64Ty(), shape, elementOffset(mode)));
    if (tensor.paired >= 0)
      tensor.shape[tensor.paired] = inElements(tensor, tensor.shape[tensor.paired]);
  }
  Value *data = e.load(e.b.getPtrTy(), tensor.dl, kData);
  Value *byteOffset = e.load(e.b.getInt64Ty(), tensor.dl, kByteOffset);
  // An empty tensor may have no memory; any other one may not.
  if (options.requireData)
    e.checkElse(e.b.CreateIsNotNull(data), [&] {
      Value *elements = e.i64(1);
      for (Value *extent : tensor.shape)
        elements = e.b.CreateMul(elements, extent);
      e.check(e.equal(elements, 0), Diagnostic::TensorNull, {{"site", tensor.site}},
              [] { return FailureValues{}; });
    });
  tensor.data = e.b.CreateGEP(e.b.getInt8Ty(), data, byteOffset);
}

/// An extent or a stride that counts pairs where the tensor comes in pairs.
Value *TensorChecks::inElements(const TensorState &tensor, Value *pairs) {
  return e.b.CreateShl(pairs, e.b.CreateZExt(tensor.inPairs, pairs->getType()));
}

void TensorChecks::checkDevice(TensorState &tensor) {
  Value *type = e.load(e.b.getInt32Ty(), tensor.dl, kDeviceType);
  bool cuda = options.deviceType == kDLCUDA;
  // Plain C does not state the device of memory.
  if (cuda && tensor.type->onHost && options.requireData)
    e.check(e.b.CreateICmpNE(type, e.b.getInt32(kDLCUDA)), Diagnostic::TensorOnHost,
            {{"site", tensor.site}, {"name", tensor.name}}, [&] {
              return FailureValues{nullptr, e.load(e.b.getInt64Ty(), tensor.dl, kDeviceType)};
            });
  e.checkElse(e.equal(type, options.deviceType), [&] {
    // Memory that the device reaches by plain addresses: managed memory from the GPU, pinned memory
    // from the CPU.
    const std::string site = tensor.site + ", expected device_type=" + (cuda ? "cuda" : "cpu");
    e.check(e.equal(type, cuda ? kDLCUDAManaged : kDLCUDAHost), Diagnostic::TensorDevice,
            {{"site", site}, {"targets", options.targets}}, [&] {
              return FailureValues{nullptr, e.load(e.b.getInt64Ty(), tensor.dl, kDeviceType)};
            });
  });
  if (firstDeviceId && !cuda)
    return;
  Value *id = e.load(e.b.getInt32Ty(), tensor.dl, kDeviceId);
  if (!firstDeviceId) {
    firstDeviceId = id;
    firstName = tensor.name;
    return;
  }
  e.check(e.b.CreateICmpEQ(id, firstDeviceId), Diagnostic::TensorDeviceId,
          {{"site", tensor.site}, {"other", firstName}},
          [&] { return FailureValues{e.signExtend(firstDeviceId), e.signExtend(id)}; });
}

void TensorChecks::checkShape(TensorState &tensor) {
  for (size_t mode = 0; mode < tensor.shape.size(); ++mode) {
    const Extent &extent = tensor.type->shape[mode];
    Value *actual = tensor.shape[mode];
    if (extent.isSymbol())
      symbols.addExtent(extent.symbols.front(), actual, tensor.place("shape", mode));
    else if (extent.isStatic())
      e.check(e.equal(actual, extent.coefficient), Diagnostic::ExtentStatic,
              {{"place", tensor.place("shape", mode).name}, {"site", tensor.site}},
              [&] { return FailureValues{e.i64(extent.coefficient), actual}; });
  }
}

/// Extents that are products, once every symbol is bound.
void TensorChecks::checkProducts(TensorState &tensor) {
  for (size_t mode = 0; mode < tensor.shape.size(); ++mode) {
    const Extent &extent = tensor.type->shape[mode];
    if (extent.isSymbol() || extent.isStatic())
      continue;
    Value *actual = tensor.shape[mode], *expected = symbols.product(extent);
    e.check(e.b.CreateICmpEQ(actual, expected), Diagnostic::ExtentStatic,
            {{"place", tensor.place("shape", mode).name}, {"site", tensor.site}},
            [&] { return FailureValues{expected, actual}; });
  }
}

/// NULL strides mean compact row-major: the array is made on the stack, off the hot path.
Value *TensorChecks::stridesOrRowMajor(TensorState &tensor) {
  size_t rank = tensor.shape.size();
  Value *given = e.load(e.b.getPtrTy(), tensor.dl, kStrides);
  Value *slot = e.stackSlot(ArrayType::get(e.b.getInt64Ty(), rank));
  Value *isGiven = e.b.CreateICmpNE(given, ConstantPointerNull::get(e.b.getPtrTy()));
  return e.checkElse(isGiven, given, [&] {
    Value *stride = e.i64(1);
    for (size_t mode = rank; mode-- > 0;) {
      e.b.CreateStore(stride, e.b.CreateConstInBoundsGEP1_64(e.b.getInt64Ty(), slot, mode));
      stride = e.b.CreateMul(stride, tensor.shape[mode]);
    }
    return slot;
  });
}

void TensorChecks::checkStrides(TensorState &tensor) {
  if (tensor.shape.empty())
    return;
  // Strides that are computed from the extents count elements already.
  Value *strides = stridesOrRowMajor(tensor);
  if (tensor.paired >= 0) {
    Value *given = e.load(e.b.getPtrTy(), tensor.dl, kStrides);
    tensor.inPairs = e.b.CreateAnd(tensor.inPairs, e.b.CreateIsNotNull(given));
  }
  for (size_t mode = 0; mode < tensor.shape.size(); ++mode) {
    Value *stride = e.load(e.b.getInt64Ty(), strides, elementOffset(mode));
    if (tensor.paired >= 0 && static_cast<int>(mode) != tensor.paired)
      stride = inElements(tensor, stride);
    tensor.strides.push_back(stride);
    checkStride(tensor, mode, stride);
  }
}

Value *TensorChecks::isEmpty(const TensorState &tensor) {
  Value *empty = e.b.getFalse();
  for (Value *extent : tensor.shape)
    empty = e.b.CreateOr(empty, e.equal(extent, 0));
  return empty;
}

/// True if a stride addresses nothing: the extent is 1 or the tensor is empty. Producers may store
/// any value in such a stride.
Value *TensorChecks::isUnused(const TensorState &tensor, size_t mode) {
  return e.b.CreateOr(e.equal(tensor.shape[mode], 1), isEmpty(tensor));
}

void TensorChecks::checkStride(TensorState &tensor, size_t mode, Value *actual) {
  const Extent &extent = tensor.type->strides[mode];
  NamedValue place = tensor.place("strides", mode);
  if (extent.isSymbol() && !symbols.isBoundByShape(extent.symbols.front())) {
    symbols.addStride(extent.symbols.front(), actual, place,
                      [this, &tensor, mode] { return isUnused(tensor, mode); });
    return;
  }
  Value *expected = symbols.product(extent);
  e.checkElse(e.b.CreateICmpEQ(actual, expected), [&] {
    auto values = [&] { return FailureValues{expected, actual}; };
    if (extent.isSymbol())
      e.check(isUnused(tensor, mode), Diagnostic::ExtentSymbol,
              {{"place", place.name},
               {"site", tensor.site},
               {"other", symbols.boundBy(extent.symbols.front()).name}},
              values);
    else
      e.check(
          isUnused(tensor, mode), Diagnostic::StrideMismatch,
          {{"place", place.name}, {"site", tensor.site}, {"hint", strideHint(*tensor.type, mode)}},
          values);
  });
}

void TensorChecks::checkAlignment(TensorState &tensor) {
  int64_t alignment = tensor.type->alignment;
  if (alignment <= 1)
    return;
  Value *address = e.b.CreatePtrToInt(tensor.data, e.b.getInt64Ty());
  Value *rest = isPowerOf2_64(alignment) ? e.b.CreateAnd(address, e.i64(alignment - 1))
                                         : e.b.CreateURem(address, e.i64(alignment));
  e.checkElse(e.equal(rest, 0), [&] {
    e.check(isEmpty(tensor), Diagnostic::TensorAlignment, {{"site", tensor.site}},
            [&] { return FailureValues{e.i64(alignment), rest}; });
  });
}

void TensorChecks::checkEqualities() {
  for (const ExtentEquality &equality : e.signature.equalities) {
    TensorState &tensor = tensors[equality.param], &other = tensors[equality.otherParam];
    Value *actual = tensor.shape[equality.mode], *expected = other.shape[equality.otherMode];
    e.check(e.b.CreateICmpEQ(actual, expected), Diagnostic::ExtentSymbol,
            {{"place", tensor.place("shape", equality.mode).name},
             {"site", tensor.site},
             {"other", other.place("shape", equality.otherMode).name}},
            [&] { return FailureValues{expected, actual}; });
  }
}

TensorChecks::Bytes TensorChecks::bytesOf(const TensorState &tensor) {
  Value *lowest = e.i64(0), *highest = e.i64(0);
  for (auto [extent, stride] : llvm::zip_equal(tensor.shape, tensor.strides)) {
    Value *reach = e.b.CreateMul(e.b.CreateSub(extent, e.i64(1)), stride);
    Value *isNegative = e.b.CreateICmpSLT(reach, e.i64(0));
    lowest = e.b.CreateAdd(lowest, e.b.CreateSelect(isNegative, reach, e.i64(0)));
    highest = e.b.CreateAdd(highest, e.b.CreateSelect(isNegative, e.i64(0), reach));
  }
  const DType dtype = tensor.type->dtype;
  const int64_t bits = dtype == DType::Boolean ? 8 : bitWidth(dtype);
  Value *begin = e.b.CreateAShr(e.b.CreateMul(lowest, e.i64(bits)), 3);
  Value *bitsToEnd = e.b.CreateMul(e.b.CreateAdd(highest, e.i64(1)), e.i64(bits));
  Value *end = e.b.CreateAShr(e.b.CreateAdd(bitsToEnd, e.i64(7)), 3);
  Value *data = e.b.CreatePtrToInt(tensor.data, e.b.getInt64Ty());
  return {e.b.CreateAdd(data, begin), e.b.CreateAdd(data, end)};
}

void TensorChecks::checkApart() {
  for (size_t i = 0; i < tensors.size(); ++i)
    for (size_t j = i + 1; j < tensors.size(); ++j) {
      const TensorState &tensor = tensors[i], &other = tensors[j];
      if (!tensor.type || !other.type || !(tensor.type->noAlias || other.type->noAlias))
        continue;
      if (tensor.type->access.isOnlyRead() && other.type->access.isOnlyRead())
        continue;
      if (tensor.type->noAlias)
        checkApart(tensor, other);
      else
        checkApart(other, tensor);
    }
}

/// `tensor` is declared without aliases.
void TensorChecks::checkApart(const TensorState &tensor, const TensorState &other) {
  const Bytes bytes = bytesOf(tensor), otherBytes = bytesOf(other);
  Value *isApart = e.b.CreateOr(e.b.CreateICmpULE(bytes.end, otherBytes.begin),
                                e.b.CreateICmpULE(otherBytes.end, bytes.begin));
  e.checkElse(isApart, [&] {
    e.check(e.b.CreateOr(isEmpty(tensor), isEmpty(other)), Diagnostic::ArgumentsOverlap,
            {{"site", tensor.site},
             {"name", tensor.name},
             {"index", std::to_string(other.argument)},
             {"other", other.name}},
            [&] {
              Value *begin =
                  e.b.CreateBinaryIntrinsic(Intrinsic::umax, bytes.begin, otherBytes.begin);
              Value *end = e.b.CreateBinaryIntrinsic(Intrinsic::umin, bytes.end, otherBytes.end);
              return FailureValues{e.b.CreateSub(begin, bytes.begin), e.b.CreateSub(end, begin)};
            });
  });
}

} // namespace fairlead::entry
