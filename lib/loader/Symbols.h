/// Lookup of the symbols that exported code needs in this process.
#ifndef FAIRLEAD_LIB_LOADER_SYMBOLS_H_
#define FAIRLEAD_LIB_LOADER_SYMBOLS_H_

#include <string>
#include <vector>

namespace fairlead::loader {

/// The address of a function or datum of the process, of `libraries` (handles of dlopen), of the
/// runtime library, libm or the compiler's support library, in this order; else NULL.
void *findSymbol(const std::string &name, const std::vector<void *> &libraries);

/// Lets shared libraries without declared dependencies find the runtime's symbols.
void publishRuntime();

} // namespace fairlead::loader
#endif // FAIRLEAD_LIB_LOADER_SYMBOLS_H_
