/// Where parts of CUDA toolkits may lie.
#ifndef FAIRLEAD_LIB_CUDA_TOOLS_SEARCHPATH_H
#define FAIRLEAD_LIB_CUDA_TOOLS_SEARCHPATH_H

#include <initializer_list>
#include <string>
#include <vector>

namespace fairlead::cuda {

/// The value of an environment variable; "" when not set.
std::string environment(const char *name);

/// Toolkit roots in the order of preference: each entry of `$FAIRLEAD_CUDA_PATH` with the places
/// inside it where Python packages (nvidia-*, triton) keep theirs, `$CUDA_HOME`, `$CUDA_PATH`,
/// /usr/local/cuda.
std::vector<std::string> toolkitRoots();

/// Remembers the toolkit parts that Python packages (nvidia-*, triton) keep under a site-packages
/// folder; those that do not exist, or are known already, are left out. Thread-safe.
void addPackageRoots(const std::string &folder);

/// What addPackageRoots was told, and the same of the folder in which Fairlead's own package lies.
/// For what toolkits seldom bring; they come after toolkitRoots(). Thread-safe.
std::vector<std::string> packageRoots();

/// Whether the path names a regular file.
bool isFile(const std::string &path);

/// The first existing regular file `root/relative`, roots first; "" when there is none.
std::string findInToolkits(std::initializer_list<const char *> relatives);

/// The first executable of that name on `$PATH`; "" when there is none.
std::string findOnPath(const char *name);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_CUDA_TOOLS_SEARCHPATH_H
