/// The words of CUDA errors.
#include "cuda/Driver.h"

namespace fairlead::cuda {
namespace {

/// The CUDA runtime's name of a driver error that loading or launching can give. Users know these
/// names from other libraries, and the numbers of both interfaces are the same.
const char *runtimeName(driver::CUresult error) {
  switch (error) {
  case 1: return "cudaErrorInvalidValue";
  case 2: return "cudaErrorMemoryAllocation";
  case 3: return "cudaErrorInitializationError";
  case 4: return "cudaErrorCudartUnloading";
  case 34: return "cudaErrorStubLibrary";
  case 46: return "cudaErrorDevicesUnavailable";
  case 100: return "cudaErrorNoDevice";
  case 101: return "cudaErrorInvalidDevice";
  case 200: return "cudaErrorInvalidKernelImage";
  case 201: return "cudaErrorDeviceUninitialized";
  case 209: return "cudaErrorNoKernelImageForDevice";
  case 218: return "cudaErrorInvalidPtx";
  case 221: return "cudaErrorJitCompilerNotFound";
  case 222: return "cudaErrorUnsupportedPtxVersion";
  case 223: return "cudaErrorJitCompilationDisabled";
  case 400: return "cudaErrorInvalidResourceHandle";
  case 500: return "cudaErrorSymbolNotFound";
  case 700: return "cudaErrorIllegalAddress";
  case 701: return "cudaErrorLaunchOutOfResources";
  case 702: return "cudaErrorLaunchTimeout";
  case 709: return "cudaErrorContextIsDestroyed";
  case 710: return "cudaErrorAssert";
  case 715: return "cudaErrorIllegalInstruction";
  case 716: return "cudaErrorMisalignedAddress";
  case 719: return "cudaErrorLaunchFailure";
  case 801: return "cudaErrorNotSupported";
  case 802: return "cudaErrorSystemNotReady";
  case 803: return "cudaErrorSystemDriverMismatch";
  case 900: return "cudaErrorStreamCaptureUnsupported";
  case 901: return "cudaErrorStreamCaptureInvalidated";
  case 906: return "cudaErrorStreamCaptureImplicit";
  case 912: return "cudaErrorInvalidClusterSize";
  case 999: return "cudaErrorUnknown";
  default: return nullptr;
  }
}

} // namespace

std::string describeError(const driver::Table &table, driver::CUresult error) {
  const char *name = nullptr;
  const char *text = nullptr;
  if (table.cuGetErrorName(error, &name) != driver::CUDA_SUCCESS || !name)
    return "error " + std::to_string(error);
  std::string words = name;
  if (table.cuGetErrorString(error, &text) == driver::CUDA_SUCCESS && text)
    words += std::string(": ") + text;
  const char *known = runtimeName(error);
  return known ? known + (" (" + words + ")") : words;
}

} // namespace fairlead::cuda
