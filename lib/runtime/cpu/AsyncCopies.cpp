/// Copies of boxes of tensors and of neighbouring bytes, and the barriers that count them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/DelayedWork.h"
#include "runtime/cpu/LaunchObserver.h"
#include "runtime/cpu/Mbarrier.h"
#include "runtime/cpu/NarrowNumbers.h"
#include "runtime/cpu/TensorMemory.h"

namespace fairlead::cpu {
namespace {

constexpr int kUnit = 16; ///< bytes that stay together in swizzled shared memory

/// The place in shared memory of byte `offset` of a box.
char *placeOf(void *shared, int64_t offset, int swizzle) {
  auto address = reinterpret_cast<uintptr_t>(shared) + static_cast<uintptr_t>(offset);
  constexpr int kWideSwizzle = 4; // 32 bytes stay together
  uintptr_t mask = (uintptr_t{1} << swizzle) - 1;
  return reinterpret_cast<char *>(
      address ^ (swizzle == kWideSwizzle ? (address >> 7 & 3) << 5 : (address >> 7 & mask) << 4));
}

/// Replaces the element at `target` by `combined(element, operand)` in one step, with the operand
/// at `source`: blocks on other threads may combine with the same element.
template <typename T, typename Combined>
void update(char *target, const char *source, Combined combined) {
  using Word = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  auto *word = reinterpret_cast<Word *>(target);
  T operand;
  std::memcpy(&operand, source, sizeof operand);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
  do
    after = std::bit_cast<Word>(combined(std::bit_cast<T>(before), operand));
  while (
      !__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

template <typename T> T combinedNumber(T a, T b, int kind) {
  constexpr int kAdd = 0, kMin = 1;
  return kind == kAdd ? static_cast<T>(a + b) : kind == kMin ? std::min(a, b) : std::max(a, b);
}

template <typename T> void combineAs(char *target, const char *source, int kind) {
  update<T>(target, source, [kind](T a, T b) { return combinedNumber(a, b, kind); });
}

template <typename T> void combineBits(char *target, const char *source, int kind) {
  update<T>(target, source, [kind](T a, T b) -> T {
    switch (kind) {
    case 3: // inc
      return a >= b ? 0 : a + 1;
    case 4: // dec
      return a == 0 || a > b ? b : a - 1;
    case 5:
      return a & b;
    case 6:
      return a | b;
    case 7:
      return a ^ b;
    default:
      return combinedNumber(a, b, kind);
    }
  });
}

template <typename Decode, typename Encode>
void combineNarrow(char *target, const char *source, int kind, Decode decode, Encode encode) {
  update<uint16_t>(target, source, [&](uint16_t a, uint16_t b) -> uint16_t {
    return encode(combinedNumber<float>(decode(a), decode(b), kind));
  });
}

/// By CUtensorMapDataType.
void combine(char *target, const char *source, int type, int kind) {
  switch (type) {
  case 2:
    return combineBits<uint32_t>(target, source, kind);
  case 3:
    return combineBits<int32_t>(target, source, kind);
  case 4:
    return combineBits<uint64_t>(target, source, kind);
  case 5:
    return combineBits<int64_t>(target, source, kind);
  case 6:
    return combineNarrow(target, source, kind, floatOfHalf, halfOfFloat);
  case 7:
  case 11:
    return combineAs<float>(target, source, kind);
  case 8:
    return combineAs<double>(target, source, kind);
  case 9:
    return combineNarrow(target, source, kind, floatOfBrain, brainOfFloat);
  default:
    return;
  }
}

/// Elements of a box along dimension 0, if they are padded.
constexpr int kPaddedBox = 128;

/// Bits of an element that takes a byte of shared memory, of a CUtensorMapDataType; 0 for others.
int bitsOfPadded(int32_t type) { return type == 14 ? 4 : type == 15 ? 6 : 0; }

/// Bytes from a row of a box to the next one in shared memory: the width of the swizzle if the row
/// is narrower.
int64_t pitchOf(const FairleadTensorMap &map) {
  const int64_t row = int64_t{map.box[0]} * map.element_size;
  return map.swizzle ? std::max(row, int64_t{16} << std::min(map.swizzle, 3)) : row;
}

/// One row of a box along dimension 0, whose place in the tensor is `row`, where it is in it.
class BoxRow {
public:
  BoxRow(const FairleadTensorMap &map, void *shared, int32_t first, LaunchObserver *observer)
      : map(map), shared(shared), first(first), observer(observer) {}

  void copy(char *row, int64_t offset, int32_t action) const {
    if (int bits = bitsOfPadded(map.type))
      return loadPadded(row, offset, bits);
    const int size = map.element_size, count = map.box[0];
    const int perUnit = kUnit / size;
    for (int i = 0; i < count;) {
      int64_t at = int64_t{first} + i;
      bool together = row && i % perUnit == 0 && i + perUnit <= count && at >= 0 &&
                      at + perUnit <= map.extents[0] && action < kFairleadBoxReduce;
      int step = together ? perUnit : 1;
      bool inside = row && at >= 0 && at < map.extents[0];
      char *place = placeOf(shared, offset + int64_t{i} * size, map.swizzle);
      char *element = inside ? row + at * size : nullptr;
      size_t bytes = static_cast<size_t>(step) * size;
      if (action == kFairleadBoxLoad) {
        if (inside)
          std::memcpy(place, element, bytes);
        else
          std::memset(place, 0, bytes);
      } else if (inside) {
        if (observer)
          observer->storeValues(place, bytes);
        if (action == kFairleadBoxStore)
          std::memcpy(element, place, bytes);
        else
          combine(element, place, map.type, action - kFairleadBoxReduce);
      }
      i += step;
    }
  }

private:
  /// Loads elements of fewer bits than a byte: 16 of them begin at each unit, and zeros follow.
  void loadPadded(const char *row, int64_t offset, int bits) const {
    const int packed = kUnit * bits / 8;
    for (int i = 0; i < map.box[0]; i += kUnit) {
      const int64_t at = int64_t{first} + i;
      char *place = placeOf(shared, offset + i, map.swizzle);
      std::memset(place, 0, kUnit);
      if (row && at >= 0 && at + kUnit <= map.extents[0])
        std::memcpy(place, row + at * bits / 8, static_cast<size_t>(packed));
    }
  }

  const FairleadTensorMap &map;
  void *shared;
  int32_t first;
  LaunchObserver *observer; ///< of stores, or null
};

void copyBox(const FairleadTensorMap &map, void *shared, int32_t action, const int32_t (&place)[5],
             LaunchObserver *observer) {
  int32_t extents[5] = {1, 1, 1, 1, 1};
  for (int d = 0; d < map.rank; ++d)
    extents[d] = map.box[d];
  BoxRow row(map, shared, place[0], observer);
  int64_t offset = 0;
  int32_t i[5] = {};
  for (i[4] = 0; i[4] < extents[4]; ++i[4])
    for (i[3] = 0; i[3] < extents[3]; ++i[3])
      for (i[2] = 0; i[2] < extents[2]; ++i[2])
        for (i[1] = 0; i[1] < extents[1]; ++i[1]) {
          char *memory = static_cast<char *>(map.address);
          for (int d = 1; d < map.rank && memory; ++d) {
            int64_t at = int64_t{place[d]} + i[d];
            bool inside = at >= 0 && at < map.extents[d];
            memory = inside ? memory + at * map.strides[d - 1] : nullptr;
          }
          row.copy(memory, offset, action);
          offset += pitchOf(map);
        }
}

void complete(void *barrier, int64_t bytes) {
  if (!barrier)
    return;
  if (Cluster *cluster = blockInCluster().cluster)
    cluster->noteBytes(barrier, bytes);
  static_cast<Mbarrier *>(barrier)->complete(static_cast<int32_t>(bytes));
}

} // namespace
} // namespace fairlead::cpu

void FairleadCpuMbarrier(void *barrier, int32_t action, int32_t number) {
  auto &state = *static_cast<fairlead::cpu::Mbarrier *>(barrier);
  switch (action) {
  case kFairleadMbarrierInit:
    if (fairlead::cpu::Cluster *cluster = fairlead::cpu::blockInCluster().cluster)
      cluster->noteInit(barrier);
    return state.init(number);
  case kFairleadMbarrierArrive: // also a commit of earlier products
    return fairlead::cpu::DelayedWork::follow([&state, number] { state.arrive(number); });
  case kFairleadMbarrierArriveExpect:
    return fairlead::cpu::DelayedWork::follow([&state, number] {
      state.expect(number);
      state.arrive(1);
    });
  case kFairleadMbarrierExpect:
    return state.expect(number);
  case kFairleadMbarrierComplete:
    return fairlead::cpu::complete(barrier, number);
  default:
    return;
  }
}

/// A check has reported memory that does not exist, whose address is null here: only the barrier is
/// told.
static void copyNow(const FairleadTensorMap *map, void *shared, void *barrier, int32_t action,
                    int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4) {
  using namespace fairlead::cpu;
  int64_t bytes = map->element_size;
  for (int d = 0; d < map->rank; ++d)
    bytes *= map->box[d];
  LaunchObserver *observer =
      action == kFairleadBoxLoad || !shared ? nullptr : LaunchObserver::ofThreads();
  if (observer)
    observer->readByStore(
        static_cast<char *>(shared),
        static_cast<size_t>(bytes / (map->box[0] * map->element_size) * pitchOf(*map)));
  const int bits = bitsOfPadded(map->type);
  if (bits && c0 % kPaddedBox)
    ownTensorMemory().noteProblem("loads padded elements from coordinate " + std::to_string(c0) +
                                  " of dimension 0, which is no multiple of 128");
  if (shared)
    copyBox(*map, shared, action, {c0, c1, c2, c3, c4}, observer);
  if (observer)
    observer->endIssue();
  // Barriers count the bytes that are read from global memory.
  complete(barrier, bits ? bytes * bits / 8 : bytes);
}

/// Notes a problem for a map that a kernel gave an extent of 0, which GPUs cannot represent.
static void requireExtents(const FairleadTensorMap &map) {
  for (int d = 0; d < map.rank; ++d)
    if (map.extents[d] == 0) [[unlikely]]
      return fairlead::cpu::ownTensorMemory().noteProblem(
          "copies by a tensor map with an extent of 0, which a GPU reads as 2^32");
}

/// Stores take place where they are issued: no mbarrier tells when they are done.
void FairleadCpuTensorCopy(const FairleadTensorMap *map, void *shared, void *barrier,
                           int32_t action, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
                           int32_t c4) {
  requireExtents(*map);
  if (!barrier)
    return copyNow(map, shared, barrier, action, c0, c1, c2, c3, c4);
  fairlead::cpu::DelayedWork::issue([map = *map, shared, barrier, action, c0, c1, c2, c3, c4] {
    copyNow(&map, shared, barrier, action, c0, c1, c2, c3, c4);
  });
}

static void copyBytesNow(void *target, const void *source, int32_t bytes, void *barrier) {
  using namespace fairlead::cpu;
  const auto size = static_cast<size_t>(bytes);
  if (!target || !source) // as above
    return complete(barrier, bytes);
  if (LaunchObserver *observer = barrier ? nullptr : LaunchObserver::ofThreads()) {
    observer->readByStore(static_cast<const char *>(source), size);
    observer->storeValues(static_cast<const char *>(source), size);
    observer->endIssue();
  }
  std::memcpy(target, source, size);
  complete(barrier, bytes);
}

void FairleadCpuBulkCopy(void *target, const void *source, int32_t bytes, void *barrier) {
  if (!barrier)
    return copyBytesNow(target, source, bytes, barrier);
  fairlead::cpu::DelayedWork::issue([=] { copyBytesNow(target, source, bytes, barrier); });
}
