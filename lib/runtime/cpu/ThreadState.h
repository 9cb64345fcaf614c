/// The state of a thread that runs blocks.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <utility>

namespace fairlead::cpu {

class BlockFailure;
class Cluster;
class LaunchObserver;
struct UnstartedClusters;

/// The launch whose blocks a thread runs.
struct RunningLaunch {
  BlockFailure *failure = nullptr;         ///< receives the reports of blocks
  LaunchObserver *observer = nullptr;      ///< null: none
  std::jmp_buf *assertionTarget = nullptr; ///< of the jump from a failed assertion
  UnstartedClusters *unstarted = nullptr;  ///< what a block without a cluster may take over
};

/// The cluster of the block that the calling thread runs; none for blocks that are their own.
struct BlockInCluster {
  Cluster *cluster = nullptr;
  size_t rank = 0;
};

/// One object, because in a shared library each look-up of a thread's variable is a call.
struct ThreadState {
  RunningLaunch launch; ///< the innermost one
  BlockInCluster place;
  bool usesTensorMemory = false; ///< the block has used tensor memory

  static ThreadState &own() {
    static constinit thread_local ThreadState state;
    return state;
  }
};

/// In a scope, the thread runs blocks of a launch.
class RunningLaunchScope {
public:
  RunningLaunchScope(ThreadState &thread, const RunningLaunch &launch)
      : thread(thread), outer(std::exchange(thread.launch, launch)) {}
  ~RunningLaunchScope() { thread.launch = outer; }
  RunningLaunchScope(const RunningLaunchScope &) = delete;
  RunningLaunchScope &operator=(const RunningLaunchScope &) = delete;

private:
  ThreadState &thread;
  const RunningLaunch outer;
};

/// In a scope, a failed assertion of the thread's blocks jumps to the target. The frames between
/// must be generated code, without destructors.
class AssertionScope {
public:
  AssertionScope(ThreadState &thread, std::jmp_buf *target)
      : thread(thread), outer(std::exchange(thread.launch.assertionTarget, target)) {}
  ~AssertionScope() { thread.launch.assertionTarget = outer; }
  AssertionScope(const AssertionScope &) = delete;
  AssertionScope &operator=(const AssertionScope &) = delete;

private:
  ThreadState &thread;
  std::jmp_buf *const outer;
};

} // namespace fairlead::cpu
