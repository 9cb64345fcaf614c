#include "artifact/Jit.h"

#include <dlfcn.h>

#include <string_view>
#include <unordered_map>

#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Frameworks.h"
#include "fairlead/Runtime.h"
#include "link/ObjectFile.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead {
namespace {

/// The runtime's functions by address, since the library may have been loaded out of sight of the
/// process's global symbols.
void *findInRuntime(std::string_view name) {
  static const auto *functions = [] {
    auto *made = new std::unordered_map<std::string_view, void *>;
    auto define = [&](const char *name, auto *function) {
      made->emplace(name, reinterpret_cast<void *>(function));
    };
    define("FairleadCpuLaunch", &FairleadCpuLaunch);
    define("FairleadCpuAssert", &FairleadCpuAssert);
    define("FairleadCpuLevel", &FairleadCpuLevel);
    define("FairleadCpuFrame", &FairleadCpuFrame);
    define("FairleadCpuRunThreads_2", &FairleadCpuRunThreads_2);
    define("FairleadCpuBulkCopy", &FairleadCpuBulkCopy);
    define("FairleadCpuBulkMulticast", &FairleadCpuBulkMulticast);
    define("FairleadCpuMapShared", &FairleadCpuMapShared);
    define("FairleadCpuMbarrier", &FairleadCpuMbarrier);
    define("FairleadCpuTensorCopy", &FairleadCpuTensorCopy);
    define("FairleadCpuTensorMulticast", &FairleadCpuTensorMulticast);
    define("FairleadCpuWarpgroupMma", &FairleadCpuWarpgroupMma);
    define("FairleadCpuWarpgroupMmaRows", &FairleadCpuWarpgroupMmaRows);
    define("FairleadCpuTensorMap", &FairleadCpuTensorMap);
    define("FairleadCheckWaits", &FairleadCheckWaits);
    define("FairleadCheckTogether", &FairleadCheckTogether);
    define("FairleadCheckTensorRange", &FairleadCheckTensorRange);
    define("FairleadCheckTensor", &FairleadCheckTensor);
    define("FairleadCheckStop", &FairleadCheckStop);
    define("FairleadCheckSpans", &FairleadCheckSpans);
    define("FairleadCheckSink", &FairleadCheckSink);
    define("FairleadCheckRepeats", &FairleadCheckRepeats);
    define("FairleadCheckRange", &FairleadCheckRange);
    define("FairleadCheckOrder", &FairleadCheckOrder);
    define("FairleadCheckIndex", &FairleadCheckIndex);
    define("FairleadCheckInstead", &FairleadCheckInstead);
    define("FairleadCheckFinite", &FairleadCheckFinite);
    define("FairleadCheckAccess", &FairleadCheckAccess);
    define("FairleadCheckMemset", &FairleadCheckMemset);
    define("FairleadCheckMemmove", &FairleadCheckMemmove);
    define("FairleadCheckMemcpy", &FairleadCheckMemcpy);
    define("FairleadCheckUninitialised", &FairleadCheckUninitialised);
    define("FairleadCheckSharedShadow", &FairleadCheckSharedShadow);
    define("FairleadCheckOwn", &FairleadCheckOwn);
    define("FairleadCheckContext", &FairleadCheckContext);
    define("FairleadCheckStoreShadow8", &FairleadCheckStoreShadow8);
    define("FairleadCheckStoreShadow4", &FairleadCheckStoreShadow4);
    define("FairleadCheckStoreShadow2", &FairleadCheckStoreShadow2);
    define("FairleadCheckStoreShadow1", &FairleadCheckStoreShadow1);
    define("FairleadCheckStoreShadow", &FairleadCheckStoreShadow);
    define("FairleadCheckLoadShadow8", &FairleadCheckLoadShadow8);
    define("FairleadCheckLoadShadow4", &FairleadCheckLoadShadow4);
    define("FairleadCheckLoadShadow2", &FairleadCheckLoadShadow2);
    define("FairleadCheckLoadShadow1", &FairleadCheckLoadShadow1);
    define("FairleadCheckLoadShadow", &FairleadCheckLoadShadow);
    define("FairleadCudaKernelPrepare", &FairleadCudaKernelPrepare);
    define("FairleadCudaLaunch", &FairleadCudaLaunch);
    define("FairleadCudaModuleLoad", &FairleadCudaModuleLoad);
    define("FairleadCudaTensorMap", &FairleadCudaTensorMap);
    define("FairleadPrintf", &FairleadPrintf);
    define("FairleadRaise", &FairleadRaise);
    define("FairleadXlaCall", &FairleadXlaCall);
    define("TVMFFIEnvGetStream", &TVMFFIEnvGetStream);
    define("TVMFFIStringFromByteArray", &TVMFFIStringFromByteArray);
    return made;
  }();
  auto found = functions->find(name);
  return found == functions->end() ? nullptr : found->second;
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
            const std::vector<std::pair<std::string, void *>> &definitions) {
  std::string problem;
  auto fail = [&] { return llvm::createStringError(llvm::inconvertibleErrorCode(), problem); };
  std::vector<link::ObjectFile> files;
  for (const std::string &object : objects) {
    std::optional<link::ObjectFile> file = link::ObjectFile::read(object, problem);
    if (!file)
      return fail();
    files.push_back(std::move(*file));
  }
  auto resolve = [&](const std::string &name) {
    for (const auto &[defined, address] : definitions)
      if (defined == name)
        return address;
    void *address = findInRuntime(name);
    return address ? address : findInProcess(name.c_str());
  };
  std::unique_ptr<link::LoadedCode> code = link::LoadedCode::link(files, resolve, problem);
  if (!code)
    return fail();
  return code;
}

} // namespace fairlead
