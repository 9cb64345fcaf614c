/// The CUDA driver's entry points, found at run time.
#pragma once

#include <atomic>
#include <string>

#include "runtime/cuda/DriverTypes.h"

namespace fairlead::cuda {

namespace driver {

/// Every entry point but the ones marked optional is set.
struct Table {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuGetErrorName)(CUresult error, const char **name);
  CUresult (*cuGetErrorString)(CUresult error, const char **text);
  CUresult (*cuDeviceGetCount)(int *count);
  CUresult (*cuDeviceGet)(CUdevice *device, int ordinal);
  CUresult (*cuDeviceGetAttribute)(int *value, CUdevice_attribute attribute, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
  CUresult (*cuCtxGetCurrent)(CUcontext *context);
  CUresult (*cuCtxSetCurrent)(CUcontext context);
  CUresult (*cuLibraryLoadData)(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                void **jitValues, unsigned numJitOptions, int *libraryOptions,
                                void **libraryValues, unsigned numLibraryOptions);
  CUresult (*cuLibraryUnload)(CUlibrary library);
  CUresult (*cuLibraryGetKernel)(CUkernel *kernel, CUlibrary library, const char *name);
  CUresult (*cuKernelGetFunction)(CUfunction *function, CUkernel kernel);
  CUresult (*cuKernelGetAttribute)(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                   CUdevice device);
  CUresult (*cuKernelSetAttribute)(CUfunction_attribute attribute, int value, CUkernel kernel,
                                   CUdevice device);
  CUresult (*cuLaunchKernelEx)(const CUlaunchConfig *config, CUfunction function, void **params,
                               void **extra);
  CUresult (*cuCtxSynchronize)();
  CUresult (*cuThreadExchangeStreamCaptureMode)(CUstreamCaptureMode *mode);
  CUresult (*cuCtxGetDevice)(CUdevice *device);                    ///< optional
  CUresult (*cuStreamGetCtx)(CUstream stream, CUcontext *context); ///< optional
  CUresult (*cuStreamIsCapturing)(CUstream stream, int *status);   ///< optional
  CUresult (*cuFuncLoad)(CUfunction function);                     ///< optional: CUDA 12.4
  CUresult (*cuKernelGetParamInfo)(CUkernel kernel, size_t index, size_t *offset,
                                   size_t *size); ///< optional: CUDA 12.4
  CUresult (*cuDriverGetVersion)(int *version);   ///< optional; 12040 is CUDA 12.4
  CUresult (*cuLibraryGetGlobal)(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                 const char *name);                              ///< optional
  CUresult (*cuMemHostAlloc)(void **memory, size_t bytes, unsigned flags);       ///< optional
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t bytes);      ///< optional
  CUresult (*cuMemAlloc)(CUdeviceptr *memory, size_t bytes);                     ///< optional
  CUresult (*cuMemsetD8)(CUdeviceptr memory, unsigned char value, size_t bytes); ///< optional
  CUresult (*cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t bytes);            ///< optional
  CUresult (*cuStreamSynchronize)(CUstream stream);                              ///< optional
  CUresult (*cuTensorMapEncodeTiled)(void *map, int type, cuuint32_t rank, void *address,
                                     const cuuint64_t *extents, const cuuint64_t *strides,
                                     const cuuint32_t *box, const cuuint32_t *steps, int interleave,
                                     int swizzle, int promotion, int fill); ///< optional
};

} // namespace driver

/// The driver, opened and initialized once per process, from any thread.
struct Driver {
  driver::Table table{};
  bool usable = false;                            ///< the table is filled and cuInit succeeded
  std::string reason;                             ///< why not, when not usable
  int numDevices = 0;                             ///< 0 when not usable
  driver::CUresult status = driver::CUDA_SUCCESS; ///< the error of cuInit, when not usable

  /// Opens `$FAIRLEAD_LIBCUDA`, else libcuda.so.1, at the first call. Later calls try again as long
  /// as cuInit fails for a reason that may pass, such as short memory; other failures are final.
  /// The result stays valid. Throws std::bad_alloc only.
  static const Driver &get() {
    const Driver *driver = settled.load(std::memory_order_acquire);
    return driver ? *driver : tryToOpen();
  }

private:
  static const Driver &tryToOpen();

  static std::atomic<const Driver *> settled; ///< NULL while a later call tries again
};

/// "cudaErrorInvalidValue (CUDA_ERROR_INVALID_VALUE: invalid argument)": the runtime API's name
/// where the error has one, then the driver's own words. Needs a filled table.
std::string describeError(const driver::Table &table, driver::CUresult error);

} // namespace fairlead::cuda
