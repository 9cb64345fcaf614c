/// Values that come of memory that nothing wrote to (`--check init`).
#pragma once

#include "llvm/IR/Module.h"

#include "runtime/RuntimeFunctions.h"

namespace fairlead::check {

/// Marks a use of a value: (site, thread, number). No library has this function.
inline constexpr RuntimeFunction kCheckedValue =
    runtime::describe("FairleadCheckValue", RuntimeBinding::None,
                      static_cast<void (*)(void *site, int32_t thread, int64_t number)>(nullptr));

/// Makes all functions of the module but `host` track uninitialised bits with LLVM's memory
/// sanitizer. They call FairleadCheckUninitialised(site, thread) of fairlead/CheckCpu.h if the
/// number of a call of kCheckedValue has such bits; the latter calls are removed. Use this on
/// modules with such calls, before coroutines are built.
void followUninitialised(llvm::Module &module, llvm::StringRef host);

/// True if the runtime calls the function for a block or for a thread.
bool isKernel(const llvm::Function &function);

/// Makes kernels compute the address of shadow bits, without a call of the runtime, if the kind of
/// memory is provable: the caller's memory, which has values; the block's shared memory, whose bits
/// have the layout of its bytes; or a variable that no other code uses.
void placeShadows(llvm::Module &module);

} // namespace fairlead::check
