#include "artifact/ForeignEntry.h"

#include "entry/Raise.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/MachineCode.h"

namespace fairlead {

std::string foreignEntryObject(const std::string &symbol, const std::string &host) {
  auto owned = lower::makeContext();
  llvm::LLVMContext &context = *owned;
  llvm::Module module("foreign", context);
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false),
      llvm::GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  entry::emitRaise(module, b, nullptr, Diagnostic::HostForeign,
                   {{"name", symbol},
                    {"expected", lower::HostMachine::of(host, {}).triple},
                    {"got", lower::HostMachine::native().triple}},
                   nullptr, nullptr);
  b.CreateRet(b.getInt32(static_cast<uint32_t>(-1)));
  lower::optimizeForHost(module, 0);
  return lower::emitObject(module);
}

} // namespace fairlead
