/// The library's own access to modules, and modules of native code.
#pragma once

#include <memory>
#include <string>

#include "tvm/ffi/extra/module.h"

namespace tvm::ffi {

struct ModuleObj::InternalUnsafe {
  static Array<Any> &imports(ModuleObj *module) { return module->imports_; }
  /// imports() as a field.
  static auto importsField() { return &ModuleObj::imports_; }
  static ObjectRef &importCache(ModuleObj *module) { return module->import_cache_; }
};

/// A source of native symbols.
class SymbolSource {
public:
  virtual ~SymbolSource() = default;
  /// Returns the address of a symbol, or null.
  virtual void *find(const std::string &name) = 0;
  /// Finds `<prefix><name>`; a source may try several spellings.
  virtual void *find(const std::string &prefix, const std::string &name) {
    return find(prefix + name);
  }
};

/// Returns the name for dlopen of the library at `path` (elf/SharedLibrary.h). Throws
/// RuntimeError for a file that is not a complete library of this machine, since the dynamic linker
/// might crash on it. Leaves unreadable files to the linker's report.
std::string requireWholeLibrary(const std::string &path);

/// Makes the module of a library: hands it the context symbols, reads the modules that are embedded
/// in it, and tells it which module it is. Throws where the embedded modules cannot be read.
Module makeLibraryModule(std::unique_ptr<SymbolSource> symbols);

/// Reads the modules embedded in a library. `content` begins with its length and can be read for
/// `limit` bytes; `library` is the module for the library itself. Returns the root. RuntimeError
/// for invalid data: every count is checked against the remaining bytes.
Module readEmbeddedModules(const char *content, size_t limit, const Module &library);

} // namespace tvm::ffi
