/// Backtraces: the frames of the calling thread up to where a call came through the FFI, as text.
/// Names come from the symbol tables that the dynamic linker has loaded, so that a trace takes
/// microseconds and needs no debug information; only the frame that throws has a line number.
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tvm/ffi/c_api.h"

namespace {

constexpr int kDefaultLimit = 512;

/// The most lines of a backtrace, from TVM_TRACEBACK_LIMIT.
int lineLimit() {
  static const int limit = [] {
    const char *text = std::getenv("TVM_TRACEBACK_LIMIT");
    if (!text)
      return kDefaultLimit;
    char *end = nullptr;
    long value = std::strtol(text, &end, 10);
    return end != text && *end == '\0' && value >= 0 && value <= kDefaultLimit
               ? static_cast<int>(value)
               : kDefaultLimit;
  }();
  return limit;
}

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return name.substr(0, p.size()) == p; });
}

/// Where the caller's side of an FFI call begins.
bool isBoundary(std::string_view symbol) {
  return startsWithAny(
      symbol, {"TVMFFIFunctionCall", "slot_tp_call", "object_is_not_callable", "_Py", "PyObject"});
}

/// The machinery between a caller and a callee, which says nothing to a reader.
bool isMachinery(std::string_view name) {
  return startsWithAny(name, {"tvm::ffi::Function", "tvm::ffi::detail::", "tvm::ffi::details::",
                              "tvm::ffi::inner::", "TVMFFIBacktrace",
                              "TVMFFIErrorSetRaisedFromCStr", "__libc_", "ffi_call_"});
}

struct Frame {
  const char *symbol = nullptr; ///< mangled; null where no symbol covers the address
  const char *library = "";
};

Frame describe(void *returnAddress) {
  // The call lies before the address that it returns to.
  const char *address = static_cast<const char *>(returnAddress) - 1;
  Frame frame;
  Dl_info info;
  void *extra = nullptr;
  if (!dladdr1(address, &info, &extra, RTLD_DL_SYMENT))
    return frame;
  frame.library = info.dli_fname ? info.dli_fname : "";
  auto *entry = static_cast<const ElfW(Sym) *>(extra);
  // The linker offers the nearest symbol below, which need not be the function's.
  if (info.dli_sname && entry &&
      address < static_cast<const char *>(info.dli_saddr) + entry->st_size)
    frame.symbol = info.dli_sname;
  return frame;
}

std::string demangled(const char *symbol) {
  int status = 0;
  char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : symbol;
  std::free(text);
  return result;
}

void appendLine(std::string &text, std::string_view file, int line, std::string_view function) {
  text.append("  File \"").append(file).append("\", line ").append(std::to_string(line));
  text.append(", in ").append(function).append("\n");
}

/// The thread's last backtrace.
thread_local std::string storage;
thread_local TVMFFIByteArray view;

} // namespace

const TVMFFIByteArray *TVMFFIBacktrace(const char *filename, int lineno, const char *func,
                                       int cross_ffi_boundary) {
  storage.clear();
  int limit = lineLimit(), lines = 0;
  // This function, and where a frame is handed in, its caller, which is that frame.
  int skip = 1;
  if (filename && func) {
    if (lines++ < limit)
      appendLine(storage, filename, lineno, func);
    skip = 2;
  }
  void *frames[kDefaultLimit];
  int count = lines < limit ? backtrace(frames, kDefaultLimit) : 0;
  for (int i = skip; i < count && lines < limit; ++i) {
    Frame frame = describe(frames[i]);
    if (!frame.symbol)
      continue;
    if (!cross_ffi_boundary && isBoundary(frame.symbol))
      break;
    std::string name = demangled(frame.symbol);
    if (isMachinery(name))
      continue;
    appendLine(storage, frame.library, 0, name);
    ++lines;
  }
  view = TVMFFIByteArray{storage.data(), storage.size()};
  return &view;
}
