/// Branches on the index of a thread: the threads of a block that take them, if that is known while
/// a kernel is traced. Internal to lib/dsl and lib/lower.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "mlir/IR/Operation.h"

namespace fairlead::dsl {

/// A comparison of a thread index with a constant.
class ThreadCondition {
public:
  /// Returns nothing if the condition has another form.
  static std::optional<ThreadCondition> of(mlir::Value condition);

  /// True if the thread with this number (x fastest) takes the branch in a block of these extents.
  bool holdsFor(int64_t thread, const std::array<int64_t, 3> &block) const;
  /// "the thread index x < 32"
  std::string text() const;

private:
  int axis = 0;
  int predicate = 0; ///< arith::CmpIPredicate
  int64_t bound = 0;
};

/// True if at most one lane of each warp reaches the operation, because of a branch on an election
/// or on the equality of a thread index. `block`: the extents, if known.
bool isReachedByOneLane(mlir::Operation *op, const std::optional<std::array<int64_t, 3>> &block);

} // namespace fairlead::dsl
