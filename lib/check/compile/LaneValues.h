/// Integers and addresses as the lanes of a warp have them, for pipelines that are followed at
/// compile time.
#pragma once

#include <cstdint>

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace fairlead::check {

constexpr unsigned kWarpLanes = 32;
using LaneMask = uint32_t;
constexpr LaneMask kAllLanes = ~LaneMask{0};

/// An integer of at most 64 bits in each lane, sign-extended (a Boolean is 0 or 1), or unknown.
class LaneValue {
public:
  static LaneValue uniform(int64_t number) {
    LaneValue value;
    value.lanes.push_back(number);
    return value;
  }
  static LaneValue unknown(mlir::Operation *origin) {
    LaneValue value;
    value.origin = origin;
    return value;
  }
  static LaneValue each(llvm::function_ref<int64_t(unsigned)> ofLane);

  bool isKnown() const { return !lanes.empty(); }
  bool isUniform() const { return lanes.size() == 1; }
  int64_t operator[](unsigned lane) const { return lanes[lanes.size() == 1 ? 0 : lane]; }
  /// The number of the first lane of a mask that is not 0.
  int64_t first(LaneMask mask) const { return (*this)[static_cast<unsigned>(__builtin_ctz(mask))]; }
  /// Replaces the numbers of the lanes of `mask`.
  void assign(const LaneValue &other, LaneMask mask, LaneMask all);

  /// Records that the value depends on the test of an mbarrier that another value depends on.
  void dependOn(int otherTest) {
    if (otherTest)
      test = test && test != otherTest ? kSeveralTests : otherTest;
  }
  static constexpr int kSeveralTests = -1;

  /// The operation that makes the value unknown, or null.
  mlir::Operation *origin = nullptr;
  /// The number of the test of an mbarrier (try_wait) that the value depends on. 0: none.
  int test = 0;

private:
  llvm::SmallVector<int64_t, 1> lanes; ///< none (unknown), one for all lanes, or one each
};

/// Computes the result of an arithmetic operation. Unknown for other operations.
LaneValue evaluate(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands);

} // namespace fairlead::check
