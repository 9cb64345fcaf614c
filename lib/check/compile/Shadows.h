/// Shadow memory: a bit for each bit of memory that has no value (Uninitialised.h).
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_SHADOWS_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_SHADOWS_H_

#include "llvm/IR/Module.h"

namespace fairlead::check {

/// True if the runtime calls the function for a block or for a thread.
bool isKernel(const llvm::Function &function);

/// Makes kernels compute the address of shadow bits, without a call of the runtime, if the kind of
/// memory is provable: the caller's memory, which has values; the block's shared memory, whose bits
/// have the layout of its bytes; or a variable that no other code uses.
void placeShadows(llvm::Module &module);

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_SHADOWS_H_
