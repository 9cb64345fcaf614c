/// A second file of the same library that embeds an image under the same name.
#include <tvm/ffi/extra/cuda/cubin_launcher.h>

static const char kImage[] = "kernels other";
TVM_FFI_EMBED_CUBIN_FROM_BYTES(twice, kImage);

tvm::ffi::CubinKernel otherKernel() { return TVM_FFI_EMBED_CUBIN_GET_KERNEL(twice, "other"); }
