/// Asynchronous copies and products that run later than threads issue them, to show whether a
/// program waits for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <random>

namespace fairlead::cpu {

/// When asynchronous operations run: FAIRLEAD_CPU_ASYNC, "eager", "late" or "random:SEED".
struct AsyncMode {
  enum class Kind {
    Eager, ///< where they are issued
    Late,  ///< when no thread of the block can go on without them
    Random ///< at a random time between
  };
  Kind kind = Kind::Eager;
  uint32_t seed = 0;

  /// Return the mode that the environment asked for when the process first launched a kernel;
  /// nothing for another text.
  static const std::optional<AsyncMode> &ofEnvironment() {
    static const std::optional<AsyncMode> mode = read();
    return mode;
  }

private:
  static std::optional<AsyncMode> read();
};

/// The operations of the block that the calling thread runs, in the order in which its threads
/// issue them. They run in this order, so that one of them sees the effects of all earlier ones.
class DelayedWork {
public:
  /// Operations of the calling thread's block are delayed during the object's life. `seesThreads`:
  /// an observer of the launch has to see each operation where it is issued, so that none is.
  DelayedWork(bool seesThreads, uint64_t block);
  ~DelayedWork() { ofThread() = outer; }
  DelayedWork(const DelayedWork &) = delete;
  DelayedWork &operator=(const DelayedWork &) = delete;

  /// Run an asynchronous operation, now or later.
  template <typename Operation> static void issue(const Operation &operation) {
    DelayedWork *work = ofThread();
    if (!work || work->mode.kind == AsyncMode::Kind::Eager || work->isRunning)
      return operation();
    work->add(operation);
  }
  /// Run an operation after all that have been issued.
  template <typename Operation> static void follow(const Operation &operation) {
    DelayedWork *work = ofThread();
    if (!work || work->operations.empty() || work->isRunning)
      return operation();
    work->add(operation);
  }

  /// Run the first operation. Returns false if there is none.
  bool runOne();
  void runAll() {
    while (runOne()) {
    }
  }
  /// Forget all operations: the block has failed.
  void drop() { operations.clear(); }

private:
  static DelayedWork *&ofThread() {
    static constinit thread_local DelayedWork *work = nullptr;
    return work;
  }
  void add(std::function<void()> operation);

  DelayedWork *const outer = ofThread();
  AsyncMode mode;
  std::minstd_rand random;
  bool isRunning = false;
  std::list<std::function<void()>> operations;
};

} // namespace fairlead::cpu
