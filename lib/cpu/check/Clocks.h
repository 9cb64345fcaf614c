/// Which of what a block's threads did is ordered, whatever order they happen to run in. Each
/// thread counts the times at which it told others what it had done; it knows of every other thread
/// up to which time that has reached it.
#ifndef FAIRLEAD_LIB_CPU_CHECK_CLOCKS_H
#define FAIRLEAD_LIB_CPU_CHECK_CLOCKS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fairlead::cpu::check {

/// The threads of one block, and beside each an agent that makes its asynchronous copies: agent
/// `count + t` is that of thread t.
class Clocks {
public:
  using Times = std::vector<uint32_t>;

  void begin(size_t threads);
  size_t count() const { return numThreads; }
  uint32_t agentOf(uint32_t thread) const { return static_cast<uint32_t>(numThreads) + thread; }
  uint32_t now(uint32_t who) const { return time[who]; }
  /// What has reached a thread, by thread and agent.
  const uint32_t *reached(uint32_t thread) const { return known[thread]->data(); }

  /// Whether what `who` did at `when` is before what the thread does now.
  bool isBefore(uint32_t who, uint32_t when, uint32_t thread) const {
    return who == thread || (*known[thread])[who] >= when ||
           (who == agentOf(thread) && when <= waited[thread]);
  }

  /// A group of threads meets: all that each did is before all that each does from now on. `more`
  /// is what others told before (arrivals without waiting); may be null.
  void meet(const uint32_t *threads, size_t number, const Times *more = nullptr);
  void meetAll();

  /// The thread tells what it did, also by copies if `copies`.
  void tell(uint32_t thread, Times &all, bool copies = false);
  /// The thread's agent tells it.
  void tellOfAgent(uint32_t thread, Times &all);
  void hear(uint32_t thread, const Times &all);

  void commit(uint32_t thread);
  void waitForCopies(uint32_t thread, size_t but);

private:
  using Shared = std::shared_ptr<Times>;
  static void join(Times &into, const Times &from);

  size_t numThreads = 0;
  std::vector<uint32_t> time;   ///< of threads and agents
  std::vector<Shared> known;    ///< of threads; those that met share it
  std::vector<uint32_t> waited; ///< up to which time of its agent a thread has waited
  std::map<uint32_t, std::vector<uint32_t>> groups; ///< times at which a thread's groups ended
  std::vector<uint32_t> everyone;
};

} // namespace fairlead::cpu::check
#endif // FAIRLEAD_LIB_CPU_CHECK_CLOCKS_H
