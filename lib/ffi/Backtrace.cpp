/// Backtraces: the frames of the calling thread up to where a call came through the FFI, as text.
/// A place in the code is looked up once, so that a trace seen before costs a table look-up a
/// frame.
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "CodeLocation.h"
#include "ElfFile.h"
#include "ThreadValue.h"
#include "tvm/ffi/c_api.h"

using namespace tvm::ffi;

namespace {

using Role = CodeLocation::Role;
constexpr long kDefaultLimit = 512;
// A walk that finds nothing to show ends here.
constexpr size_t kMaxFrames = 1 << 16;

/// The most lines of a backtrace, from TVM_TRACEBACK_LIMIT.
size_t lineLimit() {
  static const long limit = [] {
    const char *text = std::getenv("TVM_TRACEBACK_LIMIT");
    if (!text)
      return kDefaultLimit;
    char *end = nullptr;
    errno = 0;
    long value = std::strtol(text, &end, 10);
    bool valid = errno == 0 && end != text && *end == '\0' && value >= 0 && value <= INT32_MAX;
    return valid ? value : kDefaultLimit;
  }();
  return static_cast<size_t>(limit);
}

/// All places seen so far. Never freed, not even the content from before a library was unloaded,
/// since another thread may be reading it.
class LocationTable {
public:
  static LocationTable &get() {
    static auto *table = new LocationTable;
    return *table;
  }

  /// The count of the times that places were forgotten. Forgets them where a library has been
  /// unloaded since the last call: its addresses may be another's now.
  uint64_t refresh() {
    unsigned long long unloads = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *result) {
          *static_cast<unsigned long long *>(result) = info->dlpi_subs;
          return 1;
        },
        &unloads);
    if (seenUnloads.load(std::memory_order_acquire) != unloads) {
      std::unique_lock lock(mutex);
      places.clear();
      seenUnloads.store(unloads, std::memory_order_release);
    }
    return unloads;
  }

  /// The place at `address`, null if it was not seen yet.
  const CodeLocation *find(uintptr_t address) const {
    std::shared_lock lock(mutex);
    auto it = places.find(address);
    return it == places.end() ? nullptr : it->second;
  }

  const CodeLocation *add(uintptr_t address, CodeLocation place) {
    auto owned = std::make_unique<CodeLocation>(std::move(place));
    std::unique_lock lock(mutex);
    auto [it, fresh] = places.try_emplace(address, owned.get());
    if (fresh)
      static_cast<void>(owned.release());
    return it->second;
  }

private:
  mutable std::shared_mutex mutex;
  std::unordered_map<uintptr_t, const CodeLocation *> places;
  std::atomic<unsigned long long> seenUnloads{0};
};

/// One frame of a walk; `place` is null if it was not seen before.
struct SeenFrame {
  uintptr_t address;
  const CodeLocation *place;
};

/// The thread's last backtrace, and the places that it saw last.
struct ThreadTrace {
  std::string text;
  TVMFFIByteArray view{};
  std::vector<SeenFrame> frames; ///< of the walk; here to keep its memory

  const CodeLocation *findRecent(uintptr_t address) const {
    const Recent &recent = recents[slotOf(address)];
    return recent.address == address ? recent.place : nullptr;
  }
  void remember(uintptr_t address, const CodeLocation *place) {
    recents[slotOf(address)] = {address, place};
  }
  void keepOnlyOf(uint64_t newGeneration) {
    if (generation == newGeneration)
      return;
    generation = newGeneration;
    for (Recent &recent : recents)
      recent = Recent();
  }

private:
  struct Recent {
    uintptr_t address = 0;
    const CodeLocation *place = nullptr;
  };
  static size_t slotOf(uintptr_t address) {
    return (address * 0x9E3779B97F4A7C15u) >> 58; // 64 slots
  }
  uint64_t generation = 0;
  Recent recents[64];
};

/// Walks the stack up to the boundary or the limit of lines.
class Walk {
public:
  [[gnu::noinline]] Walk(ThreadTrace &trace, int skip, bool crossBoundary, size_t limit)
      : trace(trace), skip(skip), crossBoundary(crossBoundary), limit(limit) {
    frames.clear();
    trace.keepOnlyOf(LocationTable::get().refresh());
    _Unwind_Backtrace(visit, this);
    completeFresh();
  }

  void print(size_t lines) const {
    for (const SeenFrame &frame : frames) {
      if (frame.place->role != Role::Frame &&
          !(crossBoundary && frame.place->role == Role::Boundary))
        continue;
      if (lines++ >= limit)
        break;
      trace.text += frame.place->line;
    }
  }

private:
  static _Unwind_Reason_Code visit(_Unwind_Context *context, void *self) {
    int beforeInstruction = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &beforeInstruction);
    if (!address)
      return _URC_END_OF_STACK;
    // The call precedes the address that it returns to.
    return static_cast<Walk *>(self)->see(beforeInstruction ? address : address - 1)
               ? _URC_NO_REASON
               : _URC_END_OF_STACK;
  }

  bool see(uintptr_t address) {
    if (skip > 0) {
      --skip;
      return true;
    }
    const CodeLocation *place = trace.findRecent(address);
    if (!place && (place = LocationTable::get().find(address)))
      trace.remember(address, place);
    if (!place)
      fresh.push_back(findCodeLocation(address));
    Role role = place ? place->role : fresh.back().role;
    shown += role != Role::Hidden;
    frames.push_back({address, place});
    if (role == Role::Boundary && !crossBoundary)
      return false;
    // A frame may still turn out to be machinery when its file is known: take some more.
    return shown < 2 * limit + 16 && frames.size() < kMaxFrames;
  }

  /// Looks up the lines of the frames that are new, all at once.
  void completeFresh() {
    if (fresh.empty())
      return;
    std::vector<uintptr_t> addresses;
    for (const SeenFrame &frame : frames)
      if (!frame.place)
        addresses.push_back(frame.address);
    completeCodeLocations(addresses, fresh);
    auto next = fresh.begin();
    for (SeenFrame &frame : frames) {
      if (frame.place)
        continue;
      frame.place = LocationTable::get().add(frame.address, std::move(*next++));
      trace.remember(frame.address, frame.place);
    }
  }

  ThreadTrace &trace;
  int skip;
  bool crossBoundary;
  size_t limit;
  size_t shown = 0;
  std::vector<SeenFrame> &frames = trace.frames;
  std::vector<CodeLocation> fresh; ///< of the frames without a place, in their order
};

void appendLine(std::string &text, const char *file, int line, const char *function) {
  text.append("  File \"").append(file).append("\", line ").append(std::to_string(line));
  text.append(", in ").append(function).append("\n");
}

constexpr TVMFFIByteArray kEmptyTrace{"", 0};

} // namespace

const TVMFFIByteArray *TVMFFIBacktrace(const char *filename, int lineno, const char *func,
                                       int cross_ffi_boundary) {
  // An error must come through even if memory for its trace is lacking.
  try {
    ThreadTrace &trace = ThreadValue<ThreadTrace>::get();
    trace.text.clear();
    size_t limit = lineLimit(), lines = 0;
    // This function and the walk; where a frame is handed in, its caller too, which is that frame.
    int skip = 2;
    if (filename && func) {
      ++skip;
      if (lines++ < limit)
        appendLine(trace.text, filename, lineno, func);
    }
    if (lines < limit)
      Walk(trace, skip, cross_ffi_boundary != 0, limit).print(lines);
    trace.view = TVMFFIByteArray{trace.text.data(), trace.text.size()};
    return &trace.view;
  } catch (const std::exception &) {
    return &kEmptyTrace;
  }
}
