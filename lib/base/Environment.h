/// The process's environment.
#pragma once

#include <cstdlib>
#include <string>

namespace fairlead {

/// Returns the value of an environment variable; "" if it is not set.
inline std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace fairlead
