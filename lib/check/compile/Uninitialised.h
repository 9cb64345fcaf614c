/// Values that come of memory that nothing wrote to (`--check init`).
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_UNINITIALISED_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_UNINITIALISED_H_

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

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_UNINITIALISED_H_
