// The library of test_cubin_launcher.py: kernels of an embedded CUBIN behind functions.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>
#include <tvm/ffi/function.h>

namespace ffi = tvm::ffi;
using ffi::TensorView;

TVM_FFI_EMBED_CUBIN(kernels);

namespace {

/// The parameters that all kernels here share. Triton's kernels have two more pointers.
struct Params {
  Params(TensorView x, TensorView y) : in(x.data_ptr()), out(y.data_ptr()), n(int(x.numel())) {}
  void *in, *out;
  int n;
  void *none = nullptr;
  void *args[5] = {&in, &out, &n, &none, &none};
};

CUstream streamOf(TensorView x) {
  return static_cast<CUstream>(TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
}

void addOne(TensorView x, TensorView y) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "add_one");
  ffi::CUDADeviceGuard guard(x.device().device_id);
  Params params(x, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3((params.n + 255) / 256), ffi::dim3(256), streamOf(x)));
}

/// Without a guard: the stream tells the device, where it is not the default one.
void addOneOnStream(TensorView x, TensorView y) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "add_one");
  Params params(x, y);
  TVM_FFI_CHECK_CUDA_DRIVER_ERROR(
      kernel.Launch(params.args, ffi::dim3((params.n + 255) / 256), ffi::dim3(256), streamOf(x)));
}

void launch(ffi::String name, TensorView x, TensorView y, int64_t grid, int64_t block,
            int64_t shared) {
  auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, name.c_str());
  ffi::CUDADeviceGuard guard(x.device().device_id);
  Params params(x, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3(grid), ffi::dim3(block), streamOf(x), shared));
}

void reverse(TensorView x, TensorView y) {
  static auto kernel =
      EmbedCubinModule_kernels::Global().GetKernelWithMaxDynamicSharedMemory("reverse");
  ffi::CUDADeviceGuard guard(x.device().device_id);
  Params params(x, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3(1), ffi::dim3(1024), streamOf(x), 4 * params.n));
}

void cluster(TensorView y, int64_t gx, int64_t gy, int64_t gz, int64_t cx, int64_t cy, int64_t cz) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "cluster");
  Params params(y, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3(gx, gy, gz), ffi::dim3(32), streamOf(y), 0,
                    ffi::LaunchAttributes().Cluster(ffi::dim3(cx, cy, cz))));
}

/// Launches the same kernel through a launch configuration.
void clusterEx(TensorView y, int64_t grid, int64_t size) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "cluster");
  Params params(y, y);
  ffi::cuda_api::LaunchConfig config;
  ffi::cuda_api::LaunchAttrType attribute;
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      ffi::cuda_api::ConstructLaunchConfig(kernel.GetHandle(), streamOf(y), 0, ffi::dim3(grid),
                                           ffi::dim3(32), int(size), config, attribute));
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.LaunchEx(params.args, config));
}

void barrier(TensorView y, int64_t grid) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "barrier");
  Params params(y, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3(grid), ffi::dim3(32), streamOf(y), 0,
                    ffi::LaunchAttributes().Cooperative().Priority(0)));
}

/// y = x + 1 and then y += x, the second launch dependent on the first.
void dependent(TensorView x, TensorView y) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, "dependent");
  addOne(x, y);
  Params params(x, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3((params.n + 255) / 256), ffi::dim3(256), streamOf(x), 0,
                    ffi::LaunchAttributes().ProgrammaticDependentLaunch()));
}

void load() { TVM_FFI_EMBED_CUBIN_LOAD(kernels); }

int64_t staticShared(ffi::String name, int64_t device) {
  auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(kernels, name.c_str());
  int bytes = -1;
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(ffi::cuda_api::GetKernelSharedMem(
      kernel.GetHandle(), bytes, ffi::cuda_api::GetDeviceHandle(int(device))));
  return bytes;
}

/// Loads an image and puts one kernel of it on the current device.
void loadBytes(ffi::Bytes image, ffi::String name) {
  ffi::CubinModule module(image);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(module.GetKernel(name.c_str()).Load());
}

/// Launches a kernel of an image that the caller brings.
void launchBytes(ffi::Bytes image, ffi::String name, TensorView x, TensorView y, int64_t grid,
                 int64_t block, int64_t shared) {
  auto *module = new ffi::CubinModule(image); // the launch outlives this call
  auto kernel = module->GetKernelWithMaxDynamicSharedMemory(name.c_str());
  Params params(x, y);
  TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
      kernel.Launch(params.args, ffi::dim3(grid), ffi::dim3(block), streamOf(x), shared));
}

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, addOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one_on_stream, addOneOnStream);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, launch);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(reverse, reverse);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cluster, cluster);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(cluster_ex, clusterEx);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(barrier, barrier);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dependent, dependent);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load, load);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(static_shared, staticShared);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_bytes, loadBytes);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch_bytes, launchBytes);
