/// Where the bits are that tell which bits of memory have no value (Uninitialised.h).
#ifndef FAIRLEAD_LIB_LOWER_CPU_SHADOWS_H
#define FAIRLEAD_LIB_LOWER_CPU_SHADOWS_H

#include "llvm/IR/Module.h"

namespace fairlead::lower {

/// Whether the runtime calls it with a block, or with a thread of one.
bool isKernel(const llvm::Function &function);

/// Has kernels find the bits themselves, instead of asking the runtime at each access, where it
/// shows what memory an address is in: the caller's, which has values; the block's shared memory,
/// whose bits lie as its bytes do; or a variable that nothing else knows of.
void placeShadows(llvm::Module &module);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CPU_SHADOWS_H
