/// Modules of native code: functions by symbol.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "Boundary.h"
#include "ElfFile.h"
#include "ModuleInternal.h"
#include "tvm/ffi/cast.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace tvm::ffi::inner {

/// A function of a library. Calls it directly: both sides have the same calling convention.
class LibraryFunctionObj : public FunctionObj {
public:
  LibraryFunctionObj(Module module, TVMFFISafeCallType target)
      : module(std::move(module)), target(target) {
    safe_call = call;
  }

private:
  static int call(void *handle, const TVMFFIAny *args, int32_t numArgs, TVMFFIAny *result) {
    auto *function = static_cast<LibraryFunctionObj *>(reinterpret_cast<Object *>(handle));
    return function->target(nullptr, args, numArgs, result);
  }

  Module module; ///< keeps the code there
  TVMFFISafeCallType target;
};

} // namespace tvm::ffi::inner

namespace {

class LibraryModuleObj final : public ModuleObj {
public:
  explicit LibraryModuleObj(std::unique_ptr<SymbolSource> symbols) : symbols(std::move(symbols)) {}

  const char *kind() const final { return "library"; }
  int GetPropertyMask() const final { return Module::kBinarySerializable | Module::kRunnable; }
  Optional<Function> GetFunction(const String &name) final {
    TVMFFISafeCallType target = find(symbol::tvm_ffi_symbol_prefix, name);
    if (!target)
      return std::nullopt;
    return Function(ObjectPtr<FunctionObj>(make_object<inner::LibraryFunctionObj>(
        GetRef<Module>(static_cast<ModuleObj *>(this)), target)));
  }
  bool ImplementsFunction(const String &name) final {
    return find(symbol::tvm_ffi_symbol_prefix, name) != nullptr;
  }
  Optional<String> GetFunctionDoc(const String &name) final {
    return text(symbol::tvm_ffi_doc_prefix, name);
  }
  Optional<String> GetFunctionMetadata(const String &name) final {
    return text(symbol::tvm_ffi_metadata_prefix, name);
  }

private:
  TVMFFISafeCallType find(const char *prefix, const String &name) {
    // A name with a NUL would be cut there, and find another function.
    if (std::memchr(name.data(), '\0', name.size()))
      return nullptr;
    return reinterpret_cast<TVMFFISafeCallType>(symbols->find(prefix, name));
  }
  Optional<String> text(const char *prefix, const String &name) {
    TVMFFISafeCallType target = find(prefix, name);
    if (!target)
      return std::nullopt;
    return Function::InvokeExternC(nullptr, target).cast<String>();
  }

  std::unique_ptr<SymbolSource> symbols;
};

/// The symbols that libraries are handed when they are loaded.
struct ContextSymbols {
  std::mutex mutex;
  std::map<std::string, void *> symbols;

  static ContextSymbols &get() {
    static auto *context = new ContextSymbols;
    return *context;
  }
  std::map<std::string, void *> copy() {
    std::lock_guard lock(mutex);
    return symbols;
  }
};

/// Returns the number of readable bytes at a symbol's address: its size if the linker knows it,
/// else the rest of its segment. No limit for memory outside of libraries.
size_t readableBytes(const void *address) {
  size_t mapped = mappedBytesFrom(reinterpret_cast<uintptr_t>(address));
  if (mapped == 0)
    return SIZE_MAX;
  Dl_info info;
  void *extra = nullptr;
  if (dladdr1(address, &info, &extra, RTLD_DL_SYMENT) && extra && info.dli_saddr == address) {
    size_t size = static_cast<const ElfW(Sym) *>(extra)->st_size;
    if (size > 0)
      return std::min(size, mapped);
  }
  return mapped;
}

/// Keeps a library's module for the whole process: its context symbol holds the bare address.
void keepForever(const Module &library) {
  static auto *mutex = new std::mutex;
  static auto *kept = new std::vector<Module>;
  std::lock_guard lock(*mutex);
  kept->push_back(library);
}

} // namespace

Module tvm::ffi::makeLibraryModule(std::unique_ptr<SymbolSource> symbols) {
  SymbolSource &source = *symbols;
  for (const auto &[name, address] : ContextSymbols::get().copy())
    if (void *slot = source.find(name))
      *static_cast<void **>(slot) = address;
  Module library(ObjectPtr<ModuleObj>(make_object<LibraryModuleObj>(std::move(symbols))));
  Module root = library;
  if (void *content = source.find(symbol::tvm_ffi_library_bin))
    root = readEmbeddedModules(static_cast<const char *>(content), readableBytes(content), library);
  if (void *slot = source.find(symbol::tvm_ffi_library_ctx)) {
    keepForever(library);
    *static_cast<void **>(slot) = library.get();
  }
  return root;
}

void Module::VisitContextSymbols(const TypedFunction<void(String, void *)> &callback) {
  for (const auto &[name, address] : ContextSymbols::get().copy())
    callback(name, address);
}

int TVMFFIEnvModRegisterContextSymbol(const char *name, void *symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(name, "TVMFFIEnvModRegisterContextSymbol", "name");
  ContextSymbols &context = ContextSymbols::get();
  std::lock_guard lock(context.mutex);
  context.symbols[name] = symbol;
  TVM_FFI_SAFE_CALL_END();
}
