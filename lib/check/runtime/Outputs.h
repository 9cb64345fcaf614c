/// Finds outputs of a call whose last elements no kernel wrote.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/runtime/BlockSpans.h"
#include "check/runtime/CallTensors.h"
#include "check/runtime/RunningBlock.h"
#include "check/runtime/WatchedMemory.h"
#include "fairlead/Runtime.h"
#include "runtime/Findings.h"

namespace fairlead::check {

/// A launch that has ended, and its accesses.
struct EndedLaunch {
  const std::string &kernel;
  const FairleadLaunch &launch;
  const RunningBlock &block;
  const WatchedMemory &memory;
  BlockSpans &accesses;
};

/// Notes outputs that a grid of floor division leaves incomplete: a launch has written a box of the
/// tensor from its first element on, in equal parts for each block and thread, what is left in each
/// mode is less than a block's part, and no launch of the call accesses it.
class Outputs {
public:
  void begin() {
    outputs.clear();
    isKnown = true;
  }
  /// A launch of the call has failed, or its accesses are not known.
  void giveUp() { isKnown = false; }
  void endLaunch(const CallTensors &tensors, const EndedLaunch &launch);
  /// Reports the outputs that are still incomplete.
  void endCall();

private:
  struct Output {
    bool isTouched = false;
    std::string kernel;                      ///< of the launch that wrote it
    std::optional<runtime::Finding> finding; ///< of its tail
  };
  std::vector<Output> outputs; ///< by tensors of the call
  bool isKnown = true;
};

/// Of the call that this thread makes.
Outputs &callOutputs();

} // namespace fairlead::check
