#include "fairlead/Coverage.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::runtime {
namespace {

using Arc = std::pair<int32_t, int32_t>; ///< two lines
constexpr size_t kRoom = sizeof(void *); ///< bytes of a frame before its text

constexpr size_t kMostCounted = 4096; ///< lines of a function whose threads are counted

/// One call of a function in a program.
struct Frame {
  size_t number; ///< in the process
  std::string file;
  std::set<Arc> &arcs;            ///< of its file
  std::atomic<int32_t> first = 0; ///< the function's first line, once a thread has entered it
  std::unique_ptr<std::atomic<uint64_t>[]> threads =
      std::make_unique<std::atomic<uint64_t>[]>(kMostCounted); ///< by lines from the first one on
};

std::mutex mutex;
auto &files =
    *new std::map<std::string, std::set<Arc>>; // threads may report while the process ends
auto &frames = *new std::vector<Frame *>;      // by their numbers

Frame &frameOf(void *text) {
  auto &room = *static_cast<std::atomic<Frame *> *>(text);
  Frame *frame = room.load(std::memory_order_acquire);
  if (frame) [[likely]]
    return *frame;
  std::lock_guard lock(mutex);
  frame = room.load(std::memory_order_relaxed);
  if (!frame) {
    const std::string file = static_cast<const char *>(text) + kRoom;
    frame = new Frame{frames.size(), file, files[file]}; // lives as long as the process
    frames.push_back(frame);
    room.store(frame, std::memory_order_release);
  }
  return *frame;
}

/// The steps through one frame of the threads that a thread of the system runs.
class Steps {
public:
  void take(Frame &frame, size_t thread, int32_t event, int32_t line) {
    if (thread >= lasts.size())
      lasts.resize(thread + 1);
    Last &last = lasts[thread];
    if (event == kFairleadCoverEnter) {
      first = line;
      frame.first.store(line, std::memory_order_relaxed);
      last = {-line, false, last.entries + 1};
    } else if (last.line != kEnded) {
      if (event != kFairleadCoverEnd)
        count(frame, thread, line);
      step(frame, last, event, line);
    }
  }

private:
  static constexpr int32_t kEnded = 0; ///< the thread has left the function
  struct Last {
    int32_t line = kEnded;
    bool broke = false;   ///< the line is a `break`, whose loop has not ended yet
    uint32_t entries = 0; ///< how often the thread has entered the function
  };

  /// Counts the thread at the line, once for each time that it enters the function.
  void count(Frame &frame, size_t thread, int32_t line) {
    const auto place = static_cast<size_t>(line - first);
    if (line < first || place >= kMostCounted)
      return;
    if (place >= counted.size())
      counted.resize(place + 1);
    std::vector<uint32_t> &entries = counted[place];
    if (thread >= entries.size())
      entries.resize(thread + 1);
    const uint32_t entry = lasts[thread].entries;
    if (std::exchange(entries[thread], entry) != entry)
      frame.threads[place].fetch_add(1, std::memory_order_relaxed);
  }

  void step(const Frame &frame, Last &last, int32_t event, int32_t line) {
    if (event == kFairleadCoverEnd)
      return leave(frame, last);
    if (event == kFairleadCoverLoopEnd && last.broke) {
      last.broke = false;
      return;
    }
    if (last.line != line)
      note(frame, {last.line, line});
    last = {line, event == kFairleadCoverBreak, last.entries};
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
  std::vector<Last> lasts;                    ///< by threads
  std::vector<std::vector<uint32_t>> counted; ///< by lines and threads, the entry that was counted
  std::vector<int32_t> before;                ///< the line before each line, in its last step
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
  Frame &frame = frameOf(text);
  stepsOf(frame).take(frame, static_cast<size_t>(thread), event, line);
}

static constexpr char kField = '\x1f', kRecord = '\x1e';

const char *FairleadCoverThreads(void) {
  using namespace fairlead::runtime;
  thread_local std::string text;
  text.clear();
  std::lock_guard lock(mutex);
  for (const Frame *frame : frames)
    for (size_t place = 0; place < kMostCounted; ++place)
      if (const uint64_t number = frame->threads[place].load(std::memory_order_relaxed))
        text += frame->file + kField + std::to_string(static_cast<size_t>(frame->first) + place) +
                kField + std::to_string(number) + kRecord;
  return text.c_str();
}

const char *FairleadCoverArcs(void) {
  using namespace fairlead::runtime;
  thread_local std::string text;
  text.clear();
  std::lock_guard lock(mutex);
  for (const auto &[file, arcs] : files)
    for (const Arc &arc : arcs)
      text +=
          file + kField + std::to_string(arc.first) + kField + std::to_string(arc.second) + kRecord;
  return text.c_str();
}
