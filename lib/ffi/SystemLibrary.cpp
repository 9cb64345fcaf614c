/// The system library: symbols that the program itself registers, as a module for each prefix.
#include <cstdio>
#include <map>
#include <mutex>

#include "Boundary.h"
#include "ModuleInternal.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

/// Name to address, and the modules made of them. Never freed.
struct SystemSymbols {
  std::mutex mutex;
  std::map<std::string, void *> symbols;
  std::recursive_mutex modulesMutex;
  std::map<std::string, Module> modules;

  static SystemSymbols &get() {
    static auto *system = new SystemSymbols;
    return *system;
  }
  void *find(const std::string &name) {
    std::lock_guard lock(mutex);
    auto it = symbols.find(name);
    return it == symbols.end() ? nullptr : it->second;
  }
};

class SystemLibrary : public SymbolSource {
public:
  explicit SystemLibrary(std::string prefix) : prefix(std::move(prefix)) {}
  void *find(const std::string &name) override {
    void *address = SystemSymbols::get().find(prefix + name);
    return address ? address : SystemSymbols::get().find(name);
  }
  // The library's prefix stands between the kind of the symbol and the function's name.
  void *find(const std::string &kind, const std::string &name) override {
    void *address = SystemSymbols::get().find(kind + prefix + name);
    return address ? address : SystemSymbols::get().find(kind + name);
  }

private:
  std::string prefix;
};

Module systemLibrary(const std::string &prefix) {
  SystemSymbols &system = SystemSymbols::get();
  std::lock_guard lock(system.modulesMutex);
  auto it = system.modules.find(prefix);
  if (it == system.modules.end())
    it = system.modules.emplace(prefix, makeLibraryModule(std::make_unique<SystemLibrary>(prefix)))
             .first;
  return it->second;
}

} // namespace

int TVMFFIEnvModRegisterSystemLibSymbol(const char *name, void *symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(name, "TVMFFIEnvModRegisterSystemLibSymbol", "name");
  SystemSymbols &system = SystemSymbols::get();
  std::lock_guard lock(system.mutex);
  auto [it, fresh] = system.symbols.try_emplace(name, symbol);
  if (!fresh && it->second != symbol) {
    std::fprintf(stderr, "Warning: the system library symbol %s is registered again, at %p\n", name,
                 symbol);
    it->second = symbol;
  }
  TVM_FFI_SAFE_CALL_END();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def_packed("ffi.SystemLib", [](PackedArgs args, Any *result) {
    if (args.size() > 1)
      TVM_FFI_THROW(TypeError) << "ffi.SystemLib: expected at most 1 argument but got "
                               << args.size();
    *result = systemLibrary(args.size() == 1 ? args[0].cast<std::string>() : std::string());
  });
}
