/// Loading shared libraries as modules. A library stays loaded for the life of the process: objects
/// that it made may outlive every reference to its module, and their deleters are its code.
#include <dlfcn.h>

#include <map>
#include <mutex>

#include "Boundary.h"
#include "ModuleInternal.h"
#include "elf/SharedLibrary.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

class DynamicLibrary : public SymbolSource {
public:
  explicit DynamicLibrary(void *handle) : handle(handle) {}
  using SymbolSource::find;
  void *find(const std::string &name) override { return dlsym(handle, name.c_str()); }

private:
  void *handle;
};

/// The module of each library that is loaded, and what dlopen was given. A file that is loaded
/// again is the same library, and its context symbol has room for one module.
struct LoadedLibraries {
  struct Loaded {
    Module module;
    std::string opened;
  };
  std::recursive_mutex mutex; // an embedded module may load a library
  std::map<void *, Loaded> modules;

  static LoadedLibraries &get() {
    static auto *loaded = new LoadedLibraries;
    return *loaded;
  }
};

Module loadLibrary(const String &path) {
  LoadedLibraries &loaded = LoadedLibraries::get();
  std::lock_guard lock(loaded.mutex);
  const std::string toOpen = requireWholeLibrary(path);
  void *handle = dlopen(toOpen.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    TVM_FFI_THROW(InternalError) << "Failed to load dynamic shared library " << path << " "
                                 << fairlead::elf::aboutPath(reason ? reason : "", toOpen, path);
  }
  auto it = loaded.modules.find(handle);
  if (it != loaded.modules.end()) {
    dlclose(handle); // one reference is kept
    return it->second.module;
  }
  Module module = makeLibraryModule(std::make_unique<DynamicLibrary>(handle));
  loaded.modules.emplace(handle, LoadedLibraries::Loaded{module, toOpen});
  return module;
}

/// Returns the path that dlopen got for the library of a module; "" for other modules.
String openedPath(const Module &module) {
  LoadedLibraries &loaded = LoadedLibraries::get();
  std::lock_guard lock(loaded.mutex);
  for (const auto &[handle, each] : loaded.modules)
    if (each.module.get() == module.get())
      return each.opened;
  return "";
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.Module.load_from_file.so",
           [](const String &path, const String &) { return loadLibrary(path); })
      .def("fairlead.ModuleOpenedPath", openedPath);
}
