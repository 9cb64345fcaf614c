#include "fairlead/Target.h"

#include <cctype>
#include <cstdlib>

#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Device.h"

namespace fairlead {

std::string Target::str() const { return kind == Kind::Cpu ? "cpu" : "cuda:" + arch; }

/// sm_ followed by digits and at most one of the suffixes a and f.
static bool isArch(std::string_view text) {
  if (text.substr(0, 3) != "sm_")
    return false;
  text.remove_prefix(3);
  size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])))
    ++digits;
  std::string_view suffix = text.substr(digits);
  return digits >= 2 && digits <= 3 && (suffix.empty() || suffix == "a" || suffix == "f");
}

Target Target::parse(std::string_view text, std::string_view origin) {
  if (text == "cpu")
    return {Kind::Cpu, ""};
  if (text == "cuda") {
    std::string arch = cuda::deviceArch(0);
    if (arch.empty())
      throw makeError(Diagnostic::TargetNoGpu,
                      {{"got", std::string(text)}, {"origin", std::string(origin)}});
    return {Kind::Cuda, arch};
  }
  std::string_view arch = text.substr(0, 5) == "cuda:" ? text.substr(5) : text;
  if (!isArch(arch))
    throw makeError(Diagnostic::TargetUnknown,
                    {{"got", std::string(text)}, {"origin", std::string(origin)}});
  return {Kind::Cuda, std::string(arch)};
}

Target Target::detect() {
  for (const char *variable : {"FAIRLEAD_TARGET", "CUTE_DSL_ARCH"})
    if (const char *value = std::getenv(variable); value && *value)
      return parse(value, std::string("environment variable ") + variable);
  if (std::string arch = cuda::deviceArch(0); !arch.empty())
    return {Kind::Cuda, arch};
  return {Kind::Cpu, ""};
}

} // namespace fairlead
