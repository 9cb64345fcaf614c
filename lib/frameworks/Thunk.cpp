#include "frameworks/Thunk.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace fairlead::frameworks {
namespace {

/// The data that the code of a thunk reads, at a fixed distance from it. These pages stay writable,
/// so no page is ever writable while its code runs.
struct Slot {
  void *context, *target;
};

constexpr size_t kCodeBytes = 32; ///< of one thunk

#if defined(__x86_64__)
constexpr bool kKnowsProcessor = true;

/// endbr64; mov REG, [rip + context]; jmp [rip + target]
void writeThunk(uint8_t *code, const Slot *slot, int position) {
  constexpr uint8_t kMoves[][3] = {
      {0x48, 0x8b, 0x3d}, {0x48, 0x8b, 0x35}, {0x48, 0x8b, 0x15}, {0x48, 0x8b, 0x0d}};
  constexpr uint8_t kLand[] = {0xf3, 0x0f, 0x1e, 0xfa}, kJump[] = {0xff, 0x25};
  auto distance = [&](const void *place, const uint8_t *next) {
    return static_cast<int32_t>(reinterpret_cast<intptr_t>(place) -
                                reinterpret_cast<intptr_t>(next));
  };
  std::memset(code, 0xcc, kCodeBytes);
  std::memcpy(code, kLand, 4);
  std::memcpy(code + 4, kMoves[position], 3);
  int32_t toContext = distance(&slot->context, code + 11);
  std::memcpy(code + 7, &toContext, 4);
  std::memcpy(code + 11, kJump, 2);
  int32_t toTarget = distance(&slot->target, code + 17);
  std::memcpy(code + 13, &toTarget, 4);
}
#elif defined(__aarch64__)
constexpr bool kKnowsProcessor = true;

/// bti c; ldr xN, context; ldr x16, target; br x16
void writeThunk(uint8_t *code, const Slot *slot, int position) {
  auto load = [&](int reg, const void *place, const uint8_t *at) {
    int64_t words = (reinterpret_cast<intptr_t>(place) - reinterpret_cast<intptr_t>(at)) / 4;
    return 0x58000000u | (static_cast<uint32_t>(words) & 0x7ffff) << 5 | static_cast<uint32_t>(reg);
  };
  const uint32_t words[] = {0xd503245f, load(position, &slot->context, code + 4),
                            load(16, &slot->target, code + 8), 0xd61f0200};
  std::memcpy(code, words, sizeof words);
}
#else
constexpr bool kKnowsProcessor = false;
void writeThunk(uint8_t *, const Slot *, int) {}
#endif

/// Thunks that take their context at one position, made many at a time.
class Thunks {
public:
  void *make(void *target, void *context, int position) {
    if (free == count && !addChunk(position))
      return nullptr;
    slots[free] = {context, target};
    return code + kCodeBytes * free++;
  }

private:
  /// Pages of code, then those of its slots.
  bool addChunk(int position) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    // AArch64 reaches 1 MiB.
    const size_t codeBytes = page < 65536 ? 65536 : page, slotBytes = codeBytes / 2;
    const size_t chunkBytes = codeBytes + (slotBytes + page - 1) / page * page;
    void *memory =
        mmap(nullptr, chunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    auto *newCode = static_cast<uint8_t *>(memory);
    auto *newSlots = reinterpret_cast<Slot *>(newCode + codeBytes);
    for (size_t i = 0; i < codeBytes / kCodeBytes; ++i)
      writeThunk(newCode + i * kCodeBytes, newSlots + i, position);
    if (mprotect(memory, codeBytes, PROT_READ | PROT_EXEC)) {
      munmap(memory, chunkBytes);
      return false;
    }
    __builtin___clear_cache(reinterpret_cast<char *>(newCode),
                            reinterpret_cast<char *>(newCode + codeBytes));
    code = newCode, slots = newSlots, free = 0, count = codeBytes / kCodeBytes;
    return true;
  }

  uint8_t *code = nullptr;
  Slot *slots = nullptr;
  size_t free = 0, count = 0;
};

} // namespace

void *makeThunk(void *target, void *context, int position) noexcept {
  static std::mutex mutex;
  static Thunks byPosition[4];
  if (!kKnowsProcessor || position < 0 || position > 3)
    return nullptr;
  std::lock_guard lock(mutex);
  return byPosition[position].make(target, context, position);
}

} // namespace fairlead::frameworks
