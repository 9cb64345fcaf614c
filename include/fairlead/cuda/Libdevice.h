/// NVIDIA's bitcode library of math functions.
#ifndef FAIRLEAD_CUDA_LIBDEVICE_H_
#define FAIRLEAD_CUDA_LIBDEVICE_H_

#include <string>

namespace fairlead::cuda {

/// Path of libdevice.10.bc: `$FAIRLEAD_LIBDEVICE`, else under the search path of Assembler.h; ""
/// when there is none.
std::string findLibdevice();

} // namespace fairlead::cuda
#endif // FAIRLEAD_CUDA_LIBDEVICE_H_
