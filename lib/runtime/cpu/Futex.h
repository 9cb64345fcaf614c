/// Sleeping on a 32-bit word. std::atomic's wait cannot wake a chosen number of threads.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_FUTEX_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace fairlead::cpu {

/// Sleeps while `word` is `value`; may return early, so callers loop.
inline void futexWait(const std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void futexWake(const std::atomic<uint32_t> &word, uint32_t count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_FUTEX_H_
