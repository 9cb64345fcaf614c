/// Entries that pick another one by the arguments: by the dtypes of tensors, or by where they are.
#include "llvm/IR/IRBuilder.h"

#include "base/TextScanner.h"
#include "entry/Entry.h"
#include "entry/RuntimeCalls.h"
#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

class DispatchEmitter {
public:
  DispatchEmitter(Module &module, const Signature &signature, StringRef symbol)
      : module(module), signature(signature), b(module.getContext()) {
    Type *pointer = b.getPtrTy();
    function = Function::Create(
        FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false),
        GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
    function->addFnAttr(Attribute::NoUnwind);
    start = block("entry");
    general = block("general");
    b.SetInsertPoint(start);
  }

  /// Picks an instance, one for each combination of dtypes.
  Function *emitByDTypes(ArrayRef<Function *> instances) {
    this->instances = instances;
    requireCount();
    choose(0, 0);
    callIn(general, instances.front());
    return function;
  }

  Function *emitByDevice(const DeviceEntries &entries, const EntryOptions &options) {
    callIn(general, options.deviceType == kDLCUDA ? entries.cuda : entries.cpu);
    b.SetInsertPoint(start);
    const int position = firstTensor([](const TensorParam &) { return true; });
    if (position < 0) {
      b.CreateBr(general);
      return function;
    }
    requireCount();
    Value *tensor = tensorAt(position);
    auto *onCpu = block("cpu"), *onCuda = block("cuda"), *elsewhere = block("elsewhere");
    SwitchInst *choice = b.CreateSwitch(
        b.CreateLoad(b.getInt32Ty(), at(tensor, offsetof(DLTensor, device))), elsewhere, 4);
    for (auto [device, target] : {std::pair(kDLCPU, onCpu), std::pair(kDLCUDAHost, onCpu),
                                  std::pair(kDLCUDA, onCuda), std::pair(kDLCUDAManaged, onCuda)})
      choice->addCase(b.getInt32(device), target);
    callIn(onCpu, entries.cpu);
    callIn(onCuda, entries.cuda);
    b.SetInsertPoint(elsewhere);
    Value *word = b.CreateLoad(b.getInt64Ty(), at(tensor, offsetof(DLTensor, device)));
    fail(position, Diagnostic::TensorDevice, {"targets", options.targets}, word,
         ", expected device_type=cpu or device_type=cuda");
    return function;
  }

private:
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  }
  Value *at(Value *base, int64_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  }

  void callIn(BasicBlock *where, Function *entry) {
    b.SetInsertPoint(where);
    SmallVector<Value *, 4> arguments(llvm::make_pointer_range(function->args()));
    b.CreateRet(b.CreateCall(entry, arguments));
  }

  /// Goes on if the call has as many arguments as the signature.
  void requireCount() {
    auto *enough = block("enough");
    b.CreateCondBr(b.CreateICmpEQ(function->getArg(2),
                                  b.getInt32(static_cast<uint32_t>(signature.numArguments()))),
                   enough, general);
    b.SetInsertPoint(enough);
  }

  /// The position among the arguments of the first tensor that `matches` accepts; -1 if there is
  /// none.
  template <typename Predicate> int firstTensor(Predicate matches) const {
    int position = 0;
    for (const Param &param : signature.params) {
      if (const auto *tensor = std::get_if<TensorParam>(&param.type); tensor && matches(*tensor))
        return position;
      position += param.isArgument();
    }
    return -1;
  }

  /// Returns the address of an argument's DLTensor. Goes on if the argument is a tensor.
  Value *tensorAt(int position) {
    int64_t cell = position * static_cast<int64_t>(sizeof(TVMFFIAny));
    Value *type = b.CreateLoad(b.getInt32Ty(), at(function->getArg(1), cell));
    Value *pointer =
        b.CreateLoad(b.getPtrTy(), at(function->getArg(1), cell + offsetof(TVMFFIAny, v_ptr)));
    Value *view = b.CreateICmpEQ(type, b.getInt32(kTVMFFIDLTensorPtr));
    Value *object = b.CreateICmpEQ(type, b.getInt32(kTVMFFITensor));
    Value *present = b.CreateICmpNE(pointer, ConstantPointerNull::get(b.getPtrTy()));
    auto *next = block("tensor");
    b.CreateCondBr(b.CreateAnd(b.CreateOr(view, object), present), next, general);
    b.SetInsertPoint(next);
    return b.CreateSelect(view, pointer, at(pointer, sizeof(TVMFFIObject)));
  }

  void fail(int position, Diagnostic id, DiagnosticArg choices, Value *got,
            StringRef expected = {}) {
    std::string site = "on argument #" + std::to_string(position) + " when calling: `" +
                       signature.str() + "`" + expected.str();
    emitRaise(module, b, nullptr, id, {{"site", site}, choices}, nullptr, got);
    b.CreateRet(b.getInt32(static_cast<uint32_t>(-1)));
  }

  /// `instance` is the index over the variables before `variable`.
  void choose(size_t variable, int instance) {
    if (variable == signature.dtypeVariables.size())
      return callIn(b.GetInsertBlock(), instances[instance]);
    const std::vector<DType> &choices = signature.dtypeVariables[variable].choices;
    // Signature::parse makes sure that there is one.
    const int position = firstTensor([&](const TensorParam &tensor) {
      return tensor.dtypeVariable == static_cast<int>(variable);
    });
    Value *tensor = tensorAt(position);
    Value *word = b.CreateLoad(b.getInt32Ty(), at(tensor, offsetof(DLTensor, dtype)));
    auto *unknown = block("unknown");
    SwitchInst *choice = b.CreateSwitch(word, unknown, static_cast<unsigned>(choices.size()));
    for (size_t i = 0; i < choices.size(); ++i) {
      auto *chosen = block("chosen");
      choice->addCase(b.getInt32(dtypeWord(choices[i])), chosen);
      b.SetInsertPoint(chosen);
      choose(variable + 1, instance * static_cast<int>(choices.size()) + static_cast<int>(i));
    }
    b.SetInsertPoint(unknown);
    std::vector<std::string> names;
    for (DType type : choices)
      names.emplace_back(dtypeName(type));
    fail(position, Diagnostic::TensorDTypeChoice, {"choices", joinWords(names, " or ")},
         b.CreateZExt(word, b.getInt64Ty()));
  }

  static uint32_t dtypeWord(DType type) {
    DLDataType word = toDLDataType(type);
    return word.code | uint32_t{word.bits} << 8 | uint32_t{word.lanes} << 16;
  }

  Module &module;
  const Signature &signature;
  ArrayRef<Function *> instances;
  IRBuilder<> b;
  Function *function = nullptr;
  /// For calls with a wrong number of arguments, or without a tensor, which any entry reports.
  BasicBlock *start = nullptr, *general = nullptr;
};

} // namespace

Function *emitDispatch(Module &module, const Signature &signature, ArrayRef<Function *> instances,
                       StringRef symbol) {
  return DispatchEmitter(module, signature, symbol).emitByDTypes(instances);
}

Function *emitDeviceDispatch(Module &module, const Signature &signature,
                             const DeviceEntries &entries, StringRef symbol,
                             const EntryOptions &options) {
  return DispatchEmitter(module, signature, symbol).emitByDevice(entries, options);
}

} // namespace fairlead::entry
