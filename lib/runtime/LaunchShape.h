/// Reading what launches and tensor maps are described by.
#pragma once

#include <string>

#include "fairlead/Runtime.h"
#include "fairlead/TensorMap.h"

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

/// Describes the fields that no GPU accepts, "expected ..., but got ..."; empty if the fields are
/// valid.
std::string problemOf(const FairleadTensorMap &fields);

} // namespace fairlead::runtime
