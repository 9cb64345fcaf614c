/// FairleadCpuLevel: which code of an artifact this processor can run. The cores of this process.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string_view>

#include "fairlead/Runtime.h"
#include "runtime/cpu/WorkPool.h"

namespace fairlead::cpu {
namespace {

#if defined(__x86_64__)
/// Returns the level of the x86-64 psABI that this machine has. The compiler's query counts vector
/// features only if the operating system saves their registers.
int machineLevel() {
  __builtin_cpu_init();
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
  if (!(HAS("sse3") && HAS("ssse3") && HAS("sse4.1") && HAS("sse4.2") && HAS("popcnt")))
    return 1;
  unsigned a, b, c, d;
  // LAHF in long mode, LZCNT, MOVBE: queries that older compilers do not know.
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(0x80000001u), "2"(0u));
  const bool lahf = c & 1u, lzcnt = c & (1u << 5);
  __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "0"(1u), "2"(0u));
  const bool movbe = c & (1u << 22), f16c = c & (1u << 29), cx16 = c & (1u << 13);
  if (!lahf || !cx16)
    return 1;
  if (!(HAS("avx") && HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("fma") && lzcnt && movbe &&
        f16c))
    return 2;
  if (!(HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") && HAS("avx512vl")))
    return 3;
#undef HAS
  return 4;
}
#else
int machineLevel() { return 0; }
#endif

/// "3", "v3", "x86-64-v3"; "x86-64" is 1. 0 for other texts.
int parseLevel(const char *text) {
  std::string_view level = text;
  if (level.starts_with("x86-64"))
    level.remove_prefix(6);
  if (level.empty())
    return 1;
  if (level.starts_with("-"))
    level.remove_prefix(1);
  if (level.starts_with("v"))
    level.remove_prefix(1);
  return level.size() == 1 && level[0] >= '1' && level[0] <= '4' ? level[0] - '0' : 0;
}

int askLevel() {
  int level = machineLevel();
  if (const char *limit = std::getenv("FAIRLEAD_CPU_LEVEL"); limit && *limit)
    if (int lower = parseLevel(limit))
      level = std::min(level, lower);
  return level;
}

} // namespace

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

int32_t FairleadCpuLevel(void) {
  static std::atomic<int32_t> cached{-1};
  int32_t level = cached.load(std::memory_order_relaxed);
  if (level < 0) {
    level = fairlead::cpu::askLevel();
    cached.store(level, std::memory_order_relaxed);
  }
  return level;
}
