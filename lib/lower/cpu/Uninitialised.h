/// Values that come of memory that nothing wrote to (`--check init`).
#ifndef FAIRLEAD_LIB_LOWER_CPU_UNINITIALISED_H
#define FAIRLEAD_LIB_LOWER_CPU_UNINITIALISED_H

#include "llvm/IR/Module.h"

namespace fairlead::lower {

/// Has all functions of the module but `host` follow which bits of values have none, as LLVM's
/// memory sanitizer does, and call FairleadCheckUninitialised (fairlead/CheckCpu.h)
/// with (site, thread) where such bits are in the number of a call FairleadCheckValue(site, thread,
/// number); these calls go away. For modules that have them; before coroutines are made.
void followUninitialised(llvm::Module &module, llvm::StringRef host);

/// Whether it has done so to this one.
bool followsUninitialised(const llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_UNINITIALISED_H
