/// Tracks the bits of shared memory and of threads' own memory that have a value: 1 for a bit
/// without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::check {

/// State of the running block. Memory that it does not know has values: it is the caller's.
class Initialised final : public cpu::ValueObserver {
public:
  /// Forgets the memory of the block before; that of the new one, which may be null, is without
  /// values.
  void beginBlock(const void *shared, size_t bytes) {
    begins = true;
    memory = {shared, bytes};
  }
  /// Adds a block of a cluster; the state of the other blocks stays.
  void joinBlock(const void *shared, size_t bytes);
  /// Memory that belongs to the block from now on, without values.
  void own(const void *address, size_t bytes);
  /// Marks bytes that the runtime wrote.
  void set(const void *address, size_t bytes) override;
  void unset(const void *address, size_t bytes) override;
  bool lacks(const void *address, size_t bytes) override;
  /// The bits of memory that is going to be read; null for memory that has values.
  unsigned char *bits(const void *address, size_t bytes);
  /// Returns the bits of the block's shared memory, which begins at `shared`. Their address stays
  /// the same while the launch runs.
  unsigned char *ofShared(const void *shared);

private:
  void settle();
  void beginShared(const char *shared, size_t bytes);

  bool begins = false; ///< nobody has asked in this block
  std::pair<const void *, size_t> memory;
  static constexpr size_t kPage = 4096;
  /// Aligned like the memory it describes, because code loads vectors of each.
  struct alignas(kPage) Page {
    unsigned char bits[kPage];
  };
  /// Shared memory of a block, with contiguous bits; each block of a cluster has its own region.
  struct Region {
    const char *begin;
    size_t bytes;
    std::unique_ptr<Page[]> pages;
    bool contains(const char *address) const {
      return static_cast<size_t>(address - begin) < bytes;
    }
    unsigned char *bits(const char *address) const { return pages[0].bits + (address - begin); }
  };
  Region *regionOf(const void *address);
  Page *pageOf(uintptr_t number, bool make);
  template <typename Visit> void each(const void *address, size_t bytes, bool make, Visit visit);

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages;
  struct Recent {
    uintptr_t number = ~uintptr_t{0};
    Page *page = nullptr;
  };
  Recent recent[64];
  std::vector<std::pair<const void *, size_t>> owned;
  std::vector<Region> regions;
};

} // namespace fairlead::check
