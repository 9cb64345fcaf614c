/// The memory whose accesses are followed: tensors of the call, and the running block's shared
/// memory.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "check/runtime/CallTensors.h"
#include "check/runtime/Memory.h"

namespace fairlead::check {

class WatchedMemory {
public:
  /// Numbers of memories. Global ones follow kFirstGlobal.
  static constexpr int kNone = -1, kShared = 0, kFirstGlobal = 1;

  struct Range {
    char *begin;
    size_t bytes;
  };

  /// Watches the memory of tensors. Those that overlap have their cells in common.
  void watch(const CallTensors &tensors);
  /// The shared memory of the run that begins; null if it has none. Returns true if it lies
  /// elsewhere than before.
  bool watchShared(char *begin, size_t bytes) {
    const bool moved = begin != sharedBase;
    sharedBase = begin;
    if (begin && !(shared && shared->is(begin, bytes)))
      shared.emplace(begin, bytes, kCellBytes);
    return moved;
  }

  /// The number of the memory that contains the address.
  int at(const char *address) const {
    if (isShared(address))
      return kShared;
    for (size_t i = 0; i < global.size(); ++i)
      if (global[i].contains(address))
        return kFirstGlobal + static_cast<int>(i);
    return kNone;
  }
  bool isShared(const char *address) const { return shared && shared->contains(address); }
  bool hasShared() const { return shared.has_value(); }
  char *sharedBegin() const { return sharedBase; }
  Memory &operator[](int number) {
    return number == kShared ? *shared : global[static_cast<size_t>(number - kFirstGlobal)];
  }
  /// The ranges of the global memories, in their order.
  const std::vector<Range> &globalRanges() const { return ranges; }

private:
  static constexpr int kCellBytes = 4; ///< log2 of the bytes of a cell, at first

  std::optional<Memory> shared;
  char *sharedBase = nullptr;
  std::vector<Memory> global;
  std::vector<Range> ranges;
};

} // namespace fairlead::check
