/// Reading a FairleadLaunch.
#ifndef FAIRLEAD_LIB_RUNTIME_LAUNCHSHAPE_H_
#define FAIRLEAD_LIB_RUNTIME_LAUNCHSHAPE_H_

#include <string>

#include "fairlead/Runtime.h"

namespace fairlead::runtime {

/// "(8, 1, 1)"
[[gnu::cold]] inline std::string extents(const int32_t (&dims)[3]) {
  std::string text("(");
  text += std::to_string(dims[0]);
  text += ", ";
  text += std::to_string(dims[1]);
  text += ", ";
  text += std::to_string(dims[2]);
  return text += ")";
}

/// True when the launch asks for a cluster. (0, 0, 0) is none, and a cluster of one block is as
/// good as none.
inline bool hasCluster(const FairleadLaunch &launch) {
  for (int32_t extent : launch.cluster)
    if (extent != 0 && extent != 1)
      return true;
  return false;
}

} // namespace fairlead::runtime
#endif // FAIRLEAD_LIB_RUNTIME_LAUNCHSHAPE_H_
