/// Breakpoints of checked kernels.
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>

#include "cpu/check/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"
#include "tvm/ffi/c_api.h"

using namespace fairlead::cpu::check;

// Programs that link exported functions statically have no libtvm_ffi, and then no function for
// breakpoints.
#pragma weak TVMFFIFunctionGetGlobal
#pragma weak TVMFFIFunctionCall
#pragma weak TVMFFIErrorSetRaised

namespace {

std::string formatted(const char *format, va_list values) {
  va_list again;
  va_copy(again, values);
  int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(length < 0 ? 0 : static_cast<size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, values);
  return text;
}

/// The process's function for breakpoints, if it has one.
TVMFFIObjectHandle findHandler() {
  constexpr TVMFFIByteArray kName = {"fairlead.checks.stop", sizeof "fairlead.checks.stop" - 1};
  TVMFFIObjectHandle handler = nullptr;
  if (!TVMFFIFunctionGetGlobal || TVMFFIFunctionGetGlobal(&kName, &handler))
    return nullptr;
  return handler;
}

} // namespace

void CheckedLaunch::stop(const std::string &text) {
  // Blocks may run at once; they stop one after the other.
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (stopError)
    return;
  TVMFFIObjectHandle handler = findHandler();
  if (!handler) {
    std::puts(text.c_str());
    return;
  }
  TVMFFIAny argument = {}, result = {};
  argument.type_index = kTVMFFIRawStr;
  argument.v_c_str = text.c_str();
  if (TVMFFIFunctionCall(handler, &argument, 1, &result))
    TVMFFIErrorMoveFromRaised(&stopError);
  TVMFFIObjectDecRef(handler);
}

bool CheckedLaunch::raiseStop() {
  if (!stopError)
    return false;
  TVMFFIErrorSetRaised(stopError);
  TVMFFIObjectDecRef(stopError);
  stopError = nullptr;
  return true;
}

void FairleadCheckStop(const char *format, ...) {
  CheckedLaunch *launch = CheckedLaunch::current();
  if (!launch)
    return;
  va_list values;
  va_start(values, format);
  std::string text = formatted(format, values);
  va_end(values);
  launch->stop(text);
}
