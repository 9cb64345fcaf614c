/// Measures the stages of a compile.
#pragma once

#include <chrono>
#include <vector>

#include "fairlead/Compile.h"

namespace fairlead::lower {

class PhaseTimer {
public:
  /// Ends the stage that began with the last call (or with the timer).
  void lap(const char *name) {
    Clock::time_point now = Clock::now();
    phases_.push_back({name, std::chrono::duration<double, std::milli>(now - start_).count()});
    start_ = now;
  }
  const std::vector<Phase> &phases() const { return phases_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  std::vector<Phase> phases_;
};

} // namespace fairlead::lower
