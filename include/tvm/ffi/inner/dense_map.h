/// The map of any number of entries: an open hash table whose entries with one start place form a
/// chain. One byte a place tells how far the chain's next entry is.
///
/// Code of other libraries reads and writes the same tables: layout, start places and jumps are
/// part of the ABI.
#ifndef TVM_FFI_INNER_DENSE_MAP_H_
#define TVM_FFI_INNER_DENSE_MAP_H_

#include <tvm/ffi/inner/small_map.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace tvm {
namespace ffi {
namespace inner {

/// A dense map's cells. A small map's entries may lie where the last three are.
struct DenseCells : MapCells {
  uint32_t fib_shift; ///< 64 - log2(slots)
  uint64_t head;      ///< the entry that was inserted first
  uint64_t tail;      ///< and last
};
static_assert(sizeof(DenseCells) == 56, "layout of maps");

struct DenseItem {
  MapEntry entry;
  uint64_t prev; ///< in the order of insertion
  uint64_t next;
};
static_assert(sizeof(DenseItem) == 48, "layout of maps");

constexpr uint64_t kDenseBlockSize = 16;

struct DenseBlock {
  uint8_t metadata[kDenseBlockSize];
  alignas(DenseItem) unsigned char items[kDenseBlockSize][sizeof(DenseItem)];
};
static_assert(sizeof(DenseBlock) == 784, "layout of maps");

/// How far the jumps of a chain go, by the low seven bits of a place's byte; 0 ends the chain.
struct DenseJumps {
  static constexpr int kCount = 126;
  uint64_t distance[kCount];

  constexpr DenseJumps() : distance() {
    for (int i = 0; i < 16; ++i)
      distance[i] = static_cast<uint64_t>(i);
    for (int i = 16; i <= 82; ++i)
      distance[i] = triangular(static_cast<uint64_t>(i - 10));
    constexpr uint64_t kSteps[] = {
        130,        195,        292,       438,       657,       986,       1478,      2217,
        3326,       4988,       7482,      11223,     16835,     25252,     37877,     56816,
        85223,      127835,     191752,    287627,    431440,    647160,    970740,    1456110,
        2184165,    3276247,    4914370,   7371555,   11057333,  16585999,  24878998,  37318497,
        55977745,   83966618,   125949926, 188924889, 283387334, 425081001, 637621501, 956432251,
        1434648376, 2151972564, 3227958845};
    for (int i = 83; i < kCount; ++i)
      distance[i] = triangular(kSteps[i - 83]);
  }
  static constexpr uint64_t triangular(uint64_t n) {
    return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
  }
};
inline constexpr DenseJumps kDenseJumps{};

/// Reads and writes a dense map.
class DenseMap {
public:
  explicit DenseMap(MapCells &cells) : cells(static_cast<DenseCells &>(cells)) {}

  /// The places of a table that is made for `count` entries.
  static uint64_t slotsFor(uint64_t count) {
    uint64_t slots = 1;
    while (slots <= count)
      slots <<= 1;
    return slots < count * 2 ? slots * 2 : slots;
  }
  /// Makes an empty table of `slots` places, a power of two that is at least 2.
  static void init(DenseCells &cells, uint64_t slots) {
    uint64_t count = (slots + kDenseBlockSize - 1) / kDenseBlockSize;
    auto *blocks = static_cast<DenseBlock *>(std::malloc(count * sizeof(DenseBlock)));
    if (!blocks)
      throw std::bad_alloc();
    for (uint64_t i = 0; i < count; ++i)
      std::memset(blocks[i].metadata, kEmpty, kDenseBlockSize);
    cells.data = blocks;
    cells.size = 0;
    cells.slots = slots;
    cells.data_deleter = [](void *data) { std::free(data); };
    cells.fib_shift = 64;
    while (slots >>= 1)
      --cells.fib_shift;
    cells.head = cells.tail = kNoMapEntry;
  }

  MapEntry &entry(uint64_t at) const { return item(at).entry; }
  uint64_t first() const { return cells.head; }
  uint64_t last() const { return cells.tail; }
  uint64_t next(uint64_t at) const { return item(at).next; }
  uint64_t prev(uint64_t at) const { return item(at).prev; }

  /// The entry of a key, kNoMapEntry where it has none.
  uint64_t find(const TVMFFIAny &key) const {
    uint64_t at = startOf(key);
    uint8_t tag = meta(at);
    if (!isHead(tag))
      return kNoMapEntry;
    while (!equalValues(key, rawOf(entry(at).first))) {
      if ((tag & kJumpMask) == 0)
        return kNoMapEntry;
      at = jumped(at, tag);
      tag = meta(at);
    }
    return at;
  }

  /// Gives a key its value, and leaves None in `entry`. A key that is there moves to the end of the
  /// order.
  void insert(MapEntry &&entry) {
    for (;;) {
      Outcome outcome = tryInsert(&entry, startOf(rawOf(entry.first)));
      if (outcome == Outcome::Placed)
        new (&entry) MapEntry(); // what was here is in the table
      if (outcome != Outcome::NoRoom)
        return;
      rebuild(cells.slots * 2);
    }
  }

  void erase(uint64_t at) {
    // Nothing may throw from here on: the hash of a chain's start is taken first.
    bool isTail = !isHead(meta(at)) && (meta(at) & kJumpMask) == 0;
    uint64_t before = isTail ? predecessor(at) : kNoMapEntry;
    MapEntry gone = std::move(entry(at));
    entry(at).~MapEntry();
    unlink(at);
    --cells.size;
    uint64_t end = at;
    if (isTail) {
      setJump(before, 0);
    } else if (meta(at) & kJumpMask) {
      // The chain's last entry comes here.
      while (meta(end) & kJumpMask) {
        before = end;
        end = jumped(end, meta(end));
      }
      move(end, at);
      setJump(before, 0);
    }
    meta(end) = kEmpty;
  }

  /// Ends every entry; the table is empty, of the same size.
  void clear() {
    destroyEntries();
    uint64_t count = (cells.slots + kDenseBlockSize - 1) / kDenseBlockSize;
    for (uint64_t i = 0; i < count; ++i)
      std::memset(static_cast<DenseBlock *>(cells.data)[i].metadata, kEmpty, kDenseBlockSize);
    cells.head = cells.tail = kNoMapEntry;
  }
  /// Ends every entry of a table that is not used any more.
  void destroyEntries() {
    // Of a table that other code moved out of, only the size is told.
    if (cells.size == 0)
      return;
    if (cells.size > cells.slots / 8) {
      // By places: memory is read in its order.
      for (uint64_t at = 0; at < cells.slots; ++at)
        if (meta(at) < kProtected)
          entry(at).~MapEntry();
    } else {
      for (uint64_t at = cells.head; at != kNoMapEntry;) {
        DenseItem &gone = item(at);
        at = gone.next;
        gone.entry.~MapEntry();
      }
    }
    cells.size = 0;
  }

private:
  // A place's byte: empty, or whether its entry starts a chain and the jump to the chain's next.
  static constexpr uint8_t kEmpty = 0xFF;
  static constexpr uint8_t kProtected = 0xFE; ///< empty, but not to be given out yet
  static constexpr uint8_t kTailBit = 0x80;
  static constexpr uint8_t kJumpMask = 0x7F;

  enum class Outcome { Placed, Updated, NoRoom };

  DenseBlock &block(uint64_t at) const {
    return static_cast<DenseBlock *>(cells.data)[at / kDenseBlockSize];
  }
  uint8_t &meta(uint64_t at) const { return block(at).metadata[at % kDenseBlockSize]; }
  DenseItem &item(uint64_t at) const {
    return *reinterpret_cast<DenseItem *>(block(at).items[at % kDenseBlockSize]);
  }
  uint64_t startOf(const TVMFFIAny &key) const {
    return (11400714819323198485u * hashValue(key)) >> cells.fib_shift;
  }
  static bool isHead(uint8_t tag) { return (tag & kTailBit) == 0; }
  void setJump(uint64_t at, uint8_t jump) {
    meta(at) = static_cast<uint8_t>((meta(at) & kTailBit) | jump);
  }
  uint64_t jumped(uint64_t at, uint8_t tag) const {
    return (at + kDenseJumps.distance[tag & kJumpMask]) & (cells.slots - 1);
  }
  bool full() const {
    return static_cast<double>(cells.size + 1) > static_cast<double>(cells.slots) * 0.99;
  }
  /// The first empty place that a jump from `at` reaches; 0 where there is none.
  uint8_t jumpToEmpty(uint64_t at) const {
    for (uint8_t jump = 1; jump < DenseJumps::kCount; ++jump)
      if (meta(jumped(at, jump)) == kEmpty)
        return jump;
    return 0;
  }
  /// The entry whose jump leads to `at`, which does not start its chain.
  uint64_t predecessor(uint64_t at) const {
    uint64_t before = startOf(rawOf(entry(at).first));
    for (;;) {
      uint64_t following = jumped(before, meta(before));
      if (following == at)
        return before;
      before = following;
    }
  }

  // The order of insertion.
  void linkLast(uint64_t at) {
    item(at).prev = cells.tail;
    item(at).next = kNoMapEntry;
    (cells.tail == kNoMapEntry ? cells.head : item(cells.tail).next) = at;
    cells.tail = at;
  }
  void relink(const DenseItem &links, uint64_t forPrev, uint64_t forNext) {
    (links.prev == kNoMapEntry ? cells.head : item(links.prev).next) = forPrev;
    (links.next == kNoMapEntry ? cells.tail : item(links.next).prev) = forNext;
  }
  void unlink(uint64_t at) { relink(item(at), item(at).next, item(at).prev); }
  /// Moves an entry to a place without one, with its position in the order.
  void move(uint64_t from, uint64_t to) {
    relocate(&item(to), &item(from));
    relink(item(to), to, to);
  }

  /// Takes the bytes of a new entry over.
  void place(uint64_t at, MapEntry *entry, uint8_t tag) {
    relocate(&item(at).entry, entry);
    meta(at) = tag;
    linkLast(at);
    ++cells.size;
  }

  /// `at` is the start of the key's chain. `entry` is without a value after Placed: its bytes are
  /// in the table.
  Outcome tryInsert(MapEntry *entry, uint64_t at) {
    uint8_t tag = meta(at);
    if (tag == kEmpty) {
      place(at, entry, 0);
      return Outcome::Placed;
    }
    if (!isHead(tag)) {
      if (full() || !vacate(at))
        return Outcome::NoRoom;
      place(at, entry, 0);
      return Outcome::Placed;
    }
    for (;; at = jumped(at, tag), tag = meta(at)) {
      DenseItem &found = item(at);
      if (equalValues(rawOf(entry->first), rawOf(found.entry.first))) {
        std::swap(found.entry.second, entry->second);
        unlink(at);
        linkLast(at);
        return Outcome::Updated;
      }
      if ((tag & kJumpMask) == 0)
        break;
    }
    uint8_t jump = full() ? 0 : jumpToEmpty(at);
    if (jump == 0)
      return Outcome::NoRoom;
    place(jumped(at, jump), entry, kTailBit);
    setJump(at, jump);
    return Outcome::Placed;
  }

  /// Moves the rest of another chain away, which starts at `target`: an entry is to start its own
  /// chain there.
  bool vacate(uint64_t target) {
    uint64_t before = predecessor(target);
    uint64_t from = target;
    for (bool first = true;; first = false) {
      uint8_t jump = jumpToEmpty(before);
      if (jump == 0)
        return false; // the caller builds the table anew, by the order of entries, which is whole
      uint64_t to = jumped(before, jump);
      uint8_t tag = meta(from);
      move(from, to);
      meta(to) = kTailBit;
      meta(from) = first ? kProtected : kEmpty;
      setJump(before, jump);
      before = to;
      if ((tag & kJumpMask) == 0)
        return true;
      from = jumped(from, tag);
    }
  }
  /// Moves all entries to a table of `slots` places, or of more where they do not fit.
  void rebuild(uint64_t slots) {
    DenseCells fresh;
    for (;; slots *= 2) {
      init(fresh, slots);
      try {
        if (DenseMap(fresh).takeAll(*this))
          break;
      } catch (...) { // from a hook; the old table still has everything
        std::free(fresh.data);
        throw;
      }
      std::free(fresh.data);
    }
    void *old = cells.data;
    void (*deleter)(void *) = cells.data_deleter;
    cells = fresh;
    if (deleter)
      deleter(old);
  }
  /// Inserts the bytes of another table's entries, which stay there too. False where there was no
  /// room.
  bool takeAll(const DenseMap &other) {
    // Either table is walked at random: what is needed soon is fetched meanwhile.
    constexpr uint64_t kAhead = 8;
    struct Step {
      uint64_t from, to;
    } steps[kAhead];
    uint64_t known = 0, done = 0;
    for (uint64_t ahead = other.first();;) {
      for (; ahead != kNoMapEntry && known - done < kAhead; ahead = other.next(ahead)) {
        uint64_t to = startOf(rawOf(other.entry(ahead).first));
        prefetch(to);
        steps[known++ % kAhead] = {ahead, to};
      }
      if (done == known)
        return true;
      Step step = steps[done++ % kAhead];
      alignas(MapEntry) unsigned char bytes[sizeof(MapEntry)];
      auto *entry = reinterpret_cast<MapEntry *>(bytes);
      relocate(entry, &other.entry(step.from));
      if (tryInsert(entry, step.to) == Outcome::NoRoom)
        return false;
    }
  }
  void prefetch([[maybe_unused]] uint64_t at) const {
#ifdef __GNUC__
    __builtin_prefetch(&meta(at), 1);
    __builtin_prefetch(&item(at), 1);
#endif
  }

  DenseCells &cells;
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_DENSE_MAP_H_
