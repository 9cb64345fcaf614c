#include <dlfcn.h>

#include <cstdint>

#include "cuda/tools/SearchPath.h"
#include "cuda/tools/Tools.h"

namespace fairlead::cuda {
namespace {

// The part of nvJitLink's binary interface in use, as its documentation gives it.
using Handle = struct nvJitLink *;
constexpr int kSuccess = 0;
constexpr int kInputPtx = 2;

/// The library. Its exported names end in a version of the interface: every 13.x has `_13_0`, and
/// so on.
struct Library {
  std::string name; ///< "nvJitLink 13 (/path)"; empty when there is none
  int (*create)(Handle *, uint32_t numOptions, const char **options) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int kind, const void *data, size_t size, const char *name) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*getCubinSize)(Handle, size_t *size) = nullptr;
  int (*getCubin)(Handle, void *cubin) = nullptr;
  int (*getErrorLogSize)(Handle, size_t *size) = nullptr;
  int (*getErrorLog)(Handle, char *log) = nullptr;
};

template <typename Function>
bool find(void *library, const std::string &version, const char *name, Function &function) {
  std::string symbol = "__nvJitLink" + (name + version);
  function = reinterpret_cast<Function>(dlsym(library, symbol.c_str()));
  return function != nullptr;
}

bool bind(void *handle, const std::string &version, Library &library) {
  return find(handle, version, "Create", library.create) &&
         find(handle, version, "Destroy", library.destroy) &&
         find(handle, version, "AddData", library.addData) &&
         find(handle, version, "Complete", library.complete) &&
         find(handle, version, "GetLinkedCubinSize", library.getCubinSize) &&
         find(handle, version, "GetLinkedCubin", library.getCubin) &&
         find(handle, version, "GetErrorLogSize", library.getErrorLogSize) &&
         find(handle, version, "GetErrorLog", library.getErrorLog);
}

Library openFile(const std::string &path) {
  Library library;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return library;
  for (const char *major : {"13", "12"})
    for (int minor = 0; minor < 10; ++minor)
      if (bind(handle, std::string("_") + major + "_" + std::to_string(minor), library)) {
        library.name = std::string("nvJitLink ") + major + " (" + path + ")";
        return library;
      }
  dlclose(handle);
  return library;
}

Library open() {
  std::string path = environment("FAIRLEAD_NVJITLINK");
  if (path.empty())
    path = findInToolkits({"lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13",
                           "lib64/libnvJitLink.so.12", "lib/libnvJitLink.so.12"});
  if (!path.empty())
    return openFile(path);
  for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12"})
    if (Library library = openFile(name); !library.name.empty())
      return library;
  return {};
}

const Library &getLibrary() {
  static const Library &library = *new Library(open());
  return library;
}

/// One link; destroyed with the scope.
class Link {
public:
  Link(const Library &library, const std::vector<std::string> &options) : library(library) {
    std::vector<const char *> texts;
    for (const std::string &option : options)
      texts.push_back(option.c_str());
    status = library.create(&handle, static_cast<uint32_t>(texts.size()), texts.data());
  }
  ~Link() {
    if (handle)
      library.destroy(&handle);
  }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  std::string assemble(const std::string &ptx) {
    std::string cubin;
    size_t size = 0;
    // The text's NUL counts as a part of it.
    if (status == kSuccess)
      status = library.addData(handle, kInputPtx, ptx.c_str(), ptx.size() + 1, "kernel.ptx");
    if (status == kSuccess)
      status = library.complete(handle);
    if (status == kSuccess)
      status = library.getCubinSize(handle, &size);
    if (status == kSuccess) {
      cubin.resize(size);
      status = library.getCubin(handle, cubin.data());
    }
    return status == kSuccess ? cubin : "";
  }

  std::string error() const {
    std::string text = "error " + std::to_string(status);
    size_t size = 0;
    if (!handle || library.getErrorLogSize(handle, &size) != kSuccess || size < 2)
      return text;
    std::string log(size, '\0');
    if (library.getErrorLog(handle, log.data()) == kSuccess)
      text += ": " + std::string(log.c_str());
    return text;
  }

private:
  const Library &library;
  Handle handle = nullptr;
  int status;
};

} // namespace

Assembled assembleWithNvJitLink(std::string_view ptx, std::string_view arch,
                                const std::vector<std::string> &options) {
  const Library &library = getLibrary();
  Assembled result;
  result.tool = library.name;
  if (library.name.empty())
    return result;
  std::vector<std::string> own{"-arch=" + std::string(arch)};
  for (const std::string &option : options)
    own.push_back(option == "-lineinfo" ? option : "-Xptxas=" + option);
  Link link(library, own);
  result.cubin = link.assemble(std::string(ptx));
  if (result.cubin.empty())
    result.error = link.error();
  return result;
}

} // namespace fairlead::cuda
