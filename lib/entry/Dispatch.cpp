/// The entry of a function with dtype variables: picks the instance by the dtypes of tensors.
#include "llvm/IR/IRBuilder.h"

#include "base/TextScanner.h"
#include "entry/Entry.h"
#include "entry/Raise.h"
#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

class DispatchEmitter {
public:
  DispatchEmitter(Module &module, const Signature &signature, ArrayRef<Function *> instances)
      : module(module), signature(signature), instances(instances), b(module.getContext()) {}

  Function *emit(StringRef symbol) {
    Type *pointer = b.getPtrTy();
    function = Function::Create(
        FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false),
        GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
    function->addFnAttr(Attribute::NoUnwind);
    b.SetInsertPoint(block("entry"));
    // Every instance reports a wrong number of arguments, or an argument that is not a tensor.
    first = block("first");
    auto *enough = block("enough");
    b.CreateCondBr(b.CreateICmpEQ(function->getArg(2),
                                  b.getInt32(static_cast<uint32_t>(signature.numArguments()))),
                   enough, first);
    b.SetInsertPoint(enough);
    choose(0, 0);
    b.SetInsertPoint(first);
    call(0);
    return function;
  }

private:
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  }

  void call(int instance) {
    std::vector<Value *> arguments;
    for (Argument &argument : function->args())
      arguments.push_back(&argument);
    b.CreateRet(b.CreateCall(instances[instance], arguments));
  }

  /// `instance` is the index over the variables before `variable`.
  void choose(size_t variable, int instance) {
    if (variable == signature.dtypeVariables.size()) {
      call(instance);
      return;
    }
    const DTypeVariable &choices = signature.dtypeVariables[variable];
    auto [index, position] = firstTensor(static_cast<int>(variable));
    Value *word = dtypeOf(position);
    auto *unknown = block("unknown");
    SwitchInst *choice =
        b.CreateSwitch(word, unknown, static_cast<unsigned>(choices.choices.size()));
    for (size_t i = 0; i < choices.choices.size(); ++i) {
      auto *chosen = block("chosen");
      choice->addCase(b.getInt32(dtypeWord(choices.choices[i])), chosen);
      b.SetInsertPoint(chosen);
      choose(variable + 1,
             instance * static_cast<int>(choices.choices.size()) + static_cast<int>(i));
    }
    b.SetInsertPoint(unknown);
    std::vector<std::string> names;
    for (DType type : choices.choices)
      names.emplace_back(dtypeName(type));
    std::string site =
        "on argument #" + std::to_string(position) + " when calling: `" + signature.str() + "`";
    emitRaise(module, b, nullptr, Diagnostic::TensorDTypeChoice,
              {{"site", site}, {"choices", joinWords(names, " or ")}}, nullptr,
              b.CreateZExt(word, b.getInt64Ty()));
    b.CreateRet(b.getInt32(-1));
  }

  /// The first tensor with the variable as its dtype: its parameter, and its place among the
  /// arguments.
  std::pair<int, int> firstTensor(int variable) const {
    int position = 0;
    for (auto [index, param] : llvm::enumerate(signature.params)) {
      const auto *tensor = std::get_if<TensorParam>(&param.type);
      if (tensor && tensor->dtypeVariable == variable)
        return {static_cast<int>(index), position};
      position += param.isArgument();
    }
    llvm_unreachable("Signature::parse makes sure of it");
  }

  static uint32_t dtypeWord(DType type) {
    DLDataType word = toDLDataType(type);
    return word.code | uint32_t{word.bits} << 8 | uint32_t{word.lanes} << 16;
  }

  Value *at(Value *base, int64_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  }

  Value *dtypeOf(int position) {
    int64_t cell = position * static_cast<int64_t>(sizeof(TVMFFIAny));
    Value *type = b.CreateLoad(b.getInt32Ty(), at(function->getArg(1), cell));
    Value *pointer =
        b.CreateLoad(b.getPtrTy(), at(function->getArg(1), cell + offsetof(TVMFFIAny, v_ptr)));
    Value *view = b.CreateICmpEQ(type, b.getInt32(kTVMFFIDLTensorPtr));
    Value *object = b.CreateICmpEQ(type, b.getInt32(kTVMFFITensor));
    Value *present = b.CreateICmpNE(pointer, ConstantPointerNull::get(b.getPtrTy()));
    auto *next = block("tensor");
    b.CreateCondBr(b.CreateAnd(b.CreateOr(view, object), present), next, first);
    b.SetInsertPoint(next);
    Value *tensor = b.CreateSelect(view, pointer, at(pointer, sizeof(TVMFFIObject)));
    return b.CreateLoad(b.getInt32Ty(), at(tensor, offsetof(DLTensor, dtype)));
  }

  Module &module;
  const Signature &signature;
  ArrayRef<Function *> instances;
  IRBuilder<> b;
  Function *function = nullptr;
  BasicBlock *first = nullptr;
};

} // namespace

Function *emitDispatch(Module &module, const Signature &signature, ArrayRef<Function *> instances,
                       StringRef symbol) {
  return DispatchEmitter(module, signature, instances).emit(symbol);
}

} // namespace fairlead::entry
