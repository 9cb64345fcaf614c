/// NVIDIA's bitcode library of math functions.
#pragma once

#include <string>

namespace fairlead::cuda {

/// Path of libdevice.10.bc: `$FAIRLEAD_LIBDEVICE`, else under the search path of Assembler.h; ""
/// when there is none.
std::string findLibdevice();

} // namespace fairlead::cuda
