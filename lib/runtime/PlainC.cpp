/// Calls of functions exported with the plain C ABI, and what went wrong in them.
#include "fairlead/PlainC.h"

#include <cmath>
#include <cstring>
#include <exception>
#include <string>

#include "base/LastError.h"
#include "dlpack/dlpack.h"
#include "runtime/CurrentDevice.h"
#include "runtime/ErrorKind.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace {

using namespace fairlead::runtime;

thread_local fairlead::LastError lastError;

int32_t fail(int32_t status, const char *text) noexcept { return lastError.set(status, text); }

/// The status that stands for an error of this kind.
int32_t statusOf(ErrorKind kind) {
  if (isInvalidArgument(kind))
    return kFairleadCInvalidValue;
  return kind == ErrorKind::Memory ? kFairleadCOutOfMemory : kFairleadCUnknown;
}

/// Moves what generated code raised into the last error.
int32_t takeRaised() noexcept {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (!error)
    return fail(kFairleadCUnknown, "the function failed without saying why");
  const auto *cell = reinterpret_cast<const TVMFFIErrorCell *>(static_cast<const char *>(error) +
                                                               sizeof(TVMFFIObject));
  int32_t status = statusOf(errorKindOf({cell->kind.data, cell->kind.size}));
  try {
    status = fail(status, std::string(cell->message.data, cell->message.size).c_str());
  } catch (const std::exception &) {
    status = fail(status, "out of memory");
  }
  TVMFFIObjectDecRef(error);
  return status;
}

/// Returns 0, or the error of the function itself.
int32_t check(const FairleadCFunction *function) {
  if (!function)
    return fail(kFairleadCInvalidValue, "the module is not loaded");
  if (function->abi == FAIRLEAD_C_ABI)
    return kFairleadCSuccess;
  try {
    std::string text = "the function has version " + std::to_string(function->abi) +
                       " of the plain C ABI, and this runtime version " +
                       std::to_string(FAIRLEAD_C_ABI);
    return fail(kFairleadCInvalidValue, text.c_str());
  } catch (const std::exception &) {
    return fail(kFairleadCInvalidValue, "the function is of another version of the plain C ABI");
  }
}

int32_t deviceOf(const FairleadCFunction *function) {
  return function->device_type == kDLCUDA ? fairlead::cuda::currentDevice() : 0;
}

/// The device code that loading counts users of.
FairleadCudaModule *moduleOf(const FairleadCFunction *function) {
  return function->load && function->device_type == kDLCUDA ? function->module : nullptr;
}

int32_t run(const FairleadCFunction *function, void *const *args, uint64_t numArgs) {
  if (int32_t status = check(function))
    return status;
  try {
    auto name = [&] { return "`" + std::string(function->name) + "` "; };
    if (numArgs != function->num_args)
      return fail(kFairleadCInvalidValue,
                  (name() + "takes " + std::to_string(function->num_args) +
                   " addresses, of its arguments and of the result, but got " +
                   std::to_string(numArgs))
                      .c_str());
    for (uint64_t i = 0; args && i + 1 < numArgs; ++i)
      if (!args[i])
        return fail(kFairleadCInvalidValue,
                    (name() + "got NULL as the address of argument #" + std::to_string(i)).c_str());
    if (!args)
      return fail(kFairleadCInvalidValue, (name() + "got NULL for its arguments").c_str());
  } catch (const std::exception &failure) {
    return fail(kFairleadCOutOfMemory, failure.what());
  }
  return function->run(args, deviceOf(function)) == 0 ? kFairleadCSuccess : takeRaised();
}

} // namespace

int32_t FairleadCLoad_1(const FairleadCFunction *function) {
  if (int32_t status = check(function))
    return status;
  if (!function->load || function->device_type != kDLCUDA)
    return kFairleadCSuccess;
  // Counted before it is loaded: nobody else's unloading comes between.
  FairleadCudaModule *module = moduleOf(function);
  if (module)
    FairleadCudaModuleHold(module, 1);
  if (function->load(deviceOf(function)) == 0)
    return kFairleadCSuccess;
  if (module)
    FairleadCudaModuleHold(module, -1);
  return takeRaised();
}

void FairleadCUnload_1(const FairleadCFunction *function) {
  if (!function || check(function) != kFairleadCSuccess)
    return;
  if (FairleadCudaModule *module = moduleOf(function))
    FairleadCudaModuleHold(module, -1);
}

int32_t FairleadCRun_1(const FairleadCFunction *function, void *const *args, uint64_t num_args) {
  int32_t status = run(function, args, num_args);
  // Only where the count is right is it known which address the result has.
  if (function && args && function->abi == FAIRLEAD_C_ABI && num_args == function->num_args &&
      args[num_args - 1])
    std::memcpy(args[num_args - 1], &status, sizeof(status));
  return status;
}

const char *FairleadCLastError(void) { return lastError.get(); }

double FairleadCHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value = exponent == 31  ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(fraction + 1024, exponent - 25);
  return std::copysign(value, bits & 0x8000 ? -1.0 : 1.0);
}

void *FairleadCStream(int32_t device_type, int32_t device_id) {
  return TVMFFIEnvGetStream(device_type, device_id);
}
