/// LLVM IR of the host -> optimised IR -> a relocatable object.
#pragma once

#include <mutex>
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

/// Held while targets are added to the list or looked up in it: LLVM does not lock it, and a
/// program's host code and its device code are compiled at the same time.
inline constinit std::mutex targetListMutex;

} // namespace fairlead::lower
