/// Definition of CuteDSLRT_Module_t: exported functions from an object or from shared libraries.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "CuteDSLRuntime.h"
#include "base/Result.h"
#include "fairlead/PlainC.h"
#include "link/LoadedCode.h"

struct CuteDSLRT_Function_t {
  const FairleadCFunction *function = nullptr;
  int numLoads = 0; ///< to be given back
};

struct CuteDSLRT_Module_t {
  CuteDSLRT_Module_t() = default;
  ~CuteDSLRT_Module_t();
  CuteDSLRT_Module_t(const CuteDSLRT_Module_t &) = delete;

  std::string origin; ///< for messages
  std::unique_ptr<fairlead::link::LoadedCode> object;
  std::vector<void *> libraries;  ///< handles of dlopen
  std::vector<std::string> names; ///< of exported functions, sorted

  std::mutex mutex;
  std::map<std::string, std::unique_ptr<CuteDSLRT_Function_t>, std::less<>> functions;

  void *find(const std::string &symbol) const;
  /// Retires the device code of the object's functions, and lets the object go if that is all that
  /// holds its code. Libraries stay.
  void release();
};

namespace fairlead::loader {

/// Why a step of loading failed.
struct LoadFailure {
  CuteDSLRT_Error_t error;
  std::string text;
};
using Outcome = Result<void, LoadFailure>;

/// Adds an object from memory. One of the process's own is not asked for a signature.
Outcome addObject(CuteDSLRT_Module_t &module, std::string_view bytes, bool isOwn = false);
Outcome addLibrary(CuteDSLRT_Module_t &module, const std::string &path);
/// Tells which by the content.
Outcome addFile(CuteDSLRT_Module_t &module, const std::string &path);
/// Checks that this runtime can run all functions of the module.
Outcome checkVersions(const CuteDSLRT_Module_t &module);

/// The address of a function or datum of the process, of `libraries` (handles of dlopen), of the
/// runtime library, libm or the compiler's support library, in this order; else NULL.
void *findSymbol(const std::string &name, const std::vector<void *> &libraries);

/// Lets shared libraries without declared dependencies find the runtime's symbols.
void publishRuntime();

} // namespace fairlead::loader
