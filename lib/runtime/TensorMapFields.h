/// What GPUs take as a tensor map.
#ifndef FAIRLEAD_LIB_RUNTIME_TENSORMAPFIELDS_H
#define FAIRLEAD_LIB_RUNTIME_TENSORMAPFIELDS_H

#include <string>

#include "fairlead/TensorMap.h"

namespace fairlead::runtime {

/// What of the fields no GPU takes, "expected ..., but got ..."; empty for those that it does.
std::string problemOf(const FairleadTensorMap &fields);

} // namespace fairlead::runtime
#endif // FAIRLEAD_LIB_RUNTIME_TENSORMAPFIELDS_H
