#include "EntryHarness.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include "artifact/Jit.h"
#include "entry/Entry.h"
#include "lower/machine/MachineCode.h"

namespace fairlead::entry {
namespace {

HostCall lastCall;
bool failNextCall = false;

/// Called by every host program of the tests.
void record(FairleadCallContext *context, const int64_t *values, int64_t count) {
  ++lastCall.count;
  lastCall.context = *context;
  lastCall.values.assign(values, values + count);
  static const FairleadFailure kFailure = {"RuntimeError", "the launch failed"};
  if (failNextCall)
    FairleadRaise(context, &kFailure, 0, 0);
}

bool isUnsigned(const Param *param) {
  const auto *scalar = param ? std::get_if<ScalarParam>(&param->type) : nullptr;
  return scalar && !isSigned(scalar->dtype);
}

llvm::Value *asBits(llvm::IRBuilder<> &b, llvm::Value *value, const Param *param) {
  if (value->getType()->isPointerTy())
    return b.CreatePtrToInt(value, b.getInt64Ty());
  if (value->getType()->isFloatingPointTy())
    return b.CreateBitCast(b.CreateFPExt(value, b.getDoubleTy()), b.getInt64Ty());
  return isUnsigned(param) ? b.CreateZExtOrTrunc(value, b.getInt64Ty())
                           : b.CreateSExtOrTrunc(value, b.getInt64Ty());
}

llvm::Function *makeHost(llvm::Module &module, const Signature &signature) {
  llvm::IRBuilder<> b(module.getContext());
  auto *host = llvm::Function::Create(entry::hostType(module.getContext(), signature),
                                      llvm::GlobalValue::InternalLinkage, "host", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", host));
  size_t count = host->arg_size() - 1;
  llvm::Value *values = b.CreateAlloca(b.getInt64Ty(), b.getInt64(count + 1));
  for (size_t i = 0; i < count; ++i)
    b.CreateStore(asBits(b, host->getArg(i + 1),
                         i < signature.params.size() ? &signature.params[i] : nullptr),
                  b.CreateConstGEP1_64(b.getInt64Ty(), values, i));
  auto *type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  llvm::Value *callee =
      b.CreateIntToPtr(b.getInt64(reinterpret_cast<uintptr_t>(&record)), b.getPtrTy());
  b.CreateCall(type, callee, {host->getArg(0), values, b.getInt64(count)});
  b.CreateRetVoid();
  return host;
}

} // namespace

TVMFFIAny anyInt(int64_t value) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIInt;
  any.v_int64 = value;
  return any;
}
TVMFFIAny anyFloat(double value) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIFloat;
  any.v_float64 = value;
  return any;
}
TVMFFIAny anyBool(bool value) {
  TVMFFIAny any = anyInt(value);
  any.type_index = kTVMFFIBool;
  return any;
}
TVMFFIAny anyNone() { return TVMFFIAny{}; }
TVMFFIAny anyPointer(void *value) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIOpaquePtr;
  any.v_ptr = value;
  return any;
}

Extent symbol(int index, int64_t coefficient) { return {coefficient, {index}}; }
Extent fixed(int64_t value) { return {value, {}}; }

Param tensorParam(std::string name, std::vector<Extent> shape, DType dtype,
                  std::vector<Extent> strides, int64_t alignment) {
  TensorParam tensor;
  tensor.dtype = dtype;
  tensor.alignment = alignment;
  if (strides.empty()) {
    strides.resize(shape.size());
    Extent stride;
    for (size_t mode = shape.size(); mode-- > 0;) {
      strides[mode] = stride;
      stride.coefficient *= shape[mode].coefficient;
      stride.symbols.insert(stride.symbols.end(), shape[mode].symbols.begin(),
                            shape[mode].symbols.end());
    }
  }
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  return {std::move(name), std::move(tensor)};
}

Entry::Entry(const Signature &signature, DLDeviceType device, const std::string &targets) {
  llvm::LLVMContext context;
  llvm::Module module("entry", context);
  llvm::Function *host = makeHost(module, signature);
  llvm::Function *entry = emitEntry(module, signature, host, signature.name, {device, targets});
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  EXPECT_FALSE(llvm::verifyFunction(*entry, &stream)) << problem;
  lower::optimizeForHost(module, 0);
  // The settings of artifacts: without optimisation, except for bfloat.
  bool bfloat =
      llvm::any_of(host->args(), [](auto &argument) { return argument.getType()->isBFloatTy(); });
  if (!bfloat)
    entry->addFnAttr(llvm::Attribute::OptimizeNone);
  entry->addFnAttr(llvm::Attribute::NoInline);
  auto loaded = loadObjects({lower::emitObject(module)});
  if (!loaded)
    throw std::runtime_error(llvm::toString(loaded.takeError()));
  code = std::move(*loaded);
  function = reinterpret_cast<TVMFFISafeCallType>(code->find("__tvm_ffi_" + signature.name));
}

std::string Entry::call(std::vector<TVMFFIAny> arguments) {
  lastCall = HostCall();
  failNextCall = hostFails;
  TVMFFIAny result{};
  int rc = function(nullptr, arguments.data(), static_cast<int32_t>(arguments.size()), &result);
  EXPECT_EQ(result.type_index, kTVMFFINone);
  if (rc == 0) {
    EXPECT_EQ(lastCall.count, 1);
    return "";
  }
  EXPECT_EQ(rc, -1);
  EXPECT_EQ(lastCall.count, hostFails) << "the host program must not run when a check fails";
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (!error)
    return "no error was raised";
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  std::string text = std::string(cell->kind.data, cell->kind.size) + ": " +
                     std::string(cell->message.data, cell->message.size);
  TVMFFIObjectDecRef(error);
  return text;
}

const HostCall &Entry::host() const { return lastCall; }

} // namespace fairlead::entry
