#include <dlfcn.h>

#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "fairlead/Frameworks.h"
#include "frameworks/Thunk.h"
#include "frameworks/torch/Kernel.h"
#include "runtime/Raise.h"

using namespace fairlead;
using namespace fairlead::frameworks;
using namespace fairlead::frameworks::torch;

namespace {

/// The oldest torch whose versioned interface is used: 2.10.
constexpr uint64_t kTorchVersion = uint64_t{2} << 56 | uint64_t{10} << 48;

const Shim *loadShim() {
  std::string missing;
  const Shim *shim = Shim::load(missing);
  if (!shim)
    runtime::raise(nullptr, Diagnostic::TorchVersion, {{"got", missing}});
  return shim;
}

int32_t fail(const Shim &shim, const std::string &what) {
  runtime::raise(nullptr, Diagnostic::TorchOperator,
                 {{"function", what}, {"message", shim.what ? shim.what() : "nothing"}});
  return -1;
}

/// Torch's library objects. Destroying one removes its registrations, so they stay.
struct Libraries {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, Handle> handles;
};

Libraries &libraries() {
  static Libraries *all = new Libraries;
  return *all;
}

/// Keeps the library that `address` is in loaded: torch has no way to forget an operator.
void keepLoaded(const void *address) {
  Dl_info info;
  if (dladdr(address, &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_NODELETE | RTLD_LAZY);
}

/// Sets `library` to the one of a namespace and a dispatch key. Call with the mutex locked.
int32_t findLibrary(const Shim &shim, const char *nameSpace, const char *key, Handle &library) {
  Handle &kept = libraries().handles[{nameSpace, key}];
  if (!kept && shim.initImpl(nameSpace, key, "fairlead", 0, &kept))
    return fail(shim, nameSpace);
  library = kept;
  return 0;
}

int32_t registerOperator(const FairleadTorchOperator &op) {
  if (FairleadTorchDefine(op.name_space, op.schema))
    return -1;
  constexpr std::pair<int64_t, const char *> kKeys[] = {{kFairleadTorchCpu, "CPU"},
                                                        {kFairleadTorchCuda, "CUDA"}};
  for (auto [device, key] : kKeys)
    if (op.devices & device && FairleadTorchImplement(op.name_space, op.schema, key, &op.kernel))
      return -1;
  return FairleadTorchRefuseGradients(op.name_space, op.schema, &op.kernel);
}

} // namespace

extern "C" {

int32_t FairleadTorchDefine(const char *name_space, const char *schema) {
  const Shim *shim = loadShim();
  if (!shim)
    return -1;
  std::lock_guard lock(libraries().mutex);
  Handle &library = libraries().handles[{name_space, ""}];
  if (!library && shim->initFragment(name_space, "fairlead", 0, &library))
    return fail(*shim, name_space);
  return shim->define(library, schema) ? fail(*shim, schema) : 0;
}

int32_t FairleadTorchImplement(const char *name_space, const char *schema, const char *key,
                               const FairleadTorchKernel *kernel) {
  const Shim *shim = loadShim();
  if (!shim)
    return -1;
  auto *context = new (std::nothrow) KernelContext{kernel, shim, schema};
  void *boxed = context ? makeThunk(reinterpret_cast<void *>(runBoxed), context, 3) : nullptr;
  if (!boxed) {
    delete context;
    runtime::raise(nullptr, Diagnostic::HandlerCode, {{"function", kernel->name}});
    return -1;
  }
  std::lock_guard lock(libraries().mutex);
  Handle library;
  if (findLibrary(*shim, name_space, key, library))
    return -1;
  auto function = reinterpret_cast<Boxed>(boxed);
  const std::string name = context->schema.substr(0, context->schema.find('('));
  Status status = shim->implement ? shim->implement(library, name.c_str(), function, kTorchVersion)
                                  : shim->implementUnversioned(library, name.c_str(), function);
  return status ? fail(*shim, name) : 0;
}

int32_t FairleadTorchRefuseGradients(const char *name_space, const char *schema,
                                     const FairleadTorchKernel *kernel) {
  const Shim *shim = loadShim();
  if (!shim)
    return -1;
  std::lock_guard lock(libraries().mutex);
  Handle library;
  if (findLibrary(*shim, name_space, "Autograd", library))
    return -1;
  try {
    return refuseGradients(*shim, library, name_space, schema, *kernel) ? 0 : -1;
  } catch (const std::exception &error) {
    runtime::raise(nullptr, Diagnostic::TorchOperator,
                   {{"function", schema}, {"message", error.what()}});
    return -1;
  }
}

int32_t FairleadTorchRegister(const FairleadTorchOperator *const *begin,
                              const FairleadTorchOperator *const *end) {
  static std::mutex mutex;
  static auto *registered = new std::set<const FairleadTorchOperator *>;
  std::lock_guard lock(mutex);
  for (; begin != end; ++begin) {
    if (registered->count(*begin))
      continue;
    keepLoaded(*begin);
    if (registerOperator(**begin))
      return -1;
    registered->insert(*begin);
  }
  return 0;
}

} // extern "C"
