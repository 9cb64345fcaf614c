/// The map of up to four entries: an array of them in the order of insertion.
#ifndef TVM_FFI_INNER_SMALL_MAP_H_
#define TVM_FFI_INNER_SMALL_MAP_H_

#include <tvm/ffi/any.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace tvm {
namespace ffi {
namespace inner {

/// What every map object has after its header.
struct MapCells {
  void *data;                   ///< entries of a small map, blocks of a dense one
  uint64_t size;                ///< number of entries
  uint64_t slots;               ///< number of places; the top bit is set in a small map
  void (*data_deleter)(void *); ///< frees `data`; null where it lies in the object
};
static_assert(sizeof(MapCells) == 32, "layout of maps");

using MapEntry = std::pair<Any, Any>;
static_assert(sizeof(MapEntry) == 32, "layout of maps");

constexpr uint64_t kSmallMapTag = uint64_t(1) << 63;
constexpr uint64_t kMinSmallMapSlots = 2;
constexpr uint64_t kMaxSmallMapSlots = 4;
/// No entry: the end of the list of entries.
constexpr uint64_t kNoMapEntry = ~uint64_t(0);

inline bool isSmallMap(const MapCells &cells) { return (cells.slots & kSmallMapTag) != 0; }

/// Moves an Any to memory that holds none; its old place holds none then.
template <typename T> inline void relocate(T *to, T *from) {
  std::memcpy(static_cast<void *>(to), static_cast<const void *>(from), sizeof(T));
}

/// Reads and writes a small map. The places past its size hold no entries.
class SmallMap {
public:
  explicit SmallMap(MapCells &cells) : cells(cells) {}

  static void init(MapCells &cells, void *storage, uint64_t slots, void (*deleter)(void *)) {
    cells = MapCells{storage, 0, slots | kSmallMapTag, deleter};
  }

  MapEntry *entries() const { return static_cast<MapEntry *>(cells.data); }
  uint64_t slots() const { return cells.slots & ~kSmallMapTag; }
  bool full() const { return cells.size == slots(); }

  /// The entry of a key, kNoMapEntry where it has none.
  uint64_t find(const TVMFFIAny &key) const {
    for (uint64_t i = 0; i < cells.size; ++i)
      if (equalValues(rawOf(entries()[i].first), key))
        return i;
    return kNoMapEntry;
  }
  /// Adds an entry; the caller made sure of the room and that the key is new.
  void append(MapEntry &&entry) { new (entries() + cells.size++) MapEntry(std::move(entry)); }
  void erase(uint64_t at) {
    MapEntry gone = std::move(entries()[at]);
    --cells.size;
    if (at != cells.size) // those that follow close up
      std::memmove(static_cast<void *>(entries() + at), static_cast<void *>(entries() + at + 1),
                   (cells.size - at) * sizeof(MapEntry));
  }
  void clear() {
    while (cells.size > 0)
      entries()[--cells.size].~MapEntry();
  }

private:
  MapCells &cells;
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_SMALL_MAP_H_
