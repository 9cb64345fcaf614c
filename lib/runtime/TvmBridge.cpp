/// For the static runtime only: the runtime's calls of the TVM FFI library, for programs that may
/// lack it. If the process has libtvm_ffi, calls go there; otherwise errors are kept here, and no
/// environment exists.
///
/// The definitions are hidden, so that they replace nothing outside the program's own code.
#include <dlfcn.h>

#include <exception>
#include <string>

#include "tvm/ffi/c_api.h"
#include "tvm/ffi/extra/c_env_api.h"

// Under names of their own here, since the headers declare the ABI's as visible.
#define FAIRLEAD_BRIDGE(name, own, result, parameters)                                             \
  extern "C" __attribute__((visibility("hidden"))) result own parameters __asm__(#name);           \
  result own parameters

/// The function of libtvm_ffi, NULL if it is not in the process. Looked up at each call: a
/// library may load it later, and only errors come this way.
#define FAIRLEAD_REAL(name) reinterpret_cast<decltype(&::name)>(dlsym(RTLD_DEFAULT, #name))

namespace {

/// An error laid out as the ABI's are; it lives in its thread, and counts no references.
struct LocalError {
  TVMFFIObject header{};
  TVMFFIErrorCell cell{};
  std::string kind, message;
  bool raised = false;
};
thread_local LocalError localError;

} // namespace

FAIRLEAD_BRIDGE(TVMFFIErrorSetRaisedFromCStr, bridgeSetRaised, void,
                (const char *kind, const char *message)) {
  if (auto *function = FAIRLEAD_REAL(TVMFFIErrorSetRaisedFromCStr)) {
    function(kind, message);
    return;
  }
  LocalError &error = localError;
  try {
    error.kind = kind;
    error.message = message;
  } catch (const std::exception &) {
    error.message.clear();
  }
  error.cell.kind = {error.kind.data(), error.kind.size()};
  error.cell.message = {error.message.data(), error.message.size()};
  error.raised = true;
}

FAIRLEAD_BRIDGE(TVMFFIErrorMoveFromRaised, bridgeMoveFromRaised, void,
                (TVMFFIObjectHandle * result)) {
  if (auto *function = FAIRLEAD_REAL(TVMFFIErrorMoveFromRaised)) {
    function(result);
    return;
  }
  *result = localError.raised ? &localError : nullptr;
  localError.raised = false;
}

FAIRLEAD_BRIDGE(TVMFFIObjectDecRef, bridgeDecRef, int, (TVMFFIObjectHandle object)) {
  if (object == &localError)
    return 0;
  auto *function = FAIRLEAD_REAL(TVMFFIObjectDecRef);
  return function ? function(object) : 0;
}

FAIRLEAD_BRIDGE(TVMFFIGetTypeInfo, bridgeTypeInfo, const TVMFFITypeInfo *, (int32_t index)) {
  auto *function = FAIRLEAD_REAL(TVMFFIGetTypeInfo);
  return function ? function(index) : nullptr;
}

FAIRLEAD_BRIDGE(TVMFFIDataTypeToString, bridgeDTypeText, int,
                (const DLDataType *dtype, TVMFFIAny *out)) {
  auto *function = FAIRLEAD_REAL(TVMFFIDataTypeToString);
  return function ? function(dtype, out) : -1;
}

FAIRLEAD_BRIDGE(TVMFFIEnvGetStream, bridgeStream, TVMFFIStreamHandle,
                (int32_t deviceType, int32_t deviceId)) {
  auto *function = FAIRLEAD_REAL(TVMFFIEnvGetStream);
  return function ? function(deviceType, deviceId) : nullptr;
}
