#include "artifact/BackgroundWork.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include <pthread.h>

namespace fairlead {
namespace {

/// Leaked, as its thread may outlive every other object of the process.
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  bool hasThread = false;

  static Queue &get() {
    static Queue &queue = *make();
    return queue;
  }

  static Queue *make() {
    // A forked process has the queue, but not its thread.
    pthread_atfork(nullptr, nullptr, [] { new (&get()) Queue; });
    return new Queue;
  }

  void run() {
    for (;;) {
      std::function<void()> work;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !waiting.empty(); });
        work = std::move(waiting.front());
        waiting.pop_front();
      }
      try {
        work();
      } catch (const std::exception &) { // nobody waits for it
      }
    }
  }
};

} // namespace

void startInBackground(std::function<void()> work) {
  Queue &queue = Queue::get();
  std::lock_guard lock(queue.mutex);
  if (!queue.hasThread) {
    try {
      std::thread([&queue] { queue.run(); }).detach();
    } catch (const std::system_error &) {
      return;
    }
    queue.hasThread = true;
  }
  queue.waiting.push_back(std::move(work));
  queue.changed.notify_one();
}

} // namespace fairlead
