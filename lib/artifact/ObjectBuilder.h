/// Host program + signature + device images -> one relocatable object.
#ifndef FAIRLEAD_LIB_ARTIFACT_OBJECTBUILDER_H_
#define FAIRLEAD_LIB_ARTIFACT_OBJECTBUILDER_H_

#include <string>
#include <vector>

#include "llvm/IR/Module.h"

#include "fairlead/Signature.h"
#include "fairlead/Target.h"

namespace fairlead {

/// A device image to embed: FairleadCudaImage's fields.
struct DeviceImage {
  std::string arch;
  std::string data;
};

/// What loading checks and grants for a kernel: FairleadCudaKernelNeeds.
struct KernelNeeds {
  int32_t sharedBytes = 0;
  std::vector<int32_t> paramSizes;
};

struct ObjectContents {
  const Signature &signature;
  const Target &target;
  std::vector<DeviceImage> images;
  const std::vector<std::string> &kernels;
  std::vector<KernelNeeds> needs = {}; ///< by kernel; empty: nothing is known
};

/// Adds to `module`, which holds the optimised host program `host`: the entry and metadata under
/// `symbol`, the device module and, for CUDA,
/// `__fairlead_load_<symbol>(device_id)`, which loads it. Then emits machine code. Throws
/// fairlead::Error.
std::string buildObject(llvm::Module &module, const ObjectContents &contents,
                        const std::string &symbol);

/// Defines the FairleadCudaModule that launches refer to, with its images, and the load function.
void defineCudaModule(llvm::Module &module, const ObjectContents &contents,
                      const std::string &symbol);

/// Leaves all functions but kernels for the CPU to fast code generation, without optimisation.
void selectFast(llvm::Module &module);

/// "sm_90a" -> "compute_90a".
std::string ptxArch(const std::string &arch);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_OBJECTBUILDER_H_
