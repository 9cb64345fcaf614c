/// Breakpoints of checked kernels, and findings of calls that go on after them.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "check/runtime/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"
#include "runtime/Raise.h"
#include "tvm/ffi/c_api.h"

using namespace fairlead::cpu::check;

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

void CheckedLaunch::stop(const std::string &text) {
  // Blocks may run at once; they stop one after the other.
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (stopError)
    return;
  if (TVMFFIObjectHandle handler = findHandler("fairlead.checks.stop"))
    stopError = callHandler(handler, text);
  else
    std::puts(text.c_str());
}

bool fairlead::cpu::check::goesOnAfterFindings() {
  const char *text = std::getenv("FAIRLEAD_CHECK_CONTINUE");
  return text && *text && std::string_view(text) != "0";
}

bool CheckedLaunch::tellFindings(FairleadCallContext *context, bool isStuck) {
  if (findings.empty() || (isStuck && !checksSync()))
    return false;
  fairlead::runtime::lastFindings() = findings.fields();
  if (!isStuck && (goesOnAfterFindings() || !findings.anyWrong()))
    handOver();
  else
    fairlead::runtime::raise(context, fairlead::Diagnostic::CheckFailed,
                             {{"findings", findings.text(kernel)}});
  return true;
}

void CheckedLaunch::handOver() const {
  const std::string text = findings.text(kernel);
  TVMFFIObjectHandle handler = findHandler("fairlead.checks.found");
  if (!handler) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  // A handler that fails does not fail the call.
  if (TVMFFIObjectHandle error = callHandler(handler, text))
    TVMFFIObjectDecRef(error);
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
