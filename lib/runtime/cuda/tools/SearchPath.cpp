#include "runtime/cuda/tools/SearchPath.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <sstream>

namespace fairlead::cuda {
namespace {

std::vector<std::string> splitPath(const std::string &text) {
  std::vector<std::string> entries;
  std::istringstream stream(text);
  for (std::string entry; std::getline(stream, entry, ':');)
    if (!entry.empty())
      entries.push_back(entry);
  return entries;
}

bool isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Folders of Python packages with parts of a toolkit, inside a site-packages folder.
constexpr const char *kPackages[] = {"/nvidia/cu13", "/nvidia/cuda_nvcc", "/nvidia/cuda_nvrtc",
                                     "/nvidia/cuda_runtime", "/triton/backends/nvidia"};

/// The site-packages folder of this library, whose file is in
/// fairlead/lib/; "" if it is unknown.
std::string ownPackageFolder() {
  static const char kHere = 0;
  Dl_info where;
  if (!dladdr(&kHere, &where) || !where.dli_fname)
    return "";
  std::string path = where.dli_fname;
  for (int level = 0; level < 3; ++level) {
    size_t slash = path.rfind('/');
    if (slash == path.npos)
      return "";
    path.resize(slash);
  }
  return path;
}

struct Packages {
  std::mutex mutex;
  std::vector<std::string> roots;

  static Packages &get() {
    static Packages &packages = *new Packages;
    return packages;
  }
};

} // namespace

bool isFile(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void addPackageRoots(const std::string &folder) {
  Packages &packages = Packages::get();
  std::lock_guard<std::mutex> lock(packages.mutex);
  for (const char *package : kPackages) {
    std::string root = folder + package;
    if (isFolder(root) &&
        std::find(packages.roots.begin(), packages.roots.end(), root) == packages.roots.end())
      packages.roots.push_back(root);
  }
}

std::vector<std::string> packageRoots() {
  if (std::string folder = ownPackageFolder(); !folder.empty())
    addPackageRoots(folder);
  Packages &packages = Packages::get();
  std::lock_guard<std::mutex> lock(packages.mutex);
  return packages.roots;
}

std::vector<std::string> toolkitRoots() {
  std::vector<std::string> roots;
  for (const std::string &entry : splitPath(environment("FAIRLEAD_CUDA_PATH")))
    for (const char *inside : {"", "/nvidia/cu13", "/nvidia/cuda_nvcc", "/nvidia/cuda_nvrtc",
                               "/nvidia/cuda_runtime", "/triton/backends/nvidia"})
      roots.push_back(entry + inside);
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment(name); !root.empty())
      roots.push_back(root);
  roots.push_back("/usr/local/cuda");
  return roots;
}

std::string findInToolkits(std::initializer_list<const char *> relatives) {
  for (const std::string &root : toolkitRoots())
    for (const char *relative : relatives)
      if (std::string path = root + "/" + relative; isFile(path))
        return path;
  return "";
}

std::string findOnPath(const char *name) {
  for (const std::string &folder : splitPath(environment("PATH")))
    if (std::string path = folder + "/" + name; isFile(path) && access(path.c_str(), X_OK) == 0)
      return path;
  return "";
}

} // namespace fairlead::cuda
