/// The host program of a kernel that comes without one: computes its launch from the call's
/// arguments.
#ifndef FAIRLEAD_LIB_ENTRY_LAUNCHSTUB_H_
#define FAIRLEAD_LIB_ENTRY_LAUNCHSTUB_H_

#include <array>
#include <vector>

#include "llvm/IR/Module.h"

#include "fairlead/Signature.h"
#include "signature/Expression.h"

namespace fairlead::entry {

/// How a kernel is launched for the arguments of a call. One plan serves all instances of a
/// signature.
struct LaunchPlan {
  std::array<Expression, 3> grid, block;
  std::array<Expression, 3> cluster; ///< all 0: none
  Expression sharedBytes;
  int32_t flags = 0; ///< FairleadLaunchFlag
  std::vector<KernelArgument> args;
};

/// The dtype that an argument has in an instance of the signature.
DType argumentDType(const KernelArgument &argument, const Signature &instance);
/// Bytes of the argument as the kernel takes it.
int32_t argumentSize(const KernelArgument &argument, const Signature &instance);

/// Adds an internal function for emitEntry's `host`, which launches kernel number `kernel` of the
/// external global `cudaModule` (FairleadCudaModule). If an expression overflows, divides by zero
/// or leaves its range, the call raises an error that names it, and launches nothing.
llvm::Function *emitLaunchStub(llvm::Module &module, const Signature &instance,
                               const LaunchPlan &plan, int kernel, llvm::StringRef cudaModule);

} // namespace fairlead::entry
#endif // FAIRLEAD_LIB_ENTRY_LAUNCHSTUB_H_
