#include "entry/ValueChecks.h"

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
  else
    checkType(cell, kTVMFFIInt, {kTVMFFIBool}, "int");
}

void ValueChecks::checkStreamType(const ArgumentCell &cell) {
  checkType(cell, kTVMFFIOpaquePtr, {kTVMFFINone, kTVMFFIInt}, "Stream");
}

Value *ValueChecks::checkedScalar(DType dtype, const ArgumentCell &cell) {
  if (isFloat(dtype))
    return asDouble(cell);
  if (dtype != DType::Boolean)
    checkRange(dtype, cell);
  return cell.payload;
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
  } else if (!isSigned(dtype)) {
    fits = e.b.CreateICmpSGE(cell.payload, e.i64(0));
  }
  if (fits)
    e.check(fits, Diagnostic::ScalarRange,
            {{"site", e.site(cell.index)}, {"dtype", std::string(dtypeName(dtype))}},
            [&] { return FailureValues{nullptr, cell.payload}; });
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
