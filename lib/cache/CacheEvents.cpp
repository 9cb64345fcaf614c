#include "cache/CacheEvents.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::cache {
namespace {

constexpr off_t kMost = 1 << 20;
constexpr size_t kLongestText = 120, kMostWaiting = 4096;

/// Lines for a folder that is not there yet: the first miss comes before the first entry.
struct Waiting {
  std::mutex mutex;
  std::string root, lines;

  static Waiting &get() {
    static auto *waiting = new Waiting;
    return *waiting;
  }
  void keep(const std::string &of, const std::string &line) {
    std::lock_guard lock(mutex);
    if (root != of)
      lines.clear();
    root = of;
    if (lines.size() < kMostWaiting)
      lines += line;
  }
  std::string take(const std::string &of) {
    std::lock_guard lock(mutex);
    return root == of ? std::exchange(lines, {}) : "";
  }
};

/// The file, as far as it is one; -1 with errno.
int openEvents(const std::string &path) {
  const int file = ::open(
      path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  struct stat status;
  if (file < 0)
    return -1;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file);
    errno = EEXIST;
    return -1;
  }
  if (status.st_size <= kMost)
    return file;
  // If two processes do this at once, the second renames a file of few lines, so the count is
  // short.
  ::rename(path.c_str(), (path + ".1").c_str());
  ::close(file);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
}

} // namespace

void note(const std::string &root, std::string_view kind, std::string_view what, double seconds) {
  if (root.empty())
    return;
  std::string line = std::to_string(::time(nullptr)) + " " + std::string(kind) + " " +
                     std::to_string(std::llround(seconds * 1e6)) + " ";
  line += what.substr(0, kLongestText);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  const int file = openEvents(root + "/.events");
  if (file < 0) {
    if (errno == ENOENT)
      Waiting::get().keep(root, line);
    return;
  }
  line.insert(0, Waiting::get().take(root));
  [[maybe_unused]] ssize_t count = ::write(file, line.data(), line.size());
  ::close(file);
}

} // namespace fairlead::cache
