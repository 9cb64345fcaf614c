#include "loader/Module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>

#include "elf/FileSource.h"
#include "elf/Seal.h"
#include "elf/SharedLibrary.h"
#include "fairlead/Runtime.h"
#include "fairlead/Unload.h"
#include "link/ObjectFile.h"

/// True if nothing outside refers to a function any more once its loads are given back.
static bool canEnd(const FairleadCFunction *function) {
  // Without a description it is of the TVM FFI ABI, and the owner of its code is unknown.
  return function && function->abi == FAIRLEAD_C_ABI;
}

/// True if that holds for all functions. False if memory for the question runs out.
static bool canAllEnd(const CuteDSLRT_Module_t &module) noexcept {
  try {
    return std::ranges::all_of(module.names, [&](const std::string &name) {
      return canEnd(static_cast<const FairleadCFunction *>(module.find(FAIRLEAD_C_PREFIX + name)));
    });
  } catch (const std::bad_alloc &) {
    return false;
  }
}

CuteDSLRT_Module_t::~CuteDSLRT_Module_t() {
  const bool ends = canAllEnd(*this);
  for (auto &[name, function] : functions)
    for (; function->numLoads > 0; --function->numLoads)
      FairleadCUnload_1(function->function);
  if (!ends) {
    object.release();
    return;
  }
  for (void *library : libraries)
    dlclose(library);
}

void CuteDSLRT_Module_t::release() {
  libraries.clear();
  if (!object)
    return;
  for (const std::string &name : names)
    if (void *device = object->find(FAIRLEAD_MODULE_PREFIX + name))
      FairleadCudaModuleRetire(static_cast<FairleadCudaModule *>(device));
  names.clear(); // nothing more to give back
}

void *CuteDSLRT_Module_t::find(const std::string &symbol) const {
  if (object)
    if (void *address = object->find(symbol))
      return address;
  for (void *library : libraries)
    if (void *address = dlsym(library, symbol.c_str()))
      return address;
  return nullptr;
}

namespace fairlead::loader {
namespace {

constexpr std::string_view kOpenPrefix = "__tvm_ffi_";
LoadFailure fail(CuteDSLRT_Error_t error, std::string text) { return {error, std::move(text)}; }

std::string quoted(const std::string &text) { return "`" + text + "`"; }

/// Exported names among the symbols, added to the module's.
void addNames(CuteDSLRT_Module_t &module, const std::vector<std::string> &symbols) {
  for (std::string_view symbol : symbols) {
    for (std::string_view prefix : {std::string_view(FAIRLEAD_C_PREFIX), kOpenPrefix})
      if (symbol.size() > prefix.size() && symbol.substr(0, prefix.size()) == prefix &&
          (prefix != kOpenPrefix || symbol[prefix.size()] != '_'))
        module.names.emplace_back(symbol.substr(prefix.size()));
  }
  std::sort(module.names.begin(), module.names.end());
  module.names.erase(std::unique(module.names.begin(), module.names.end()), module.names.end());
}

LoadFailure versionMismatch(const std::string &origin, const std::string &name,
                            const std::string &version, uint32_t abi) {
  return fail(CuteDSLRT_Error_VersionMismatch,
              quoted(origin) + ": `" + name + "` was exported" +
                  (version.empty() ? "" : " by Fairlead " + version) + " for version " +
                  std::to_string(abi) + " of the plain C ABI, and this runtime (Fairlead " +
                  FAIRLEAD_VERSION + ") has version " + std::to_string(FAIRLEAD_C_ABI));
}

/// Checks the versions in an object's descriptors before it is linked: with another version,
/// linking would only report a missing symbol.
Outcome checkVersions(const std::string &origin, const link::ObjectFile &file) {
  for (const link::Symbol &symbol : file.symbols) {
    std::string_view prefix = FAIRLEAD_C_PREFIX;
    if (!symbol.isDefined || symbol.isAbsolute || !symbol.isGlobal ||
        symbol.name.substr(0, prefix.size()) != prefix)
      continue;
    std::string_view bytes = file.sections[symbol.section].bytes;
    uint32_t abi = 0;
    if (bytes.size() < symbol.value || bytes.size() - symbol.value < sizeof(FairleadCFunction))
      return fail(CuteDSLRT_Error_InvalidFile, quoted(origin) + ": expected a description of " +
                                                   std::to_string(sizeof(FairleadCFunction)) +
                                                   " bytes at `" + std::string(symbol.name) +
                                                   "`, but its section ends before");
    std::memcpy(&abi, bytes.data() + symbol.value, sizeof(abi));
    if (abi == FAIRLEAD_C_ABI)
      continue;
    std::string version;
    for (const link::Relocation &relocation : file.relocations) {
      const link::Symbol &target = file.symbols[relocation.symbol];
      if (relocation.section != symbol.section || !relocation.kind->isPointer() ||
          relocation.where != symbol.value + offsetof(FairleadCFunction, version) ||
          !target.isDefined || target.isAbsolute)
        continue;
      std::string_view text = file.sections[target.section].bytes;
      uint64_t at = target.value + static_cast<uint64_t>(relocation.addend);
      if (at < text.size())
        version = text.substr(at, std::min<size_t>(text.find('\0', at) - at, 32));
    }
    return versionMismatch(origin, std::string(symbol.name.substr(prefix.size())), version, abi);
  }
  return {};
}

LoadFailure unreadable(const std::string &path, const std::string &reason) {
  return fail(CuteDSLRT_Error_FileUnreadable, "cannot read " + quoted(path) + ": " + reason);
}

} // namespace

Outcome addObject(CuteDSLRT_Module_t &module, std::string_view bytes, bool isOwn) {
  Result<link::ObjectFile> file = link::ObjectFile::read(bytes);
  if (!file)
    return fail(CuteDSLRT_Error_InvalidFile, quoted(module.origin) + ": " + file.reason());
  elf::MemorySource source(bytes);
  if (elf::Checked seal =
          isOwn ? elf::checkSeal(elf::readSeal(source)) : elf::checkSealAndSigner(source);
      !seal)
    return fail(CuteDSLRT_Error_InvalidFile, quoted(module.origin) + ": " + seal.failure().text());
  if (Outcome outcome = checkVersions(module.origin, *file); !outcome)
    return outcome;
  bool unresolved = false;
  auto resolve = [&](const std::string &name) {
    void *address = findSymbol(name, module.libraries);
    unresolved = unresolved || !address;
    return address;
  };
  auto linked = link::LoadedCode::link({std::move(*file)}, resolve);
  if (!linked)
    return fail(unresolved ? CuteDSLRT_Error_UnresolvedSymbol : CuteDSLRT_Error_InvalidFile,
                quoted(module.origin) + " cannot be linked: " + linked.reason() +
                    elf::aboutRuntime(linked.reason()));
  module.object = std::move(*linked);
  addNames(module, link::definedNames(source));
  return {};
}

/// Returns the folders that the dynamic linker searched for a missing library; "" for other
/// errors.
std::string whereLooked(const std::string &reason) {
  if (reason.find("cannot open shared object file") == std::string::npos)
    return "";
  const char *folders = std::getenv("LD_LIBRARY_PATH");
  return std::string(" (looked for in LD_LIBRARY_PATH=`") + (folders ? folders : "") +
         "`, the RUNPATH of what needs it, and the system's folders)";
}

/// Loads the library of this content.
Outcome addLibrary(CuteDSLRT_Module_t &module, const std::string &path,
                   const elf::FileSource &file) {
  auto toOpen = elf::checkToLoad(file, path);
  if (!toOpen)
    return fail(CuteDSLRT_Error_InvalidFile, toOpen.failure().text);
  std::string name = std::move(*toOpen);
  // A name without a slash would be looked for elsewhere.
  if (name.find('/') == std::string::npos)
    name = "./" + name;
  module.libraries.reserve(module.libraries.size() + 1);
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    // Most libraries are linked without saying that they need the runtime.
    publishRuntime();
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) {
    const char *reason = dlerror();
    return fail(
        CuteDSLRT_Error_LibraryNotLoaded,
        "cannot load " + quoted(path) + ": " +
            (reason ? elf::aboutPath(reason, name, path) + whereLooked(reason) : "unknown error"));
  }
  module.libraries.push_back(library);
  addNames(module, link::definedNames(file));
  return {};
}

Outcome addLibrary(CuteDSLRT_Module_t &module, const std::string &path) {
  return addLibrary(module, path, elf::FileSource(path.c_str()));
}

Outcome addFile(CuteDSLRT_Module_t &module, const std::string &path) {
  elf::FileSource file(path.c_str());
  if (!file.opened())
    return unreadable(path, file.opened().reason());
  elf::Reader reader(file);
  if (reader.readHeader() && reader.header.e_type == ET_DYN)
    return addLibrary(module, path, file);
  std::string buffer;
  auto bytes = file.view(0, file.size(), buffer);
  if (!bytes)
    return unreadable(path, "it became shorter meanwhile");
  return addObject(module, *bytes);
}

Outcome checkVersions(const CuteDSLRT_Module_t &module) {
  for (const std::string &name : module.names) {
    const auto *function =
        static_cast<const FairleadCFunction *>(module.find(FAIRLEAD_C_PREFIX + name));
    if (function && function->abi != FAIRLEAD_C_ABI)
      return versionMismatch(module.origin, name, function->version ? function->version : "",
                             function->abi);
  }
  return {};
}

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
