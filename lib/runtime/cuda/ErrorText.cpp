/// The words of CUDA errors.
#include <utility>

#include "runtime/cuda/Driver.h"

namespace fairlead::cuda {
namespace {

/// The CUDA runtime's name of a driver error that loading or launching can give. Users know these
/// names from other libraries, and the numbers of both interfaces are the same.
const char *runtimeName(driver::CUresult error) {
  static constexpr std::pair<driver::CUresult, const char *> kNames[] = {
      {1, "cudaErrorInvalidValue"},
      {2, "cudaErrorMemoryAllocation"},
      {3, "cudaErrorInitializationError"},
      {4, "cudaErrorCudartUnloading"},
      {34, "cudaErrorStubLibrary"},
      {46, "cudaErrorDevicesUnavailable"},
      {100, "cudaErrorNoDevice"},
      {101, "cudaErrorInvalidDevice"},
      {200, "cudaErrorInvalidKernelImage"},
      {201, "cudaErrorDeviceUninitialized"},
      {209, "cudaErrorNoKernelImageForDevice"},
      {218, "cudaErrorInvalidPtx"},
      {221, "cudaErrorJitCompilerNotFound"},
      {222, "cudaErrorUnsupportedPtxVersion"},
      {223, "cudaErrorJitCompilationDisabled"},
      {400, "cudaErrorInvalidResourceHandle"},
      {500, "cudaErrorSymbolNotFound"},
      {700, "cudaErrorIllegalAddress"},
      {701, "cudaErrorLaunchOutOfResources"},
      {702, "cudaErrorLaunchTimeout"},
      {709, "cudaErrorContextIsDestroyed"},
      {710, "cudaErrorAssert"},
      {714, "cudaErrorHardwareStackError"},
      {715, "cudaErrorIllegalInstruction"},
      {716, "cudaErrorMisalignedAddress"},
      {717, "cudaErrorInvalidAddressSpace"},
      {718, "cudaErrorInvalidPc"},
      {719, "cudaErrorLaunchFailure"},
      {720, "cudaErrorCooperativeLaunchTooLarge"},
      {801, "cudaErrorNotSupported"},
      {802, "cudaErrorSystemNotReady"},
      {803, "cudaErrorSystemDriverMismatch"},
      {900, "cudaErrorStreamCaptureUnsupported"},
      {901, "cudaErrorStreamCaptureInvalidated"},
      {906, "cudaErrorStreamCaptureImplicit"},
      {912, "cudaErrorInvalidClusterSize"},
      {999, "cudaErrorUnknown"},
  };
  for (const auto &[number, name] : kNames)
    if (number == error)
      return name;
  return nullptr;
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
