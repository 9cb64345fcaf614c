// A CUDA C++ kernel with a signature, as a checked function: no wrapper is written, and no Python
// or toolkit is needed but NVRTC.
//
//     g++ kernel_from_source.cpp $(fairlead-config --dsl) -o kernel_from_source
//     ./kernel_from_source add_one.o      # also writes the function as an object
#include <cstdio>

#include "fairlead/Error.h"
#include "fairlead/Kernel.h"

static const char *const kSource = R"(
extern "C" __global__ void add_one(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
})";

int main(int argc, char **argv) {
  try {
    fairlead::KernelOptions options;
    options.archs = {"sm_90a", "compute_80"};
    auto artifact = fairlead::kernelArtifact(
        {kSource}, "add_one",
        fairlead::Signature::parse("add_one(x: Tensor([n], float32), y: Tensor([n], float32))"),
        fairlead::KernelLaunch::parse("grid=ceil_div(n, 256), block=256, args=(x, y, int32(n))"),
        options);
    std::printf("%s for %s\n", artifact->signature().text().c_str(),
                artifact->target().str().c_str());
    if (argc > 1)
      artifact->exportObject(argv[1], "add_one");

    // Called like every function of the ABI; this tensor is not where the kernel runs.
    tvm::ffi::Function f = fairlead::makeFunction(artifact);
    float data[4] = {};
    int64_t extent = 4;
    DLTensor tensor{};
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 1;
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = &extent;
    f(&tensor, &tensor);
  } catch (const tvm::ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  } catch (const fairlead::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.what());
  }
  return 0;
}
