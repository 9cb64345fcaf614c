#include "entry/ArgumentChecks.h"

#include "llvm/Support/MathExtras.h"

#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {

/// The usual type index is tried first, the others off the hot path.
void ValueChecks::checkType(const ArgumentCell &cell, int32_t first, ArrayRef<int32_t> others,
                            const char *expected) {
  e.checkElse(e.equal(cell.type, first), [&] {
    Value *ok = e.b.getFalse();
    for (int32_t other : others)
      ok = e.b.CreateOr(ok, e.equal(cell.type, other));
    e.check(ok, Diagnostic::ArgumentType, {{"site", e.site(cell.index)}, {"type", expected}},
            [&] { return FailureValues{nullptr, e.zeroExtend(cell.type)}; });
  });
}

void ValueChecks::checkScalarType(DType dtype, const ArgumentCell &cell) {
  if (isFloat(dtype))
    checkType(cell, kTVMFFIFloat, {kTVMFFIInt, kTVMFFIBool}, "float");
  else if (dtype == DType::Boolean)
    checkType(cell, kTVMFFIBool, {kTVMFFIInt}, "bool");
  else if (dtype == DType::Uint64)
    checkType(cell, kTVMFFIInt, {kTVMFFIBool, kTVMFFIBigInt}, "int");
  else
    checkType(cell, kTVMFFIInt, {kTVMFFIBool}, "int");
}

void ValueChecks::checkStreamType(const ArgumentCell &cell) {
  checkType(cell, kTVMFFIOpaquePtr, {kTVMFFINone, kTVMFFIInt}, "Stream");
}

Value *ValueChecks::checkedScalar(DType dtype, const ArgumentCell &cell) {
  if (isFloat(dtype))
    return asDouble(cell);
  if (dtype == DType::Uint64)
    return checkedUnsigned(cell);
  if (dtype != DType::Boolean)
    checkRange(dtype, cell);
  return cell.payload;
}

/// Numbers from 2^63 on arrive as big integers: two words, and the second one is the sign's.
Value *ValueChecks::checkedUnsigned(const ArgumentCell &cell) {
  constexpr int64_t kNumWords = sizeof(TVMFFIObject), kWords = kNumWords + 8;
  std::string site = e.site(cell.index);
  Value *isLarge = e.equal(cell.type, kTVMFFIBigInt);
  Value *isUsual = e.b.CreateAnd(e.b.CreateNot(isLarge), e.b.CreateICmpSGE(cell.payload, e.i64(0)));
  return e.checkElse(isUsual, cell.payload, [&] {
    e.check(isLarge, Diagnostic::ScalarRange, {{"site", site}, {"dtype", "uint64"}},
            [&] { return FailureValues{nullptr, cell.payload}; });
    Value *object = e.b.CreateIntToPtr(cell.payload, e.b.getPtrTy());
    Type *word = e.b.getInt64Ty();
    Value *fits = e.b.CreateAnd(e.equal(e.load(word, object, kNumWords), 2),
                                e.equal(e.load(word, object, kWords + 8), 0));
    e.check(fits, Diagnostic::ArgumentType, {{"site", site}, {"type", "int"}},
            [&] { return FailureValues{nullptr, e.zeroExtend(cell.type)}; });
    return e.load(word, object, kWords);
  });
}

void ValueChecks::checkPointerType(const ArgumentCell &cell) {
  checkType(cell, kTVMFFIOpaquePtr, {kTVMFFIInt, kTVMFFINone}, "Pointer");
}

Value *ValueChecks::checkedPointer(const PointerParam &param, const ArgumentCell &cell) {
  std::string dtype(dtypeName(param.dtype)), site = e.site(cell.index);
  Value *isNone = e.equal(cell.type, kTVMFFINone);
  e.check(e.b.CreateAnd(e.b.CreateNot(isNone), e.b.CreateICmpNE(cell.payload, e.i64(0))),
          Diagnostic::PointerNull, {{"site", site}, {"dtype", dtype}},
          [] { return FailureValues{}; });
  if (param.alignment > 1) {
    Value *rest = isPowerOf2_64(param.alignment)
                      ? e.b.CreateAnd(cell.payload, e.i64(param.alignment - 1))
                      : e.b.CreateURem(cell.payload, e.i64(param.alignment));
    e.check(e.equal(rest, 0), Diagnostic::PointerAlignment, {{"site", site}},
            [&] { return FailureValues{e.i64(param.alignment), rest}; });
  }
  return e.b.CreateIntToPtr(cell.payload, e.b.getPtrTy());
}

Value *ValueChecks::asDouble(const ArgumentCell &cell) {
  Value *bits = e.b.CreateBitCast(cell.payload, e.b.getDoubleTy());
  return e.checkElse(e.equal(cell.type, kTVMFFIFloat), bits,
                     [&] { return e.b.CreateSIToFP(cell.payload, e.b.getDoubleTy()); });
}

void ValueChecks::checkRange(DType dtype, const ArgumentCell &cell) {
  Value *fits = nullptr;
  if (bitWidth(dtype) < 64) {
    Value *narrowed = narrow(dtype, cell.payload);
    fits = e.b.CreateICmpEQ(cell.payload,
                            isSigned(dtype) ? e.signExtend(narrowed) : e.zeroExtend(narrowed));
  }
  if (fits)
    e.check(fits, Diagnostic::ScalarRange,
            {{"site", e.site(cell.index)}, {"dtype", std::string(dtypeName(dtype))}},
            [&] { return FailureValues{nullptr, cell.payload}; });
}

/// Rounds to 10 bits of fraction, ties to even. Infinities and NaNs stay.
Value *ValueChecks::roundToTFloat32(Value *value) {
  constexpr uint32_t kDropped = 13, kInfinity = 0x7f800000;
  IRBuilder<> &b = e.b;
  Value *bits = b.CreateBitCast(value, b.getInt32Ty());
  Value *lowest = b.CreateAnd(b.CreateLShr(bits, kDropped), 1);
  Value *raised = b.CreateAdd(b.CreateAdd(bits, b.getInt32((1u << (kDropped - 1)) - 1)), lowest);
  Value *rounded = b.CreateAnd(raised, b.getInt32(~((1u << kDropped) - 1)));
  Value *special = b.CreateICmpEQ(b.CreateAnd(bits, kInfinity), b.getInt32(kInfinity));
  return b.CreateBitCast(b.CreateSelect(special, bits, rounded), b.getFloatTy());
}

Value *ValueChecks::narrow(DType dtype, Value *checked) {
  switch (dtype) {
  case DType::Boolean:
    return e.b.CreateICmpNE(checked, e.i64(0));
  case DType::Float16:
    return e.b.CreateFPTrunc(checked, e.b.getHalfTy());
  case DType::BFloat16:
    return e.b.CreateFPTrunc(checked, e.b.getBFloatTy());
  case DType::Float32:
    return e.b.CreateFPTrunc(checked, e.b.getFloatTy());
  case DType::Float64:
    return checked;
  case DType::TFloat32:
    return roundToTFloat32(e.b.CreateFPTrunc(checked, e.b.getFloatTy()));
  default:
    return e.b.CreateTrunc(checked, e.b.getIntNTy(bitWidth(dtype)));
  }
}

Value *ValueChecks::stream(const ArgumentCell &cell) {
  Value *given = e.checkElse(e.b.CreateICmpNE(cell.type, e.b.getInt32(kTVMFFINone)), cell.payload,
                             [&] { return e.i64(0); });
  return e.b.CreateIntToPtr(given, e.b.getPtrTy());
}

} // namespace fairlead::entry
