/// LLVM IR of the host -> optimised IR -> a relocatable object.
#ifndef FAIRLEAD_LIB_LOWER_MACHINE_MACHINECODE_H_
#define FAIRLEAD_LIB_LOWER_MACHINE_MACHINECODE_H_

#include <string>

#include "llvm/IR/Module.h"

#include "lower/machine/HostMachine.h"

namespace fairlead::lower {

/// Gives the module the machine's triple and data layout, its functions the machine's CPU and
/// features, and runs LLVM's default pipeline of level 0..3. Throws fairlead::Error.
void optimizeForHost(llvm::Module &module, int optLevel,
                     const HostMachine &host = HostMachine::native());

/// Compiles the module to a position-independent ELF object. Functions without a CPU get the
/// machine's. Throws fairlead::Error.
std::string emitObject(llvm::Module &module, const HostMachine &host = HostMachine::native());
/// Like emitObject, but returns assembly text.
std::string emitAssembly(llvm::Module &module, const HostMachine &host = HostMachine::native());

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_MACHINE_MACHINECODE_H_
