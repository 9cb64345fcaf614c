/// What the name of a target says.
#include "fairlead/Target.h"

#include <cstdlib>

namespace fairlead {

std::string Target::str() const {
  if (kind == Kind::Cpu)
    return arch.empty() ? "cpu" : "cpu:" + arch;
  return (arch.starts_with("compute_") ? "ptx:" : "cuda:") + arch;
}

int Target::capability() const {
  // The minor is the last digit, whatever suffix follows.
  return kind == Kind::Cuda ? std::atoi(arch.c_str() + arch.find('_') + 1) : 0;
}

std::string Target::family() const {
  return kind == Kind::Cuda ? arch.substr(arch.find('_') + 1) : "cpu";
}

int Target::cpuLevel() const {
  if (kind == Kind::Cuda || arch.empty())
    return 0;
  return arch.ends_with("64") ? 1 : arch.back() - '0';
}

std::string joinTargets(const std::vector<Target> &targets) {
  std::string text;
  for (const Target &target : targets)
    text += (text.empty() ? "" : ", ") + target.str();
  return text;
}

} // namespace fairlead
