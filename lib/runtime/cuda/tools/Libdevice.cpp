#include "fairlead/cuda/Libdevice.h"

#include "runtime/cuda/tools/SearchPath.h"

namespace fairlead::cuda {

std::string findLibdevice() {
  if (std::string path = environment("FAIRLEAD_LIBDEVICE"); !path.empty())
    return path;
  return findInToolkits({"nvvm/libdevice/libdevice.10.bc", "lib/libdevice.10.bc"});
}

} // namespace fairlead::cuda
