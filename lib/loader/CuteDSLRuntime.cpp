/// The C interface of libcute_dsl_runtime.so.
#include "CuteDSLRuntime.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "base/LastError.h"
#include "loader/Module.h"

using namespace fairlead::loader;

namespace {

thread_local fairlead::LastError lastError;

CuteDSLRT_Error_t fail(CuteDSLRT_Error_t error, const char *text) noexcept {
  return lastError.set(error, text);
}

/// Runs what may throw, which is only for want of memory.
template <typename Step> CuteDSLRT_Error_t guarded(const Step &step) noexcept {
  try {
    Outcome outcome = step();
    return outcome ? CuteDSLRT_Error_Success
                   : fail(outcome.failure().error, outcome.failure().text.c_str());
  } catch (const std::exception &failure) {
    return fail(CuteDSLRT_Error_OutOfMemory, failure.what());
  }
}

LoadFailure null(const char *what) {
  return {CuteDSLRT_Error_InvalidValue, std::string(what) + " is NULL"};
}

Outcome ofCall(int32_t status) {
  if (status == kFairleadCSuccess)
    return {};
  return LoadFailure{static_cast<CuteDSLRT_Error_t>(status), FairleadCLastError()};
}

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kMost = 20;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i ? ", " : "") + names[i];
  return names.size() > kMost ? text + ", and " + std::to_string(names.size() - kMost) + " more"
                              : text;
}

Outcome getFunction(CuteDSLRT_Function_t *&result, CuteDSLRT_Module_t &module,
                    const std::string &name) {
  const auto *descriptor =
      static_cast<const FairleadCFunction *>(module.find(FAIRLEAD_C_PREFIX + name));
  if (!descriptor) {
    if (module.find("__tvm_ffi_" + name))
      return LoadFailure{
          CuteDSLRT_Error_AbiMismatch,
          "`" + module.origin + "`: `" + name +
              "` was exported with the TVM FFI ABI; load it with a TVM FFI runtime, or export "
              "it with file_path= and file_name="};
    return LoadFailure{CuteDSLRT_Error_FunctionNotFound,
                       "`" + module.origin + "` has no function `" + name +
                           "`, it has: " + (module.names.empty() ? "none" : listed(module.names))};
  }
  std::lock_guard lock(module.mutex);
  auto &function = module.functions[name];
  if (!function)
    function.reset(new CuteDSLRT_Function_t{descriptor});
  if (Outcome outcome = ofCall(FairleadCLoad_1(descriptor)); !outcome)
    return outcome;
  ++function->numLoads;
  result = function.get();
  return {};
}

} // namespace

CuteDSLRT_Error_t CuteDSLRT_Module_Load(CuteDSLRT_Module_t **module, const char *path) {
  return guarded([&]() -> Outcome {
    if (!module)
      return null("module");
    *module = nullptr;
    if (!path)
      return null("path");
    auto loaded = std::make_unique<CuteDSLRT_Module_t>();
    loaded->origin = path;
    Outcome outcome = addFile(*loaded, path);
    if (outcome)
      outcome = checkVersions(*loaded);
    if (outcome)
      *module = loaded.release();
    return outcome;
  });
}

CuteDSLRT_Error_t CuteDSLRT_Module_Create_From_Bytes(CuteDSLRT_Module_t **module,
                                                     const unsigned char *object, size_t size,
                                                     const char *const *shared_libraries,
                                                     size_t num_shared_libraries) {
  return guarded([&]() -> Outcome {
    if (!module)
      return null("module");
    *module = nullptr;
    if (!object && size > 0)
      return null("object");
    if (!shared_libraries && num_shared_libraries > 0)
      return null("shared_libraries");
    auto loaded = std::make_unique<CuteDSLRT_Module_t>();
    loaded->origin = "the object in memory";
    for (size_t i = 0; i < num_shared_libraries; ++i) {
      if (!shared_libraries[i])
        return null("a path of shared_libraries");
      if (Outcome outcome = addLibrary(*loaded, shared_libraries[i]); !outcome)
        return outcome;
    }
    if (object)
      if (Outcome outcome = addObject(*loaded, {reinterpret_cast<const char *>(object), size});
          !outcome)
        return outcome;
    if (Outcome outcome = checkVersions(*loaded); !outcome)
      return outcome;
    *module = loaded.release();
    return {};
  });
}

CuteDSLRT_Error_t CuteDSLRT_Module_Create_From_Own_Bytes(CuteDSLRT_Module_t **module,
                                                         const unsigned char *object, size_t size) {
  return guarded([&]() -> Outcome {
    if (!module)
      return null("module");
    *module = nullptr;
    if (!object)
      return null("object");
    auto loaded = std::make_unique<CuteDSLRT_Module_t>();
    loaded->origin = "the object in memory";
    Outcome outcome = addObject(*loaded, {reinterpret_cast<const char *>(object), size}, true);
    if (outcome)
      outcome = checkVersions(*loaded);
    if (outcome)
      *module = loaded.release();
    return outcome;
  });
}

CuteDSLRT_Error_t CuteDSLRT_Module_Get_Function(CuteDSLRT_Function_t **function,
                                                CuteDSLRT_Module_t *module, const char *name) {
  return guarded([&]() -> Outcome {
    if (!function)
      return null("function");
    *function = nullptr;
    if (!module || !name)
      return null(module ? "name" : "module");
    return getFunction(*function, *module, name);
  });
}

CuteDSLRT_Error_t CuteDSLRT_Function_Run(CuteDSLRT_Function_t *function, void **args,
                                         size_t num_args) {
  if (!function)
    return fail(CuteDSLRT_Error_InvalidValue, "function is NULL");
  int32_t status = FairleadCRun_1(function->function, args, num_args);
  return status == kFairleadCSuccess
             ? CuteDSLRT_Error_Success
             : fail(static_cast<CuteDSLRT_Error_t>(status), FairleadCLastError());
}

CuteDSLRT_Error_t CuteDSLRT_Module_Destroy(CuteDSLRT_Module_t *module) {
  return guarded([&]() -> Outcome {
    delete module;
    return {};
  });
}

CuteDSLRT_Error_t CuteDSLRT_Module_Release(CuteDSLRT_Module_t *module) {
  return guarded([&]() -> Outcome {
    if (module)
      module->release();
    delete module;
    return {};
  });
}

const char *CuteDSLRT_Get_Error_Name(CuteDSLRT_Error_t error) {
  // Callers in C may have any number, which is more than C++ lets an enumeration hold.
  static_assert(sizeof error == sizeof(uint32_t));
  uint32_t number;
  std::memcpy(&number, &error, sizeof number);
  switch (number) {
#define FAIRLEAD_NAME(name)                                                                        \
  case name:                                                                                       \
    return #name;
    FAIRLEAD_NAME(CuteDSLRT_Error_Success)
    FAIRLEAD_NAME(CuteDSLRT_Error_InvalidValue)
    FAIRLEAD_NAME(CuteDSLRT_Error_OutOfMemory)
    FAIRLEAD_NAME(CuteDSLRT_Error_Unknown)
    FAIRLEAD_NAME(CuteDSLRT_Error_FileUnreadable)
    FAIRLEAD_NAME(CuteDSLRT_Error_InvalidFile)
    FAIRLEAD_NAME(CuteDSLRT_Error_VersionMismatch)
    FAIRLEAD_NAME(CuteDSLRT_Error_UnresolvedSymbol)
    FAIRLEAD_NAME(CuteDSLRT_Error_LibraryNotLoaded)
    FAIRLEAD_NAME(CuteDSLRT_Error_FunctionNotFound)
    FAIRLEAD_NAME(CuteDSLRT_Error_AbiMismatch)
#undef FAIRLEAD_NAME
  }
  return "CuteDSLRT_Error (unknown number)";
}

const char *CuteDSLRT_Get_Last_Error(void) { return lastError.get(); }

size_t CuteDSLRT_Module_Get_Num_Functions(const CuteDSLRT_Module_t *module) {
  return module ? module->names.size() : 0;
}

const char *CuteDSLRT_Module_Get_Function_Name(const CuteDSLRT_Module_t *module, size_t index) {
  return module && index < module->names.size() ? module->names[index].c_str() : nullptr;
}

void *CuteDSLRT_Module_Get_Symbol(const CuteDSLRT_Module_t *module, const char *symbol) {
  try {
    return module && symbol ? module->find(symbol) : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

const char *CuteDSLRT_Function_Get_Metadata(const CuteDSLRT_Function_t *function) {
  return function ? function->function->metadata : nullptr;
}
