/// A clock cheap enough to read between blocks: the cycle or system counter of the CPU.
#pragma once

#include <chrono>
#include <cstdint>

namespace fairlead::cpu {

/// Monotonic on one thread; the unit is the machine's.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// About ten microseconds in ticks. Only compared against, so a factor of two does not matter.
inline uint64_t shortTicks() {
#if defined(__x86_64__)
  return 25000; // the time-stamp counter runs at 2 to 4 GHz
#elif defined(__aarch64__)
  uint64_t hertz;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz / 100000;
#else
  return 10000;
#endif
}

/// Tells the core that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

} // namespace fairlead::cpu
