#include "runtime/cuda/Arch.h"

#include <algorithm>
#include <tuple>

#include "fairlead/GpuArch.h"

namespace fairlead::cuda {

std::optional<ImageArch> parseImageArch(std::string_view text) {
  ImageArch image;
  if (text.starts_with("sm_")) {
    text.remove_prefix(3);
  } else if (text.starts_with("compute_")) {
    text.remove_prefix(8);
    image.ptx = true;
  } else {
    return std::nullopt;
  }
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    image.arch.suffix = text.back();
    text.remove_suffix(1);
  }
  if (text.size() < 2 || text.size() > 4)
    return std::nullopt;
  int number = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    number = number * 10 + (c - '0');
  }
  image.arch.major = number / 10;
  image.arch.minor = number % 10;
  return image;
}

std::string capabilityName(const Arch &device) {
  return "sm_" + std::to_string(device.major) + std::to_string(device.minor);
}

std::string targetName(const Arch &device) {
  std::vector<std::string> names;
  for (const char *prefix : {"sm_", "compute_"})
    for (const GpuArch &arch : gpuArchs())
      if (arch.compiles())
        names.push_back(prefix + std::string(arch.name));
  std::vector<int> order = rankImages(names, device);
  return order.empty() ? capabilityName(device) : names[order.front()];
}

bool runsOn(const ImageArch &image, const Arch &device) {
  const Arch &arch = image.arch;
  const int compiled = 10 * arch.major + arch.minor, here = 10 * device.major + device.minor;
  if (arch.suffix == 'a')
    return compiled == here;
  if (arch.suffix == 'f')
    return gpuFamily(compiled) == gpuFamily(here) && compiled <= here;
  if (!image.ptx)
    return arch.major == device.major && compiled <= here;
  return compiled <= here;
}

std::vector<int> rankImages(const std::vector<std::string> &names, const Arch &device) {
  struct Candidate {
    ImageArch image;
    int index;
  };
  std::vector<Candidate> fitting;
  for (size_t i = 0; i < names.size(); ++i)
    if (auto image = parseImageArch(names[i]); image && runsOn(*image, device))
      fitting.push_back({*image, static_cast<int>(i)});
  auto key = [](const Candidate &c) {
    const Arch &arch = c.image.arch;
    int specific = arch.suffix == 'a' ? 2 : arch.suffix == 'f' ? 1 : 0;
    return std::make_tuple(c.image.ptx, -arch.major, -arch.minor, -specific);
  };
  std::stable_sort(fitting.begin(), fitting.end(),
                   [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  std::vector<int> order;
  for (const Candidate &candidate : fitting)
    order.push_back(candidate.index);
  return order;
}

} // namespace fairlead::cuda
