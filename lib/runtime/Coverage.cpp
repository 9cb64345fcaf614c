#include "fairlead/Coverage.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::runtime {
namespace {

using Arc = std::pair<int32_t, int32_t>; ///< two lines
constexpr size_t kRoom = sizeof(void *); ///< bytes of a frame before its text

/// One call of a function in a program.
struct Frame {
  size_t number;       ///< in the process
  std::set<Arc> &arcs; ///< of its file
};

std::mutex mutex;
auto &files =
    *new std::map<std::string, std::set<Arc>>; // threads may report while the process ends
size_t numFrames = 0;

const Frame &frameOf(void *text) {
  auto &room = *static_cast<std::atomic<const Frame *> *>(text);
  const Frame *frame = room.load(std::memory_order_acquire);
  if (frame) [[likely]]
    return *frame;
  std::lock_guard lock(mutex);
  frame = room.load(std::memory_order_relaxed);
  if (!frame) {
    const std::string file = static_cast<const char *>(text) + kRoom;
    frame = new Frame{numFrames++, files[file]}; // lives as long as the process
    room.store(frame, std::memory_order_release);
  }
  return *frame;
}

/// The steps through one frame of the threads that a thread of the system runs.
class Steps {
public:
  void take(const Frame &frame, size_t thread, int32_t event, int32_t line) {
    if (thread >= lasts.size())
      lasts.resize(thread + 1);
    Last &last = lasts[thread];
    if (event == kFairleadCoverEnter) {
      first = line;
      last = {-line, false};
    } else if (last.line != kEnded) {
      step(frame, last, event, line);
    }
  }

private:
  static constexpr int32_t kEnded = 0; ///< the thread has left the function
  struct Last {
    int32_t line = kEnded;
    bool broke = false; ///< the line is a `break`, whose loop has not ended yet
  };

  void step(const Frame &frame, Last &last, int32_t event, int32_t line) {
    if (event == kFairleadCoverEnd)
      return leave(frame, last);
    if (event == kFairleadCoverLoopEnd && last.broke) {
      last.broke = false;
      return;
    }
    if (last.line != line)
      note(frame, {last.line, line});
    last = {line, event == kFairleadCoverBreak};
    if (event == kFairleadCoverReturn)
      leave(frame, last);
  }

  void leave(const Frame &frame, Last &last) {
    note(frame, {last.line, -first});
    last.line = kEnded;
  }

  void note(const Frame &frame, Arc arc) {
    // Most steps to a line come from the same one as the step before.
    const auto place = static_cast<size_t>(arc.second < 0 ? 0 : arc.second - first + 1);
    if (place < kMostLines) {
      if (place >= before.size())
        before.resize(place + 1);
      if (std::exchange(before[place], arc.first) == arc.first)
        return;
    }
    if (!reportedArcs.insert(arc).second)
      return;
    std::lock_guard lock(mutex);
    frame.arcs.insert(arc);
  }

  static constexpr size_t kMostLines = 1 << 16;
  int32_t first = 0;
  std::vector<Last> lasts;     ///< by threads
  std::vector<int32_t> before; ///< the line before each line, in its last step
  std::set<Arc> reportedArcs;
};

/// The steps of a thread of the system, by numbers of frames. Plain pointers lead to the vector's
/// elements, as each access to the vector itself would ask if it has been initialised.
struct OwnSteps {
  std::vector<Steps> all;
  ~OwnSteps();
};
constinit thread_local Steps *ownSteps = nullptr;
constinit thread_local size_t numOwnSteps = 0;
OwnSteps::~OwnSteps() { numOwnSteps = 0; }

Steps &stepsOf(const Frame &frame) {
  if (frame.number < numOwnSteps) [[likely]]
    return ownSteps[frame.number];
  thread_local OwnSteps threadSteps;
  threadSteps.all.resize(frame.number + 1);
  ownSteps = threadSteps.all.data();
  numOwnSteps = threadSteps.all.size();
  return ownSteps[frame.number];
}

} // namespace
} // namespace fairlead::runtime

void FairleadCover(void *text, int32_t thread, int32_t event, int32_t line) {
  using namespace fairlead::runtime;
  const Frame &frame = frameOf(text);
  stepsOf(frame).take(frame, static_cast<size_t>(thread), event, line);
}

const char *FairleadCoverArcs(void) {
  using namespace fairlead::runtime;
  constexpr char kField = '\x1f', kRecord = '\x1e';
  thread_local std::string text;
  text.clear();
  std::lock_guard lock(mutex);
  for (const auto &[file, arcs] : files)
    for (const Arc &arc : arcs)
      text +=
          file + kField + std::to_string(arc.first) + kField + std::to_string(arc.second) + kRecord;
  return text.c_str();
}
