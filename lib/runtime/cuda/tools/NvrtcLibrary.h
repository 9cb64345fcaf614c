/// NVIDIA's run-time compiler as a library opened while running.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/Result.h"

namespace fairlead::cuda::nvrtc {

// The part of NVRTC's binary interface in use, as its documentation gives it.
using Program = struct _nvrtcProgram *;
constexpr int kSuccess = 0;
constexpr int kInvalidOption = 5;

/// The library's entry points; never closed.
struct Library {
  std::string name;    ///< "NVRTC 13.0 (/path)"
  std::string version; ///< "13.0"
  std::string folder;  ///< the file's folder; "" if unknown
  std::string path;    ///< the library's file; "" if unknown
  int (*getVersion)(int *major, int *minor) = nullptr;
  const char *(*getErrorString)(int status) = nullptr;
  int (*getNumSupportedArchs)(int *count) = nullptr;
  int (*getSupportedArchs)(int *archs) = nullptr;
  int (*createProgram)(Program *, const char *source, const char *name, int numHeaders,
                       const char *const *headers, const char *const *includeNames) = nullptr;
  int (*destroyProgram)(Program *) = nullptr;
  int (*compileProgram)(Program, int numOptions, const char *const *options) = nullptr;
  int (*addNameExpression)(Program, const char *expression) = nullptr;
  int (*getLoweredName)(Program, const char *expression, const char **name) = nullptr;
  int (*getProgramLogSize)(Program, size_t *size) = nullptr;
  int (*getProgramLog)(Program, char *log) = nullptr;
  int (*getPtxSize)(Program, size_t *size) = nullptr;
  int (*getPtx)(Program, char *ptx) = nullptr;
  int (*getCubinSize)(Program, size_t *size) = nullptr;
  int (*getCubin)(Program, char *cubin) = nullptr;
};

/// The library, opened at the first call that finds one and then kept. The failure says where it
/// was looked for and how to get it. Thread-safe.
Result<std::shared_ptr<const Library>> getLibrary();

/// The file that getLibrary opened; before it was called, the one that it will try first. "" when
/// the dynamic linker is to find it. Opens nothing. Thread-safe.
std::string libraryPath();

} // namespace fairlead::cuda::nvrtc
