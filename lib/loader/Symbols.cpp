#include "loader/Symbols.h"

#include <dlfcn.h>

#include <string>

#include "fairlead/Runtime.h"

namespace fairlead::loader {
namespace {

/// The path of the runtime library that this process has.
const char *runtimePath() {
  Dl_info info;
  return dladdr(reinterpret_cast<void *>(&FairleadRaise), &info) ? info.dli_fname : nullptr;
}

/// Opened once and never closed.
const std::vector<void *> &standardLibraries() {
  static const auto *libraries = [] {
    auto *opened = new std::vector<void *>;
    if (const char *path = runtimePath())
      if (void *runtime = dlopen(path, RTLD_NOW | RTLD_NOLOAD))
        opened->push_back(runtime);
    for (const char *name : {"libm.so.6", "libgcc_s.so.1"})
      if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
        opened->push_back(library);
    return opened;
  }();
  return *libraries;
}

} // namespace

void *findSymbol(const std::string &name, const std::vector<void *> &libraries) {
  if (void *address = dlsym(RTLD_DEFAULT, name.c_str()))
    return address;
  for (const std::vector<void *> *list : {&libraries, &standardLibraries()})
    for (void *library : *list)
      if (void *address = dlsym(library, name.c_str()))
        return address;
  return nullptr;
}

void publishRuntime() {
  if (const char *path = runtimePath())
    dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

} // namespace fairlead::loader
