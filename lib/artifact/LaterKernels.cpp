#include "artifact/LaterKernels.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include "artifact/Jit.h"
#include "fairlead/Runtime.h"
#include "lower/Lowering.h"

namespace fairlead {
namespace {

constexpr char kEntrySuffix[] = ".later";

std::vector<llvm::Function *> laterKernels(llvm::Module &module) {
  std::vector<llvm::Function *> kernels;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(lower::kLaterAttribute))
      kernels.push_back(&function);
  return kernels;
}

/// Erases local functions that nothing refers to any more.
void eraseUnused(llvm::Module &module) {
  for (bool erased = true; erased;) {
    erased = false;
    for (llvm::Function &function : llvm::make_early_inc_range(module)) {
      function.removeDeadConstantUsers();
      if (!function.hasLocalLinkage() || !function.use_empty())
        continue;
      function.eraseFromParent();
      erased = true;
    }
  }
}

/// Runs in place of a kernel that could not be compiled.
void endLaunch(void *const *, const FairleadLaunch *, int32_t x, int32_t y, int32_t z, void *) {
  FairleadCpuAssert("the checks of this launch could not be compiled", x, y, z);
}

} // namespace

void leaveForLater(llvm::Module &module) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(module.getContext());
  for (llvm::Function *kernel : laterKernels(module)) {
    // Where LLVM has joined two launches, one call is of either kernel.
    if (!llvm::all_of(kernel->users(),
                      [](llvm::User *user) { return llvm::isa<llvm::CallInst>(user); }))
      continue;
    auto *entry = new llvm::GlobalVariable(module, pointer, /*isConstant=*/false,
                                           llvm::GlobalValue::ExternalLinkage, nullptr,
                                           kernel->getName() + kEntrySuffix);
    for (llvm::Use &use : llvm::make_early_inc_range(kernel->uses())) {
      auto *call = llvm::cast<llvm::CallInst>(use.getUser()); // of FairleadCpuLaunch
      llvm::IRBuilder<> b(call);
      llvm::Value *find = b.CreateLoad(pointer, entry);
      auto *type = llvm::FunctionType::get(pointer, {pointer}, false);
      use.set(b.CreateCall(type, find, {entry}));
    }
    kernel->eraseFromParent();
  }
  eraseUnused(module);
}

void keepLaterKernels(llvm::Module &module) {
  for (llvm::Function *kernel : laterKernels(module))
    kernel->setLinkage(llvm::GlobalValue::ExternalLinkage);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() &&
        !function.hasFnAttribute(lower::kLaterAttribute)) {
      function.deleteBody(); // the host function
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  eraseUnused(module);
}

void *LaterKernels::define(const std::string &symbol) {
  const llvm::StringRef name = symbol;
  if (!name.ends_with(kEntrySuffix))
    return nullptr;
  entries.push_back(
      std::make_unique<Entry>(Entry{&find, this, name.drop_back(sizeof(kEntrySuffix) - 1).str()}));
  return entries.back().get();
}

void *LaterKernels::find(Entry *entry) {
  try {
    if (void *kernel = entry->owner->load(entry->kernel))
      return kernel;
  } catch (...) { // the code that calls this has no exceptions
  }
  return reinterpret_cast<void *>(&endLaunch);
}

void *LaterKernels::load(const std::string &kernel) {
  std::lock_guard lock(mutex);
  if (!code) {
    auto loaded = loadObjects({build()}, definitions);
    if (!loaded) {
      llvm::consumeError(loaded.takeError());
      return nullptr;
    }
    code = std::move(*loaded);
  }
  return code->find(kernel);
}

} // namespace fairlead
