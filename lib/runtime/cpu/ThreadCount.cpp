#include "runtime/cpu/ThreadCount.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace fairlead::cpu {

unsigned parseThreadCount(const char *text, unsigned cores) {
  if (!text || !*text)
    return cores;
  unsigned value = 0;
  const char *end = text + std::strlen(text);
  auto [rest, failure] = std::from_chars(text, end, value);
  return failure == std::errc() && rest == end && value <= kMaxThreads ? value : 0;
}

unsigned availableCores() {
  // The kernel refuses a set smaller than its own, whose size it does not tell: grow until it fits.
  for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 4) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set)
      break;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0)
      return std::min(static_cast<unsigned>(count), kMaxThreads);
  }
  return 1;
}

} // namespace fairlead::cpu
