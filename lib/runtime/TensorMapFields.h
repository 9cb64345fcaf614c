/// Limits of GPUs on tensor maps.
#ifndef FAIRLEAD_LIB_RUNTIME_TENSORMAPFIELDS_H_
#define FAIRLEAD_LIB_RUNTIME_TENSORMAPFIELDS_H_

#include <string>

#include "fairlead/TensorMap.h"

namespace fairlead::runtime {

/// Describes the fields that no GPU accepts, "expected ..., but got ..."; empty if the fields are
/// valid.
std::string problemOf(const FairleadTensorMap &fields);

} // namespace fairlead::runtime
#endif // FAIRLEAD_LIB_RUNTIME_TENSORMAPFIELDS_H_
