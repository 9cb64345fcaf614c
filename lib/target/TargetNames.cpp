/// Targets by their names, and the machine's own.
#include "fairlead/Target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "cuda/Arch.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Device.h"

namespace fairlead {
namespace {

constexpr std::array<std::string_view, 4> kLevels = {"x86-64", "x86-64-v2", "x86-64-v3",
                                                     "x86-64-v4"};

/// A compute capability that the compiler knows, and the suffixes with which it has more: a for the
/// very architecture, f for its family.
struct KnownArch {
  std::string_view number, suffixes;
};
constexpr KnownArch kArchs[] = {
    {"50", ""},    {"52", ""},    {"53", ""},   {"60", ""},    {"61", ""},    {"62", ""},
    {"70", ""},    {"72", ""},    {"75", ""},   {"80", ""},    {"86", ""},    {"87", ""},
    {"88", ""},    {"89", ""},    {"90", "a"},  {"100", "af"}, {"101", "af"}, {"103", "af"},
    {"110", "af"}, {"120", "af"}, {"121", "af"}};

bool isArch(std::string_view text, bool ptx) {
  auto image = cuda::parseImageArch(text);
  return image && image->ptx == ptx;
}

/// Of a text for which isArch holds: throws where no such GPU is known. `got` and `origin` are
/// those of the whole target.
void requireKnown(std::string_view text, std::string_view prefix, std::string_view got,
                  std::string_view origin) {
  std::string known;
  auto matches = [&](const std::string &name) {
    known += (known.empty() ? "" : ", ") + name;
    return name == text;
  };
  for (const KnownArch &arch : kArchs) {
    std::string name = std::string(prefix).append(arch.number);
    if (matches(name))
      return;
    for (char suffix : arch.suffixes)
      if (matches(name + suffix))
        return;
  }
  throw makeError(
      Diagnostic::TargetArch,
      {{"got", std::string(got)}, {"origin", std::string(origin)}, {"known", std::move(known)}});
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
    return {Kind::Cpu, ""};
  if (text.starts_with("cpu:") &&
      std::find(kLevels.begin(), kLevels.end(), text.substr(4)) != kLevels.end())
    return {Kind::Cpu, std::string(text.substr(4))};
  if (text == "cuda") {
    std::string arch = cuda::deviceArch(0);
    if (arch.empty())
      throw makeError(Diagnostic::TargetNoGpu,
                      {{"got", std::string(text)}, {"origin", std::string(origin)}});
    return {Kind::Cuda, arch};
  }
  std::string_view ptx = text.starts_with("ptx:") ? text.substr(4) : text;
  if (isArch(ptx, /*ptx=*/true)) {
    requireKnown(ptx, "compute_", text, origin);
    return {Kind::Cuda, std::string(ptx)};
  }
  std::string_view arch = text.starts_with("cuda:") ? text.substr(5) : text;
  if (!isArch(arch, /*ptx=*/false))
    throw makeError(Diagnostic::TargetUnknown,
                    {{"got", std::string(text)}, {"origin", std::string(origin)}});
  requireKnown(arch, "sm_", text, origin);
  return {Kind::Cuda, std::string(arch)};
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
        add({Kind::Cpu, std::string(level)});
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
    return {Kind::Cuda, arch};
  return {Kind::Cpu, ""};
}

} // namespace fairlead
