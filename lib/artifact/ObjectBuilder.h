/// Host programs + signature + device images -> one relocatable object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"

#include "artifact/PlainExport.h"
#include "fairlead/Signature.h"
#include "fairlead/Target.h"

namespace fairlead {

/// A device image to embed: FairleadCudaImage's fields.
struct DeviceImage {
  std::string arch;
  std::string data;
};

/// Facts that loading checks and shared memory that it grants for a kernel:
/// FairleadCudaKernelNeeds.
struct KernelNeeds {
  int32_t sharedBytes = 0;
  std::vector<int32_t> paramSizes;
};

struct ObjectContents {
  const Signature &signature;
  const std::vector<Target> &targets; ///< as the user named them
  const std::string &host;            ///< CompileOptions::host
  std::vector<DeviceImage> images;
  const std::vector<std::string> &kernels;
  std::vector<KernelNeeds> needs = {}; ///< by kernel; empty: nothing is known
  ExportExtras extras = {};
  /// The table of places to define (FAIRLEAD_NUMBERED_PLACE); nothing leaves it open.
  std::optional<std::string> places = {};
};

/// A module with the host program for one target (dsl::kHostSymbol), optimised.
struct HostVariant {
  Target target;
  llvm::Module *module;
};

/// One relocatable object of the host programs, which are spent and share one LLVMContext: at most
/// one for CUDA, and any number for the CPU. To them come the entry and metadata under `symbol`,
/// the device module and, for CUDA, `__fairlead_load_<symbol>(device_id)`, which loads it. Throws
/// fairlead::Error.
std::string buildObject(const std::vector<HostVariant> &hosts, const ObjectContents &contents,
                        const std::string &symbol);

/// The two objects of a function that runs here: the entry and metadata under the signature's name,
/// which the signature alone decides, and the spent module's host program, for one target, with its
/// kernels. The device module is left open. Throw fairlead::Error.
std::string buildEntryObject(const Signature &signature, const Target &target);
std::string buildProgramObject(llvm::Module &module, const Target &target);

/// True if objects for these targets hold machine code even when they only run here.
bool assemblesFor(const std::vector<Target> &targets);

/// Defines the FairleadCudaModule that launches refer to, with its images, and the load function.
llvm::GlobalVariable *defineCudaModule(llvm::Module &module, const ObjectContents &contents,
                                       const std::string &symbol);

/// Leaves all functions but kernels for the CPU to fast code generation, without optimisation.
void selectFast(llvm::Module &module);

/// "sm_90a" -> "compute_90a".
std::string ptxArch(const std::string &arch);

} // namespace fairlead
