#include "runtime/cuda/tools/NvrtcLibrary.h"

#include <dlfcn.h>

#include <mutex>
#include <vector>

#include "runtime/cuda/tools/SearchPath.h"

namespace fairlead::cuda::nvrtc {
namespace {

constexpr const char *kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

template <typename Function> bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool bind(void *handle, Library &library) {
  return find(handle, "nvrtcVersion", library.getVersion) &&
         find(handle, "nvrtcGetErrorString", library.getErrorString) &&
         find(handle, "nvrtcGetNumSupportedArchs", library.getNumSupportedArchs) &&
         find(handle, "nvrtcGetSupportedArchs", library.getSupportedArchs) &&
         find(handle, "nvrtcCreateProgram", library.createProgram) &&
         find(handle, "nvrtcDestroyProgram", library.destroyProgram) &&
         find(handle, "nvrtcCompileProgram", library.compileProgram) &&
         find(handle, "nvrtcAddNameExpression", library.addNameExpression) &&
         find(handle, "nvrtcGetLoweredName", library.getLoweredName) &&
         find(handle, "nvrtcGetProgramLogSize", library.getProgramLogSize) &&
         find(handle, "nvrtcGetProgramLog", library.getProgramLog) &&
         find(handle, "nvrtcGetPTXSize", library.getPtxSize) &&
         find(handle, "nvrtcGetPTX", library.getPtx) &&
         find(handle, "nvrtcGetCUBINSize", library.getCubinSize) &&
         find(handle, "nvrtcGetCUBIN", library.getCubin);
}

/// Returns the file that contains the function; "" if it is unknown.
std::string fileOf(void *function, std::string path) {
  Dl_info where;
  if (path.find('/') == path.npos && dladdr(function, &where) && where.dli_fname)
    path = where.dli_fname;
  return path.find('/') == path.npos ? "" : path;
}

using Opened = Result<std::shared_ptr<const Library>>;

Opened openFile(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return Failed{reason ? reason : "cannot open " + path};
  }
  auto library = std::make_shared<Library>();
  int major = 0, minor = 0;
  if (!bind(handle, *library) || library->getVersion(&major, &minor) != kSuccess) {
    dlclose(handle);
    return Failed{path + " is no NVRTC of CUDA 12 or later"};
  }
  library->version = std::to_string(major) + "." + std::to_string(minor);
  library->path = fileOf(reinterpret_cast<void *>(library->getVersion), path);
  library->folder = library->path.substr(0, library->path.find_last_of('/') + 1);
  if (!library->folder.empty())
    library->folder.pop_back();
  library->name = "NVRTC " + library->version + " (" + path + ")";
  // NVRTC opens its builtins by name alone, so load the ones next to it first.
  std::string builtins = library->folder + "/libnvrtc-builtins.so." + library->version;
  if (!library->folder.empty() && isFile(builtins))
    dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);
  return {std::move(library)};
}

/// Candidate files, best first.
std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  if (std::string path = environment("FAIRLEAD_NVRTC"); !path.empty())
    return {path};
  std::vector<std::string> roots = toolkitRoots();
  for (const std::string &root : packageRoots())
    roots.push_back(root);
  for (const std::string &root : roots)
    for (const char *name : kNames)
      for (const char *folder : {"/lib64/", "/lib/"})
        if (std::string path = root + folder + name; isFile(path))
          paths.push_back(path);
  paths.insert(paths.end(), std::begin(kNames), std::end(kNames));
  return paths;
}

Opened open() {
  std::string failures;
  for (const std::string &path : candidates()) {
    Opened library = openFile(path);
    if (library)
      return library;
    // The report omits the system's own folders, where a missing library is normal.
    if (path.find('/') != path.npos)
      failures += "\n" + library.reason();
  }
  std::string error =
      "CUDA C++ source needs NVRTC, which was not found: looked for libnvrtc.so.13 and "
      "libnvrtc.so.12 at $FAIRLEAD_NVRTC, under";
  for (const std::string &root : toolkitRoots())
    error += " " + root;
  for (const std::string &root : packageRoots())
    error += " " + root;
  error +=
      ", and where the system finds libraries. Install the CUDA toolkit, or the Python package "
      "nvidia-cuda-nvrtc." +
      failures;
  return Failed{std::move(error)};
}

} // namespace

namespace {

struct Kept {
  std::mutex mutex;
  std::shared_ptr<const Library> library;
};

Kept &kept() {
  static Kept &only = *new Kept;
  return only;
}

} // namespace

Result<std::shared_ptr<const Library>> getLibrary() {
  std::lock_guard<std::mutex> lock(kept().mutex);
  // A failure is not kept: the package may be installed while the process runs.
  if (!kept().library) {
    Opened library = open();
    if (!library)
      return library;
    kept().library = std::move(*library);
  }
  return kept().library;
}

std::string libraryPath() {
  std::lock_guard<std::mutex> lock(kept().mutex);
  if (kept().library)
    return kept().library->path;
  std::string first = candidates().front();
  return first.find('/') == first.npos ? "" : first;
}

} // namespace fairlead::cuda::nvrtc
