#include "check/runtime/Stop.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "check/runtime/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"
#include "tvm/ffi/c_api.h"

using namespace fairlead::check;

// Programs that link exported functions statically have no libtvm_ffi, and then no such functions.
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

/// The process's function of this name, if it has one.
TVMFFIObjectHandle findHandler(std::string_view name) {
  const TVMFFIByteArray text = {name.data(), name.size()};
  TVMFFIObjectHandle handler = nullptr;
  if (!TVMFFIFunctionGetGlobal || TVMFFIFunctionGetGlobal(&text, &handler))
    return nullptr;
  return handler;
}

/// Calls the handler with a text and gives it back; the error that it raised, or null.
TVMFFIObjectHandle callHandler(TVMFFIObjectHandle handler, const std::string &text) {
  TVMFFIAny argument = {}, result = {};
  argument.type_index = kTVMFFIRawStr;
  argument.v_c_str = text.c_str();
  TVMFFIObjectHandle error = nullptr;
  if (TVMFFIFunctionCall(handler, &argument, 1, &result))
    TVMFFIErrorMoveFromRaised(&error);
  TVMFFIObjectDecRef(handler);
  return error;
}

} // namespace

void Stop::at(const std::string &text) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (error)
    return;
  if (TVMFFIObjectHandle handler = findHandler("fairlead.checks.stop"))
    error = callHandler(handler, text);
  else
    std::puts(text.c_str());
}

bool Stop::raise() {
  if (!error)
    return false;
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  error = nullptr;
  return true;
}

void fairlead::check::handOverFindings(const std::string &text) {
  TVMFFIObjectHandle handler = findHandler("fairlead.checks.found");
  if (!handler) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  // A handler that fails does not fail the call.
  if (TVMFFIObjectHandle error = callHandler(handler, text))
    TVMFFIObjectDecRef(error);
}

bool fairlead::check::goesOnAfterFindings() {
  const char *text = std::getenv("FAIRLEAD_CHECK_CONTINUE");
  return text && *text && std::string_view(text) != "0";
}

void FairleadCheckStop(const char *format, ...) {
  CheckedLaunch *launch = CheckedLaunch::current();
  if (!launch)
    return;
  va_list values;
  va_start(values, format);
  std::string text = formatted(format, values);
  va_end(values);
  launch->stop.at(text);
}
