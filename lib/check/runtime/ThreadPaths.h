/// The ways of threads through the branches and loops that contain meeting points of threads.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_THREADPATHS_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_THREADPATHS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/runtime/Touch.h"

namespace fairlead::check {

/// Threads are numbered in the run, branches and loops in the kernel.
class ThreadPaths {
public:
  /// A branch or loop that a thread is in.
  struct Step {
    uint32_t branch;
    uint32_t side;      ///< 0 for the `else` side of a branch
    uint32_t iteration; ///< of a loop, from 1 on; 0 for a branch
    bool operator==(const Step &) const = default;
  };
  using Path = std::vector<Step>;

  void beginRun(size_t threads) { ways.assign(threads, {}); }
  /// A step of FairleadCheckBranch.
  void take(const ThreadAt &at, uint32_t branch, int32_t event);
  void end(uint32_t thread) { ways[thread].hasEnded = true; }

  bool hasEnded(uint32_t thread) const { return ways[thread].hasEnded; }
  const Path &pathOf(uint32_t thread) const { return ways[thread].path; }
  void *siteOf(uint32_t branch) const { return sites[branch]; }

  /// Returns the outermost branch or loop of `path`, where `came` is or was, that `absent` has
  /// entered less often, or nothing.
  std::optional<uint32_t> parting(const Path &path, uint32_t came, uint32_t absent) const;
  /// Returns that branch or loop if `absent` went on after it, before it ended: it then has not
  /// left the kernel early.
  std::optional<uint32_t> skipped(const Path &path, uint32_t came, uint32_t absent) const;
  /// Returns the outermost branch or loop whose sides or iterations differ for the two threads.
  std::optional<uint32_t> difference(uint32_t one, uint32_t other) const;

private:
  struct Visits {
    uint32_t times[2] = {}; ///< number of entries, by side; iterations of a loop are at 1
    uint32_t left[2] = {};  ///< the thread's clock when it left that side last; loops are at 0
  };
  struct Way {
    Path path;
    std::vector<Visits> visits; ///< by branches
    uint32_t clock = 0, acted = 0;
    bool hasEnded = false;
  };
  Visits visitsOf(uint32_t thread, uint32_t branch) const {
    const std::vector<Visits> &visits = ways[thread].visits;
    return branch < visits.size() ? visits[branch] : Visits{};
  }
  std::optional<Step> partingStep(const Path &path, uint32_t came, uint32_t absent) const;

  std::vector<Way> ways;
  std::vector<void *> sites; ///< by branches
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_THREADPATHS_H_
