/// Events that launches record for FAIRLEAD_TRACE (fairlead/Trace.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "fairlead/Runtime.h"

namespace fairlead::runtime::trace {

extern std::atomic<bool> recording;

/// True if launches are recorded. This is the only cost of a launch otherwise.
inline bool isOn() { return recording.load(std::memory_order_relaxed); }

/// Nanoseconds of CLOCK_MONOTONIC.
int64_t now();

/// The kernel's name, kept for the life of the process: its code may be unloaded before the events
/// are written.
const std::string *intern(const char *kernel);

/// A launch from `start` until now: on a CPU with all its work, on a GPU until it is queued.
/// `device`: "cpu", or "cuda:" and `id`.
void addLaunch(const std::string *kernel, const FairleadLaunch &launch, bool onCpu, int32_t id,
               int64_t start);

/// Blocks [from, to) of a launch on the CPU, which this thread ran from `start` until now.
void addBlocks(const std::string *kernel, uint64_t from, uint64_t to, int64_t start);

} // namespace fairlead::runtime::trace
