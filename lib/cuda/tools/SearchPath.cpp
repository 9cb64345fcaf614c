#include "cuda/tools/SearchPath.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
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

bool isFile(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> toolkitRoots() {
  std::vector<std::string> roots;
  for (const std::string &entry : splitPath(environment("FAIRLEAD_CUDA_PATH")))
    for (const char *inside :
         {"", "/nvidia/cu13", "/nvidia/cuda_nvcc", "/nvidia/nvjitlink", "/triton/backends/nvidia"})
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
