#include "entry/Entry.h"

#include "entry/EntryBuilder.h"
#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

constexpr int64_t kCellBytes = sizeof(TVMFFIAny);
constexpr int64_t kPayload = 8;

/// Scalars and streams: their types, ranges and values.
class ValueChecks {
public:
  explicit ValueChecks(EntryBuilder &entry) : e(entry) {}

  void checkType(const ScalarParam &scalar, const ArgumentCell &cell) {
    Value *ok = e.b.CreateOr(is(cell, kTVMFFIInt), is(cell, kTVMFFIBool));
    if (isFloat(scalar.dtype))
      ok = e.b.CreateOr(ok, is(cell, kTVMFFIFloat));
    const char *expected = isFloat(scalar.dtype) ? "float" : scalar.dtype == DType::Boolean ? "bool" : "int";
    reject(ok, cell, expected);
  }
  void checkStreamType(const ArgumentCell &cell) {
    Value *ok = e.b.CreateOr(is(cell, kTVMFFIOpaquePtr), e.b.CreateOr(is(cell, kTVMFFINone), is(cell, kTVMFFIInt)));
    reject(ok, cell, "Stream");
  }

  /// The value in its own type, after a check that it fits.
  Value *value(const ScalarParam &scalar, const ArgumentCell &cell) {
    DType dtype = scalar.dtype;
    if (dtype == DType::Boolean)
      return e.b.CreateICmpNE(cell.payload, e.i64(0));
    if (isFloat(dtype))
      return e.b.CreateFPCast(asDouble(cell), floatType(dtype));
    Value *fits = e.b.getTrue();
    Type *type = e.b.getIntNTy(bitWidth(dtype));
    if (bitWidth(dtype) < 64) {
      Value *narrow = e.b.CreateTrunc(cell.payload, type);
      Value *wide = isSigned(dtype) ? e.b.CreateSExt(narrow, e.b.getInt64Ty()) : e.b.CreateZExt(narrow, e.b.getInt64Ty());
      fits = e.b.CreateICmpEQ(wide, cell.payload);
    } else if (!isSigned(dtype)) {
      fits = e.b.CreateICmpSGE(cell.payload, e.i64(0));
    }
    if (!isa<ConstantInt>(fits))
      e.check(fits, Diagnostic::ScalarRange, {{"site", e.site(cell.index)}, {"dtype", std::string(dtypeName(dtype))}}, nullptr, cell.payload);
    return e.b.CreateTrunc(cell.payload, type);
  }

private:
  Value *is(const ArgumentCell &cell, int32_t type) { return e.b.CreateICmpEQ(cell.type, e.b.getInt32(type)); }
  void reject(Value *ok, const ArgumentCell &cell, const char *expected) {
    e.check(ok, Diagnostic::ArgumentType, {{"site", e.site(cell.index)}, {"type", expected}}, nullptr, e.widen(cell.type));
  }
  Value *asDouble(const ArgumentCell &cell) {
    Value *bits = e.b.CreateBitCast(cell.payload, e.b.getDoubleTy());
    Value *converted = e.b.CreateSIToFP(cell.payload, e.b.getDoubleTy());
    return e.b.CreateSelect(is(cell, kTVMFFIFloat), bits, converted);
  }
  Type *floatType(DType dtype) {
    switch (dtype) {
    case DType::Float16:
      return e.b.getHalfTy();
    case DType::BFloat16:
      return e.b.getBFloatTy();
    case DType::Float32:
      return e.b.getFloatTy();
    default:
      return e.b.getDoubleTy();
    }
  }

  EntryBuilder &e;
};

/// Emits one entry, in the order in which its checks run.
class EntryEmitter {
public:
  EntryEmitter(Module &module, const Signature &signature, StringRef symbol, const EntryOptions &options)
      : e(module, signature, symbol), options(options), values(e), tensors(e, options) {}

  Function *emit(Function *host) {
    checkCount();
    checkTypes();
    tensors.checkAll();
    callHost(host);
    return e.function;
  }

private:
  void checkCount() {
    int expected = e.signature.numArguments();
    e.check(e.b.CreateICmpEQ(e.numArgs, e.b.getInt32(expected)), Diagnostic::ArgumentCount, {{"signature", e.signature.str()}}, e.i64(expected),
            e.b.CreateSExt(e.numArgs, e.b.getInt64Ty()));
  }

  void checkTypes() {
    cells.resize(e.signature.params.size());
    int index = 0;
    for (auto [position, param] : llvm::enumerate(e.signature.params)) {
      if (!param.isArgument())
        continue;
      ArgumentCell &cell = cells[position];
      cell.index = index;
      cell.type = e.load(e.b.getInt32Ty(), e.args, index * kCellBytes);
      cell.payload = e.load(e.b.getInt64Ty(), e.args, index * kCellBytes + kPayload);
      ++index;
      if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
        values.checkType(*scalar, cell);
      else if (std::holds_alternative<StreamParam>(param.type))
        values.checkStreamType(cell);
      else
        tensors.addTensor(static_cast<int>(position), cell);
    }
  }

  void callHost(Function *host) {
    std::vector<Value *> arguments{nullptr};
    for (auto [position, param] : llvm::enumerate(e.signature.params)) {
      if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
        arguments.push_back(values.value(*scalar, cells[position]));
      else if (const auto *stream = std::get_if<StreamParam>(&param.type))
        arguments.push_back(stream->environment ? environmentStream() : e.b.CreateIntToPtr(cells[position].payload, e.b.getPtrTy()));
      else
        arguments.push_back(tensors.dataPointer(static_cast<int>(position)));
    }
    for (auto [index, symbol] : llvm::enumerate(e.signature.symbols))
      arguments.push_back(e.b.CreateTrunc(tensors.symbol(static_cast<int>(index)), e.b.getIntNTy(symbol.width)));
    Value *context = makeContext();
    arguments[0] = context;
    e.b.CreateCall(host, arguments);
    e.b.CreateRet(e.b.CreateLoad(e.b.getInt32Ty(), context));
  }

  /// FairleadCallContext {status, device_type, device_id, reserved}.
  Value *makeContext() {
    IRBuilder<> top(&e.function->getEntryBlock(), e.function->getEntryBlock().begin());
    Value *context = top.CreateAlloca(ArrayType::get(e.b.getInt32Ty(), 4));
    Value *fields[] = {e.b.getInt32(0), e.b.getInt32(options.deviceType), tensors.deviceId(), e.b.getInt32(0)};
    for (auto [index, field] : llvm::enumerate(fields))
      e.b.CreateStore(field, e.b.CreateConstInBoundsGEP1_64(e.b.getInt32Ty(), context, index));
    return context;
  }

  Value *environmentStream() {
    FunctionCallee get = e.module.getOrInsertFunction("TVMFFIEnvGetStream",
                                                      FunctionType::get(e.b.getPtrTy(), {e.b.getInt32Ty(), e.b.getInt32Ty()}, false));
    return e.b.CreateCall(get, {e.b.getInt32(options.deviceType), tensors.deviceId()});
  }

  EntryBuilder e;
  const EntryOptions &options;
  ValueChecks values;
  TensorChecks tensors;
  std::vector<ArgumentCell> cells;
};

} // namespace

Function *emitEntry(Module &module, const Signature &signature, Function *host, StringRef symbol, const EntryOptions &options) {
  return EntryEmitter(module, signature, symbol, options).emit(host);
}

} // namespace fairlead::entry
