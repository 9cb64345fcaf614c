#include "fairlead/SharedMemory.h"

namespace fairlead {
namespace {

constexpr int64_t kKiB = 1024;

constexpr SharedCapacity kCapacities[] = {
    {"sm_70", 96 * kKiB},   {"sm_75", 64 * kKiB},   {"sm_80", 163 * kKiB},  {"sm_86", 99 * kKiB},
    {"sm_87", 163 * kKiB},  {"sm_89", 99 * kKiB},   {"sm_90", 227 * kKiB},  {"sm_100", 227 * kKiB},
    {"sm_101", 227 * kKiB}, {"sm_103", 227 * kKiB}, {"sm_110", 227 * kKiB}, {"sm_120", 99 * kKiB},
    {"sm_121", 99 * kKiB}};

} // namespace

std::vector<SharedCapacity> sharedCapacities() {
  return {std::begin(kCapacities), std::end(kCapacities)};
}

std::optional<int64_t> sharedCapacity(const Target &target) {
  std::string_view name = target.arch;
  if (name.ends_with('a') || name.ends_with('f'))
    name.remove_suffix(1);
  for (const SharedCapacity &each : kCapacities)
    if (each.arch == name)
      return each.bytes;
  return std::nullopt;
}

} // namespace fairlead
