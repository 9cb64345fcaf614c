/// Targets by their names, and the machine's own.
#include "fairlead/Target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Device.h"
#include "runtime/cuda/Arch.h"

namespace fairlead {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"x86-64", "x86-64-v2", "x86-64-v3",
                                                     "x86-64-v4"};

bool isArch(std::string_view text, bool ptx) {
  auto image = cuda::parseImageArch(text);
  return image && image->ptx == ptx;
}

/// Returns the target of `name`, which must satisfy isArch; a replaced name becomes the new one.
/// Throws if this compiler makes no code for it. `text` is the whole target.
Target gpuTarget(std::string_view name, std::string_view text, std::string_view origin) {
  const std::string prefix(name.substr(0, name.find('_') + 1));
  const std::string got(text), from(origin);
  const GpuArch *arch = findGpuArch(name);
  if (arch && arch->compiles())
    return Target::cuda(prefix + std::string(arch->name));
  if (arch)
    throw makeError(Diagnostic::TargetTooNew,
                    {{"got", got},
                     {"origin", from},
                     {"arch", std::string(name)},
                     {"llvm", std::to_string(kLlvmVersion)},
                     {"needed", std::to_string(arch->llvm)},
                     {"cuda", assemblersOf(*arch)},
                     {"instead", cuda::targetName(cuda::parseImageArch(name)->arch)}});
  std::string names;
  for (const GpuArch &candidate : gpuArchs())
    if (candidate.compiles())
      names += (names.empty() ? "" : ", ") + prefix + std::string(candidate.name);
  throw makeError(Diagnostic::TargetArch, {{"got", got}, {"origin", from}, {"known", names}});
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

} // namespace

Target Target::parse(std::string_view text, std::string_view origin) {
  if (text == "cpu")
    return cpu();
  if (text.starts_with("cpu:") &&
      std::find(kLevels.begin(), kLevels.end(), text.substr(4)) != kLevels.end())
    return cpu(std::string(text.substr(4)));
  if (text == "cuda") {
    std::string arch = cuda::deviceArch(0);
    if (arch.empty())
      throw makeError(Diagnostic::TargetNoGpu,
                      {{"got", std::string(text)}, {"origin", std::string(origin)}});
    return cuda(arch);
  }
  std::string_view ptx = text.starts_with("ptx:") ? text.substr(4) : text;
  if (isArch(ptx, /*ptx=*/true))
    return gpuTarget(ptx, text, origin);
  std::string_view arch = text.starts_with("cuda:") ? text.substr(5) : text;
  if (!isArch(arch, /*ptx=*/false))
    throw makeError(Diagnostic::TargetUnknown,
                    {{"got", std::string(text)}, {"origin", std::string(origin)}});
  return gpuTarget(arch, text, origin);
}

std::vector<Target> Target::parseList(std::string_view text, std::string_view origin) {
  std::vector<Target> targets;
  auto add = [&](const Target &target) {
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  };
  for (;;) {
    size_t comma = text.find(',');
    std::string_view word = trim(text.substr(0, comma));
    if (word == "cpu:any")
      for (std::string_view level : {kLevels[0], kLevels[2], kLevels[3]})
        add(cpu(std::string(level)));
    else
      add(parse(word, origin));
    if (comma == std::string_view::npos)
      return targets;
    text.remove_prefix(comma + 1);
  }
}

Target Target::detect() {
  for (const char *variable : {"FAIRLEAD_TARGET", "CUTE_DSL_ARCH"})
    if (const char *value = std::getenv(variable); value && *value)
      return parse(value, std::string("environment variable ") + variable);
  if (std::string arch = cuda::deviceArch(0); !arch.empty())
    return cuda(arch);
  return cpu();
}

} // namespace fairlead
