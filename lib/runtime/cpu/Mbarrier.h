/// Barriers in shared memory that count arrivals and bytes, as kernels compiled for the CPU have
/// them. A block's threads run in turns: nothing is atomic.
#pragma once

#include <cstdint>

namespace fairlead::cpu {

/// The 8 bytes. A phase ends when no arrival is pending and all bytes that were announced have
/// come.
struct Mbarrier {
  uint64_t phase : 1;     ///< parity of the phase that is open
  uint64_t expected : 20; ///< arrivals of a phase
  uint64_t pending : 20;
  int64_t bytes : 23; ///< announced and not come; below 0 where they came first

  void init(int32_t arrivals) {
    phase = 0;
    expected = pending = static_cast<uint32_t>(arrivals);
    bytes = 0;
  }
  void arrive(int32_t count) {
    pending -= static_cast<uint32_t>(count);
    endPhase();
  }
  void expect(int32_t count) { bytes += count; }
  void complete(int32_t count) {
    bytes -= count;
    endPhase();
  }
  /// True if the last phase of this parity has ended.
  bool hasEnded(int32_t parity) const { return phase != (static_cast<uint32_t>(parity) & 1u); }

private:
  void endPhase() {
    if (pending == 0 && bytes == 0) {
      phase ^= 1;
      pending = expected;
    }
  }
};
static_assert(sizeof(Mbarrier) == 8);

} // namespace fairlead::cpu
