/// The CPU's execution order of blocks, and of threads between synchronization points. Programs
/// may not rely on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "fairlead/CheckCpu.h"

namespace fairlead::cpu {

/// The schedule that FairleadLaunch::flags requests (`--schedule`).
class Schedule {
public:
  explicit Schedule(const FairleadLaunch &launch)
      : kind(static_cast<uint32_t>(launch.flags) >> kFairleadLaunchSchedule) {}

  explicit operator bool() const { return kind != 0; }

  /// The numbers from 0 to `count` in this order. `salt` tells orders of one random schedule apart.
  std::vector<size_t> order(size_t count, uint64_t salt = 0) const {
    std::vector<size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    if (kind == kFairleadScheduleBackward)
      std::reverse(numbers.begin(), numbers.end());
    if (kind >= kFairleadScheduleRandom) {
      // Not std::shuffle, whose result differs between libraries.
      std::mt19937_64 random((salt + 1) * 0x9e3779b97f4a7c15 + kind);
      for (size_t left = count; left > 1; --left)
        std::swap(numbers[left - 1], numbers[random() % left]);
    }
    return numbers;
  }

private:
  uint32_t kind;
};

} // namespace fairlead::cpu
