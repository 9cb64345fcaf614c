#include "runtime/Timeline.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/Trace.h"

namespace fairlead::runtime::timeline {

constinit std::atomic<int32_t> room{0};
constinit std::atomic<int64_t> memoryBytes{0};
constinit std::atomic<uint32_t> generation{0};

namespace {

constexpr char kField = '\x1f', kRecord = '\x1e';
constexpr size_t kNameRoom = sizeof(void *); ///< bytes before a name's text
constexpr int kWarpThreads = 32;
constexpr std::string_view kCpu = "cpu";
constexpr uint64_t kKindMask = 7;

struct Event {
  const std::string *name;
  FairleadTimelineEvent event;
};

/// How often the threads of a warp have come to an event.
struct Arrivals {
  uint32_t recorded = 0;
  std::array<uint32_t, kWarpThreads> ofLanes{};
};

/// The events of a warp of a block.
struct Warp {
  std::vector<Event> events;
  uint64_t lost = 0; ///< events beyond its room
};

/// A block of a launch on the CPU, whose threads one thread of the system runs.
struct Block {
  uint64_t launch, number;
  uint32_t thread;
  std::mutex mutex; ///< guards the warps
  std::map<int32_t, Warp> warps;
};

/// The block that the calling thread runs.
struct RunningBlock {
  uint64_t launch = 0, number = 0;
  std::shared_ptr<Block> block; ///< null if the recording had no memory for it
  /// By warp, name and kind.
  std::map<std::tuple<int32_t, const std::string *, uint64_t>, Arrivals> arrivals;

  /// True if no other thread of the warp has come to this event as often as this one does now.
  bool isFirst(int32_t thread, const std::string *name, uint64_t kind) {
    Arrivals &all = arrivals[{thread / kWarpThreads, name, kind}];
    uint32_t &own = all.ofLanes[static_cast<size_t>(thread % kWarpThreads)];
    if (++own <= all.recorded)
      return false;
    all.recorded = own;
    return true;
  }
};

/// Made at the first use and never destroyed: threads may record until the process ends.
struct Log {
  std::mutex mutex;
  std::set<std::string> names;
  std::map<uint64_t, std::string> numbers; ///< names that GPUs record
  std::vector<std::shared_ptr<Block>> blocks;
  void (*takeFromDevices)(std::string &) = nullptr;
  std::string text;
};

Log &log() {
  static Log *made = new Log;
  return *made;
}

constinit std::atomic<uint64_t> numLaunches{0};
constinit std::atomic<int64_t> bytesUsed{0};
constinit std::atomic<uint64_t> withoutMemory{0}; ///< number of events that are lost
constinit thread_local uint64_t runningLaunch = 0;

const std::string *internedName(void *text) {
  auto &place = *static_cast<std::atomic<const std::string *> *>(text);
  const std::string *name = place.load(std::memory_order_acquire);
  if (name) [[likely]]
    return name;
  std::lock_guard lock(log().mutex);
  name = &*log().names.emplace(static_cast<const char *>(text) + kNameRoom).first;
  place.store(name, std::memory_order_release);
  return name;
}

/// Counts memory that is about to be used; false if the recording has no more.
bool reserve(size_t bytes) {
  return bytesUsed.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) <
         memoryBytes.load(std::memory_order_relaxed);
}

/// The block of the running launch that the calling thread runs.
RunningBlock &runningBlock(uint64_t number) {
  thread_local RunningBlock running;
  if (running.launch == runningLaunch && running.number == number) [[likely]]
    return running;
  running = {runningLaunch, number, nullptr, {}};
  if (!reserve(sizeof(Block)))
    return running;
  running.block = std::make_shared<Block>();
  running.block->launch = runningLaunch;
  running.block->number = number;
  running.block->thread = static_cast<uint32_t>(syscall(SYS_gettid));
  std::lock_guard lock(log().mutex);
  log().blocks.push_back(running.block);
  return running;
}

/// Records an event, or throws std::bad_alloc.
void note(void *text, uint64_t what, uint64_t payload, int32_t thread, uint64_t number) {
  const std::string *name = internedName(text);
  RunningBlock &running = runningBlock(number);
  if (!running.isFirst(thread, name, what & kKindMask))
    return;
  if (!running.block)
    throw std::bad_alloc();
  std::lock_guard lock(running.block->mutex);
  auto [warp, isNew] = running.block->warps.try_emplace(thread / kWarpThreads);
  if (isNew)
    reserve(sizeof(*warp));
  if (warp->second.events.size() >= static_cast<size_t>(room.load(std::memory_order_relaxed))) {
    ++warp->second.lost;
    return;
  }
  if (!reserve(sizeof(Event)))
    throw std::bad_alloc();
  const auto now = static_cast<uint64_t>(trace::now());
  warp->second.events.push_back({name, {now, what, payload}});
}

/// Returns how many events beyond their room the block's warps lost.
uint64_t appendBlock(std::string &out, Block &block) {
  uint64_t lost = 0;
  std::lock_guard lock(block.mutex);
  for (const auto &[number, warp] : block.warps) {
    for (const Event &event : warp.events)
      append(out, {kCpu, block.launch, *event.name, block.number, static_cast<uint32_t>(number),
                   block.thread, event.event});
    lost += warp.lost;
  }
  block.warps.clear();
  return lost;
}

std::string takeAll() {
  std::vector<std::shared_ptr<Block>> blocks;
  void (*takeFromDevices)(std::string &) = nullptr;
  {
    std::lock_guard lock(log().mutex);
    blocks.swap(log().blocks);
    takeFromDevices = log().takeFromDevices;
  }
  std::string text;
  uint64_t lost = 0;
  for (const std::shared_ptr<Block> &block : blocks)
    lost += appendBlock(text, *block);
  if (lost)
    appendLost(text, kCpu, std::to_string(lost) + " events beyond the room of a warp");
  if (const uint64_t events = withoutMemory.exchange(0, std::memory_order_relaxed))
    appendLost(text, kCpu, std::to_string(events) + " events beyond the memory of the recording");
  if (takeFromDevices)
    takeFromDevices(text);
  return text;
}

} // namespace

uint64_t countLaunch() { return numLaunches.fetch_add(1, std::memory_order_relaxed) + 1; }

uint64_t exchangeRunningLaunch(uint64_t launch) { return std::exchange(runningLaunch, launch); }

void append(std::string &out, const Record &record) {
  const size_t split = record.text.find(kField);
  const std::string kernel = record.text.substr(0, split);
  const std::string name = split == std::string::npos ? "" : record.text.substr(split + 1);
  out += "event";
  out += kField;
  out += record.device;
  auto number = [&](auto value) { out += kField + std::to_string(value); };
  number(record.launch);
  out += kField + kernel;
  number(record.block);
  number(record.warp);
  number(record.processor);
  number(record.event.what & ((uint64_t{1} << kFairleadTimelineWhatBits) - 1));
  number(record.event.payload);
  number(record.event.time);
  out += kField + name + kRecord;
}

void appendLost(std::string &out, std::string_view device, const std::string &what) {
  out += "lost";
  out += kField;
  out += device;
  out += kField + what + kRecord;
}

const std::string &nameOf(uint64_t number) {
  static const std::string *unknown = new std::string("unknown kernel\x1funknown name");
  std::lock_guard lock(log().mutex);
  auto name = log().numbers.find(number);
  return name == log().numbers.end() ? *unknown : name->second;
}

void takeFromDevicesWith(void (*take)(std::string &out)) {
  std::lock_guard lock(log().mutex);
  log().takeFromDevices = take;
}

} // namespace fairlead::runtime::timeline

using namespace fairlead::runtime::timeline;

void FairleadTimelineNote(void *text, int32_t what, int64_t payload, int32_t thread,
                          int64_t block) {
  if (!isOn() || !runningLaunch) [[likely]]
    return;
  try {
    note(text, static_cast<uint64_t>(what), static_cast<uint64_t>(payload), thread,
         static_cast<uint64_t>(block));
  } catch (const std::exception &) {
    withoutMemory.fetch_add(1, std::memory_order_relaxed);
  }
}

void FairleadTimelineName(int64_t number, const char *text) {
  if (!isOn()) [[likely]]
    return;
  try {
    std::lock_guard lock(log().mutex);
    log().numbers.try_emplace(static_cast<uint64_t>(number), text);
  } catch (const std::exception &) { // the events then have no name
  }
}

int32_t FairleadTimelineCollect(int32_t newRoom, int64_t bytes) {
  memoryBytes.store(bytes, std::memory_order_relaxed);
  bytesUsed.store(0, std::memory_order_relaxed);
  room.store(newRoom, std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  return 0;
}

const char *FairleadTimelineTake(void) {
  try {
    std::string text = takeAll();
    std::lock_guard lock(log().mutex);
    log().text = std::move(text);
    return log().text.c_str();
  } catch (const std::exception &) {
    return "lost\x1f"
           "all devices\x1f"
           "all events: the host has no memory for them\x1e";
  }
}
