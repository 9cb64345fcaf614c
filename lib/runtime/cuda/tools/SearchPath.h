/// Search paths for parts of CUDA toolkits.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "base/Environment.h"

namespace fairlead::cuda {

/// Toolkit roots in the order of preference: each entry of `$FAIRLEAD_CUDA_PATH` with the places
/// inside it where Python packages (nvidia-*, triton) keep theirs, `$CUDA_HOME`, `$CUDA_PATH`,
/// /usr/local/cuda.
std::vector<std::string> toolkitRoots();

/// Remembers the toolkit parts that Python packages (nvidia-*, triton) keep under a site-packages
/// folder. Ignores folders that do not exist or are known already. Thread-safe.
void addPackageRoots(const std::string &folder);

/// Returns the folders that addPackageRoots remembered, and those next to Fairlead's own package.
/// Search them after toolkitRoots(), for parts that toolkits often lack. Thread-safe.
std::vector<std::string> packageRoots();

/// True if the path names a regular file.
bool isFile(const std::string &path);

/// Returns the first existing regular file `root/relative`, roots first; "" if none exists.
std::string findInToolkits(std::initializer_list<const char *> relatives);

/// Returns the first executable of that name on `$PATH`; "" if none exists.
std::string findOnPath(const char *name);

} // namespace fairlead::cuda
