/// LLVM IR of the host -> optimised IR -> a relocatable object for this machine.
#ifndef FAIRLEAD_LIB_LOWER_MACHINECODE_H_
#define FAIRLEAD_LIB_LOWER_MACHINECODE_H_

#include <string>

#include "llvm/IR/Module.h"

namespace fairlead::lower {

/// Gives the module the host's triple and data layout, its functions the host's CPU and features,
/// and runs LLVM's default pipeline of level 0..3. Calls of math intrinsics vectorize to glibc's
/// libmvec.
void optimizeForHost(llvm::Module &module, int optLevel);

/// Machine code of the module as a position-independent ELF object. Throws fairlead::Error.
std::string emitObject(llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MACHINECODE_H_
