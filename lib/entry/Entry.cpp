#include "entry/Entry.h"

#include "entry/ArgumentChecks.h"
#include "entry/EntryBuilder.h"
#include "entry/RuntimeCalls.h"
#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

constexpr int64_t kCellBytes = sizeof(TVMFFIAny);
constexpr int64_t kPayload = offsetof(TVMFFIAny, v_int64);

/// The type of a parameter of the host program.
Type *parameterType(IRBuilderBase &b, const Param &param) {
  const auto *scalar = std::get_if<ScalarParam>(&param.type);
  if (!scalar)
    return b.getPtrTy();
  switch (scalar->dtype) {
  case DType::Float16:
    return b.getHalfTy();
  case DType::BFloat16:
    return b.getBFloatTy();
  case DType::Float32:
  case DType::TFloat32:
    return b.getFloatTy();
  case DType::Float64:
    return b.getDoubleTy();
  default:
    return b.getIntNTy(bitWidth(scalar->dtype));
  }
}

/// Emits one entry: its checks, in the order of their execution, then the call.
class EntryEmitter {
public:
  EntryEmitter(Module &module, const Signature &signature, StringRef symbol,
               const EntryOptions &options)
      : e(module, signature, symbol), options(options), values(e), tensors(e, options) {}

  Function *emit(Function *host) {
    checkCount();
    checkTypes();
    tensors.checkAll();
    callHost(host);
    e.finish();
    return e.function;
  }

private:
  void checkCount() {
    int expected = e.signature.numArguments();
    e.check(e.equal(e.numArgs, expected), Diagnostic::ArgumentCount,
            {{"signature", e.signature.str()}},
            [&] { return FailureValues{e.i64(expected), e.signExtend(e.numArgs)}; });
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
      if (const auto *scalar = std::get_if<ScalarParam>(&param.type)) {
        values.checkScalarType(scalar->dtype, cell);
        if (scalar->symbol >= 0)
          tensors.addScalar(scalar->symbol, param.name, cell);
      } else if (std::holds_alternative<StreamParam>(param.type))
        values.checkStreamType(cell);
      else if (std::holds_alternative<PointerParam>(param.type))
        values.checkPointerType(cell);
      else
        tensors.addTensor(static_cast<int>(position), cell);
    }
  }

  /// Returns a parameter's value for the host program, except that scalars are not narrowed yet.
  Value *argument(size_t position, const Param &param) {
    if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
      // A symbol's constraints, its width among them, are checked where symbols are.
      return scalar->symbol >= 0 ? cells[position].payload
                                 : values.checkedScalar(scalar->dtype, cells[position]);
    if (const auto *stream = std::get_if<StreamParam>(&param.type))
      return stream->environment ? nullptr : values.stream(cells[position]);
    if (const auto *pointer = std::get_if<PointerParam>(&param.type))
      return values.checkedPointer(*pointer, cells[position]);
    return tensors.dataPointer(static_cast<int>(position));
  }

  void callHost(Function *host) {
    std::vector<Value *> arguments{nullptr};
    for (auto [position, param] : llvm::enumerate(e.signature.params))
      arguments.push_back(argument(position, param));
    for (auto [position, param] : llvm::enumerate(e.signature.params)) {
      Value *&value = arguments[position + 1];
      if (!value)
        value = environmentStream();
      else if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
        value = values.narrow(scalar->dtype, value);
    }
    for (auto [index, symbol] : llvm::enumerate(e.signature.symbols))
      arguments.push_back(
          e.b.CreateTrunc(tensors.symbol(static_cast<int>(index)), e.b.getIntNTy(symbol.width)));
    Value *context = makeContext();
    arguments[0] = context;
    // A program that was optimised before takes floats of 16 bits as integers.
    for (auto [argument, parameter] : llvm::zip_equal(arguments, host->args()))
      if (argument->getType() != parameter.getType())
        argument = e.b.CreateBitCast(argument, parameter.getType());
    e.b.CreateCall(host, arguments);
    e.b.CreateRet(e.b.CreateLoad(e.b.getInt32Ty(), context));
  }

  /// FairleadCallContext {status, device_type, device_id, reserved}.
  Value *makeContext() {
    Value *context = e.stackSlot(ArrayType::get(e.b.getInt32Ty(), 4));
    // Without tensors a call runs on the thread's current device.
    Value *device = tensors.deviceId() ? tensors.deviceId()
                                       : e.b.getInt32(options.deviceType == kDLCUDA ? -1 : 0);
    Value *fields[] = {e.b.getInt32(0), e.b.getInt32(options.deviceType), device, e.b.getInt32(0)};
    for (auto [index, field] : llvm::enumerate(fields))
      e.b.CreateStore(field, e.b.CreateConstInBoundsGEP1_64(e.b.getInt32Ty(), context, index));
    return context;
  }

  Value *environmentStream() {
    Value *device = tensors.deviceId() ? tensors.deviceId() : e.b.getInt32(0);
    return callRuntime(e.b, runtime::TVMFFIEnvGetStream,
                       {e.b.getInt32(options.deviceType), device});
  }

  EntryBuilder e;
  const EntryOptions &options;
  ValueChecks values;
  TensorChecks tensors;
  std::vector<ArgumentCell> cells; ///< by parameter
};

} // namespace

FunctionType *hostType(LLVMContext &context, const Signature &signature) {
  IRBuilder<> b(context);
  std::vector<Type *> types{b.getPtrTy()};
  for (const Param &param : signature.params)
    types.push_back(parameterType(b, param));
  for (const Symbol &symbol : signature.symbols)
    types.push_back(b.getIntNTy(symbol.width));
  return FunctionType::get(b.getVoidTy(), types, false);
}

Function *emitEntry(Module &module, const Signature &signature, Function *host, StringRef symbol,
                    const EntryOptions &options) {
  return EntryEmitter(module, signature, symbol, options).emit(host);
}

} // namespace fairlead::entry
