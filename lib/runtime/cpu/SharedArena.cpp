#include "runtime/cpu/SharedArena.h"

#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

namespace fairlead::cpu {
namespace {

constexpr size_t kAlignment = 1024; // what kernels may count on

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Memory whose addresses have 32 low bits below 256 KiB, as those of shared memory on GPUs:
/// programs put these bits into descriptors beside other fields. Where the system has no such
/// address, any memory.
class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { free(); }

  void allocate(size_t bytes) {
    free();
    size = kFirst + rounded(bytes);
    void *all = mmap(nullptr, kSpan + size, PROT_NONE, kFlags, -1, 0);
    if (all == MAP_FAILED) {
      begin = std::aligned_alloc(kAlignment, rounded(bytes));
      return;
    }
    const auto low = reinterpret_cast<uintptr_t>(all), end = low + kSpan + size,
               at = (low + kSpan - 1) / kSpan * kSpan;
    munmap(all, at - low);
    munmap(reinterpret_cast<void *>(at + size), end - at - size);
    mapped = reinterpret_cast<char *>(at);
    if (mprotect(mapped, size, PROT_READ | PROT_WRITE) == 0)
      begin = mapped + kFirst;
  }
  void *data() const { return begin; }

private:
  static constexpr uint64_t kSpan = uint64_t{1} << 32;
  static constexpr size_t kFirst = kAlignment; ///< the address 0 is none
  static constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

  void free() {
    if (mapped)
      munmap(mapped, size);
    else
      std::free(begin);
    begin = nullptr;
    mapped = nullptr;
  }

  void *begin = nullptr;
  char *mapped = nullptr; ///< null for memory of the C library
  size_t size = 0;
};

struct Arena {
  Memory memory;
  size_t capacity = 0;
  bool lent = false;
};

thread_local Arena arena;

} // namespace

void SharedArenaScope::acquire(size_t bytes) {
  if (arena.lent) {
    memory = std::aligned_alloc(kAlignment, rounded(bytes));
    isPrivate = true;
    return;
  }
  if (arena.capacity < bytes) {
    arena.memory.allocate(bytes);
    arena.capacity = arena.memory.data() ? bytes : 0;
  }
  memory = arena.memory.data();
  arena.lent = memory != nullptr;
}

void SharedArenaScope::release() {
  if (isPrivate)
    std::free(memory);
  else
    arena.lent = false;
}

} // namespace fairlead::cpu
