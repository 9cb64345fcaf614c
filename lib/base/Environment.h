/// The process's environment.
#ifndef FAIRLEAD_LIB_BASE_ENVIRONMENT_H_
#define FAIRLEAD_LIB_BASE_ENVIRONMENT_H_

#include <cstdlib>
#include <string>

namespace fairlead {

/// Returns the value of an environment variable; "" if it is not set.
inline std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace fairlead
#endif // FAIRLEAD_LIB_BASE_ENVIRONMENT_H_
