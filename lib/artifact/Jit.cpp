#include "artifact/Jit.h"

#include <dlfcn.h>

#include <string_view>
#include <unordered_map>

#include "artifact/LaterKernels.h"
#include "link/ObjectFile.h"
#include "runtime/RuntimeFunctions.h"

namespace fairlead {
namespace {

/// Returns the address of a function of the runtime: the library may have been loaded out of sight
/// of the process's global symbols.
void *findInRuntime(std::string_view name) {
  static const auto *functions = new std::unordered_map<std::string_view, void *>{
#define FAIRLEAD_RUNTIME_FUNCTION(binding, name) {#name, reinterpret_cast<void *>(&::name)},
#define FAIRLEAD_ABI_FUNCTION FAIRLEAD_RUNTIME_FUNCTION
#include "runtime/RuntimeFunctions.def"
#undef FAIRLEAD_ABI_FUNCTION
#undef FAIRLEAD_RUNTIME_FUNCTION
  };
  auto function = functions->find(name);
  return function == functions->end() ? nullptr : function->second;
}

/// The process, for libc; then libm.
void *findInProcess(const char *name) {
  static void *const math = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  if (void *address = dlsym(RTLD_DEFAULT, name))
    return address;
  return math ? dlsym(math, name) : nullptr;
}

} // namespace

llvm::Expected<std::unique_ptr<link::LoadedCode>>
loadObjects(const std::vector<std::string> &objects,
            const std::vector<std::pair<std::string, void *>> &definitions, LaterKernels *later) {
  auto fail = [](const std::string &reason) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), reason);
  };
  std::vector<link::ObjectFile> files;
  for (const std::string &object : objects) {
    Result<link::ObjectFile> file = link::ObjectFile::read(object);
    if (!file)
      return fail(file.reason());
    files.push_back(std::move(*file));
  }
  auto resolve = [&](const std::string &name) {
    for (const auto &[defined, address] : definitions)
      if (defined == name)
        return address;
    if (void *entry = later ? later->define(name) : nullptr)
      return entry;
    void *address = findInRuntime(name);
    return address ? address : findInProcess(name.c_str());
  };
  Result<std::unique_ptr<link::LoadedCode>> code = link::LoadedCode::link(files, resolve);
  if (!code)
    return fail(code.reason());
  return std::move(*code);
}

} // namespace fairlead
