#include "runtime/Trace.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "fairlead/Trace.h"

namespace fairlead::runtime::trace {

constinit std::atomic<bool> recording{false};

namespace {

/// About 100 MB.
constexpr size_t kMostEvents = 1'000'000;

enum class Kind : uint8_t { Blocks, CpuLaunch, CudaLaunch };

struct Event {
  const std::string *kernel;
  int64_t start, end;
  int64_t first, count; ///< blocks
  int32_t grid[3], block[3];
  int32_t thread, device;
  Kind kind;
};

/// Made at the first use and never destroyed: threads of the pool may run until the process ends.
struct Log {
  std::mutex mutex;
  std::set<std::string> names;
  std::map<int32_t, std::string> threads; ///< names not written yet
  std::set<int32_t> namedThreads;
  std::vector<Event> events;
  uint64_t dropped = 0;
  std::string text;
};

Log &log() {
  static Log *made = new Log;
  return *made;
}

void add(Event event) {
  event.end = now();
  event.thread = static_cast<int32_t>(syscall(SYS_gettid));
  std::lock_guard lock(log().mutex);
  if (log().events.size() >= kMostEvents) {
    ++log().dropped;
    return;
  }
  if (log().namedThreads.insert(event.thread).second) {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    log().threads[event.thread] = name;
  }
  log().events.push_back(event);
}

void appendQuoted(std::string &out, const std::string &text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string extents(const int32_t (&of)[3]) {
  return "\"(" + std::to_string(of[0]) + ", " + std::to_string(of[1]) + ", " +
         std::to_string(of[2]) + ")\"";
}

void append(std::string &out, const Event &event) {
  char times[96];
  std::snprintf(times, sizeof(times), "\"ts\": %lld.%03d, \"dur\": %lld.%03d",
                static_cast<long long>(event.start / 1000), int(event.start % 1000),
                static_cast<long long>((event.end - event.start) / 1000),
                int((event.end - event.start) % 1000));
  out += "{\"name\": ";
  appendQuoted(out, *event.kernel);
  out += ", \"cat\": ";
  out += event.kind == Kind::Blocks ? "\"blocks\"" : "\"launch\"";
  out += ", \"ph\": \"X\", ";
  out += times;
  out += ", \"pid\": " + std::to_string(getpid()) + ", \"tid\": " + std::to_string(event.thread);
  out += ", \"args\": {";
  if (event.kind == Kind::Blocks) {
    out += "\"first\": " + std::to_string(event.first) +
           ", \"blocks\": " + std::to_string(event.count);
  } else {
    std::string device =
        event.kind == Kind::CpuLaunch ? "cpu" : "cuda:" + std::to_string(event.device);
    out += "\"device\": \"" + device + "\", \"grid\": " + extents(event.grid) +
           ", \"block\": " + extents(event.block);
  }
  out += "}}";
}

} // namespace

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

const std::string *intern(const char *kernel) {
  std::lock_guard lock(log().mutex);
  return &*log().names.emplace(kernel).first;
}

void addLaunch(const std::string *kernel, const FairleadLaunch &launch, bool onCpu, int32_t id,
               int64_t start) {
  Event event{};
  event.kernel = kernel;
  event.start = start;
  for (int i = 0; i < 3; ++i) {
    event.grid[i] = launch.grid[i];
    event.block[i] = launch.block[i];
  }
  event.device = id;
  event.kind = onCpu ? Kind::CpuLaunch : Kind::CudaLaunch;
  add(event);
}

void addBlocks(const std::string *kernel, uint64_t from, uint64_t to, int64_t start) {
  Event event{};
  event.kernel = kernel;
  event.start = start;
  event.first = static_cast<int64_t>(from);
  event.count = static_cast<int64_t>(to - from);
  add(event);
}

} // namespace fairlead::runtime::trace

using namespace fairlead::runtime::trace;

void FairleadTraceRecord(int32_t on) { recording.store(on != 0, std::memory_order_relaxed); }

const char *FairleadTraceTake(void) {
  std::lock_guard lock(log().mutex);
  std::string &text = log().text;
  text = "[";
  auto separate = [&] {
    if (text.size() > 1)
      text += ",\n";
  };
  for (const auto &[thread, name] : log().threads) {
    separate();
    text += "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": " + std::to_string(getpid()) +
            ", \"tid\": " + std::to_string(thread) + ", \"args\": {\"name\": ";
    appendQuoted(text, name);
    text += "}}";
  }
  for (const Event &event : log().events) {
    separate();
    append(text, event);
  }
  if (log().dropped) {
    separate();
    text +=
        "{\"name\": \"launches beyond the first million events: " + std::to_string(log().dropped) +
        " not recorded\", \"cat\": \"trace\", \"ph\": \"I\", " +
        "\"ts\": " + std::to_string(now() / 1000) + ", \"pid\": " + std::to_string(getpid()) +
        ", \"s\": \"p\"}";
  }
  text += "]";
  log().threads.clear();
  log().events.clear();
  log().events.shrink_to_fit();
  log().dropped = 0;
  return text.c_str();
}
