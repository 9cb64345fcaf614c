/// The library's own access to modules, and modules of native code.
#ifndef FAIRLEAD_FFI_MODULEINTERNAL_H_
#define FAIRLEAD_FFI_MODULEINTERNAL_H_

#include <memory>
#include <string>

#include "tvm/ffi/extra/module.h"

namespace tvm::ffi {

struct ModuleObj::InternalUnsafe {
  static Array<Any> &imports(ModuleObj *module) { return module->imports_; }
  static ObjectRef &importCache(ModuleObj *module) { return module->import_cache_; }
};

/// Where native symbols come from.
class SymbolSource {
public:
  virtual ~SymbolSource() = default;
  /// The address of a symbol, null where there is none.
  virtual void *find(const std::string &name) = 0;
  /// The same for `<prefix><name>`, where the source may know several spellings.
  virtual void *find(const std::string &prefix, const std::string &name) {
    return find(prefix + name);
  }
};

/// Throws InternalError for a file that the dynamic linker would map beyond its end, and so crash
/// on: one that was cut off. Says nothing of a file that it cannot read; the linker does.
void requireWholeLibrary(const char *path);

/// Makes the module of a library: hands it the context symbols, reads the modules that are embedded
/// in it, and tells it which module it is. Throws where the embedded modules cannot be read.
Module makeLibraryModule(std::unique_ptr<SymbolSource> symbols);

/// Reads the modules embedded in a library. `content` begins with its length; `library` is the
/// module for the library itself. Returns the root.
Module readEmbeddedModules(const char *content, const Module &library);

} // namespace tvm::ffi

#endif // FAIRLEAD_FFI_MODULEINTERNAL_H_
