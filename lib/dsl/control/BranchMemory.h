/// Shared memory that the branches of a run-time condition reserve. Internal to lib/dsl/control.
#pragma once

#include <algorithm>
#include <utility>

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Lets both branches reserve the same memory if the kernel asks for that (mergeSharedOfBranches):
/// made before the first branch is traced.
class BranchMemory {
public:
  explicit BranchMemory(Program::Impl &impl)
      : reserved(impl.kernel && impl.kernel->mergesSharedMemory ? &impl.kernel->sharedBytes
                                                                : nullptr),
        before(reserved ? *reserved : 0) {}

  /// Between the branches.
  void startOther() {
    if (reserved)
      afterFirst = std::exchange(*reserved, before);
  }
  /// After the second branch: later allocations follow the memory of both.
  void finish() {
    if (reserved)
      *reserved = std::max(*reserved, afterFirst);
  }

private:
  int64_t *reserved;
  const int64_t before;
  int64_t afterFirst = 0;
};

} // namespace fairlead::dsl
