/// How much shared memory the blocks of a GPU can have.
#ifndef FAIRLEAD_SHAREDMEMORY_H_
#define FAIRLEAD_SHAREDMEMORY_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fairlead/Target.h"

namespace fairlead {

/// Bytes of shared memory that a block can have at most on an architecture, "sm_90".
struct SharedCapacity {
  std::string_view arch;
  int64_t bytes;
};

/// Those that are known, from the oldest architecture on.
FAIRLEAD_API std::vector<SharedCapacity> sharedCapacities();

/// Of the target's blocks, in bytes; nothing for the CPU, for PTX, which later GPUs run too, and
/// for architectures of which it is not known.
FAIRLEAD_API std::optional<int64_t> sharedCapacity(const Target &target);

} // namespace fairlead
#endif // FAIRLEAD_SHAREDMEMORY_H_
