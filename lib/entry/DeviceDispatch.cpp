/// The entry of a function with code for several kinds of device: picks by where the tensors are.
#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "entry/Raise.h"
#include "tvm/ffi/c_api.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

/// The first tensor: its position among the arguments and in the signature; -1 without one.
int firstTensor(const Signature &signature) {
  int position = 0;
  for (const Param &param : signature.params) {
    if (std::holds_alternative<TensorParam>(param.type))
      return position;
    position += param.isArgument();
  }
  return -1;
}

} // namespace

Function *emitDeviceDispatch(Module &module, const Signature &signature,
                             const DeviceEntries &entries, StringRef symbol,
                             const EntryOptions &options) {
  IRBuilder<> b(module.getContext());
  Type *pointer = b.getPtrTy();
  auto *function = Function::Create(
      FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false),
      GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
  function->addFnAttr(Attribute::NoUnwind);
  auto block = [&](const char *name) {
    return BasicBlock::Create(module.getContext(), name, function);
  };
  auto at = [&](Value *base, int64_t offset) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
  };
  auto callIn = [&](BasicBlock *where, Function *entry) {
    b.SetInsertPoint(where);
    SmallVector<Value *, 4> arguments(llvm::make_pointer_range(function->args()));
    b.CreateRet(b.CreateCall(entry, arguments));
  };
  auto *start = block("entry");
  // For calls without a tensor or with other mistakes, which any entry reports.
  auto *general = block("general");
  callIn(general, options.deviceType == kDLCUDA ? entries.cuda : entries.cpu);
  b.SetInsertPoint(start);
  int position = firstTensor(signature);
  if (position < 0) {
    b.CreateBr(general);
    return function;
  }
  auto *enough = block("enough"), *tensor = block("tensor"), *onCpu = block("cpu"),
       *onCuda = block("cuda"), *elsewhere = block("elsewhere");
  auto expected = static_cast<uint32_t>(signature.numArguments());
  b.CreateCondBr(b.CreateICmpEQ(function->getArg(2), b.getInt32(expected)), enough, general);

  b.SetInsertPoint(enough);
  int64_t cell = position * static_cast<int64_t>(sizeof(TVMFFIAny));
  Value *type = b.CreateLoad(b.getInt32Ty(), at(function->getArg(1), cell));
  Value *held = b.CreateLoad(pointer, at(function->getArg(1), cell + offsetof(TVMFFIAny, v_ptr)));
  Value *view = b.CreateICmpEQ(type, b.getInt32(kTVMFFIDLTensorPtr));
  Value *object = b.CreateICmpEQ(type, b.getInt32(kTVMFFITensor));
  Value *present = b.CreateICmpNE(held, ConstantPointerNull::get(b.getPtrTy()));
  b.CreateCondBr(b.CreateAnd(b.CreateOr(view, object), present), tensor, general);

  b.SetInsertPoint(tensor);
  Value *dl = b.CreateSelect(view, held, at(held, sizeof(TVMFFIObject)));
  Value *device = b.CreateLoad(b.getInt32Ty(), at(dl, offsetof(DLTensor, device)));
  SwitchInst *choice = b.CreateSwitch(device, elsewhere, 4);
  choice->addCase(b.getInt32(kDLCPU), onCpu);
  choice->addCase(b.getInt32(kDLCUDAHost), onCpu);
  choice->addCase(b.getInt32(kDLCUDA), onCuda);
  choice->addCase(b.getInt32(kDLCUDAManaged), onCuda);
  callIn(onCpu, entries.cpu);
  callIn(onCuda, entries.cuda);

  b.SetInsertPoint(elsewhere);
  std::string site = "on argument #" + std::to_string(position) + " when calling: `" +
                     signature.str() + "`" + ", expected device_type=cpu or device_type=cuda";
  Value *word = b.CreateLoad(b.getInt64Ty(), at(dl, offsetof(DLTensor, device)));
  emitRaise(module, b, nullptr, Diagnostic::TensorDevice,
            {{"site", site}, {"targets", options.targets}}, nullptr, word);
  b.CreateRet(b.getInt32(static_cast<uint32_t>(-1)));
  return function;
}

} // namespace fairlead::entry
