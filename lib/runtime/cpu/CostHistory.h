/// The cost of a block in each kernel's last run. It separates small launches from ones worth
/// sharing.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_COSTHISTORY_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_COSTHISTORY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace fairlead::cpu {

/// A lossy table: kernels whose addresses fall on one slot overwrite each other, which costs time
/// on a wrong guess and nothing else.
class CostHistory {
public:
  /// Ticks of one block of the kernel at `address`; 0 when not known.
  uint32_t ticksPerBlock(const void *address) const {
    uint64_t entry = slot(address).load(std::memory_order_relaxed);
    return tag(address) == static_cast<uint32_t>(entry >> 32) ? static_cast<uint32_t>(entry) : 0;
  }

  void record(const void *address, uint64_t ticks, uint64_t blocks) {
    uint64_t each = std::clamp<uint64_t>(ticks / blocks, 1, UINT32_MAX);
    uint64_t entry = uint64_t(tag(address)) << 32 | each;
    // Storing only what changed much keeps the line shared between threads.
    uint32_t known = ticksPerBlock(address);
    if (known == 0 || each > known + known / 4 || each + each / 4 < known)
      slot(address).store(entry, std::memory_order_relaxed);
  }

private:
  static constexpr size_t kSlots = 256;

  static uint64_t hash(const void *address) {
    return (reinterpret_cast<uintptr_t>(address) >> 4) * 0x9E3779B97F4A7C15u;
  }
  static uint32_t tag(const void *address) { return static_cast<uint32_t>(hash(address)) | 1; }
  std::atomic<uint64_t> &slot(const void *address) { return slots[hash(address) >> 56]; }
  const std::atomic<uint64_t> &slot(const void *address) const {
    return slots[hash(address) >> 56];
  }

  std::atomic<uint64_t> slots[kSlots] = {};
};

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_COSTHISTORY_H_
