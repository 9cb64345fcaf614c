/// Timelines of kernels (fairlead/Timeline.h): the collected events of launches on CPUs and GPUs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "fairlead/Timeline.h"

namespace fairlead::runtime::timeline {

/// The most events of a warp of a launch; 0 if nobody collects.
extern std::atomic<int32_t> room;
/// Bytes for events, on each GPU and on the host.
extern std::atomic<int64_t> memoryBytes;
/// Changes whenever collecting begins or ends. 0: it never began.
extern std::atomic<uint32_t> generation;

inline bool isOn() { return room.load(std::memory_order_relaxed) != 0; }

uint64_t countLaunch();
/// Returns the number of a launch on the CPU that begins; 0 if nobody collects.
inline uint64_t beginLaunch() { return isOn() ? countLaunch() : 0; }

/// Makes this launch the one whose blocks the calling thread runs, and returns the one before.
uint64_t exchangeRunningLaunch(uint64_t launch);

/// In a scope, the calling thread runs blocks of a launch. Without a number it changes nothing,
/// as then nobody collects.
class LaunchScope {
public:
  explicit LaunchScope(uint64_t launch)
      : launch(launch), outer(launch ? exchangeRunningLaunch(launch) : 0) {}
  ~LaunchScope() {
    if (launch)
      exchangeRunningLaunch(outer);
  }
  LaunchScope(const LaunchScope &) = delete;
  LaunchScope &operator=(const LaunchScope &) = delete;

private:
  const uint64_t launch, outer;
};

/// Appends one record of FairleadTimelineTake. `text` is the kernel's and the event's name.
struct Record {
  std::string_view device;
  uint64_t launch;
  const std::string &text;
  uint64_t block;
  uint32_t warp, processor;
  FairleadTimelineEvent event;
};
void append(std::string &out, const Record &record);
/// `what`: a text about the loss and its reason.
void appendLost(std::string &out, std::string_view device, const std::string &what);

/// Returns the text of a name that a GPU records by its number.
const std::string &nameOf(uint64_t number);

/// Asks `take` to append the records of GPUs. It is called without locks.
void takeFromDevicesWith(void (*take)(std::string &out));

} // namespace fairlead::runtime::timeline
