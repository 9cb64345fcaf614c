/// Keeps the cache below its limit, without a lock. Two processes that trim at once remove the same
/// oldest entries; a reader of such an entry gets a miss.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/CacheFiles.h"

namespace fairlead::cache {
namespace {

/// Seconds between two looks at the whole folder, by any process, unless much was written.
constexpr time_t kInterval = 60;
/// Age in seconds of a temporary file whose writer has been killed.
constexpr time_t kDead = 3600;

struct Entry {
  std::string path;
  uint64_t size;
  struct timespec used;
};

bool isHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Calls `take` with the names in a folder, which may be missing.
template <typename Take> void listFolder(const std::string &path, Take take) {
  struct Close {
    void operator()(DIR *folder) const { ::closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> folder(::opendir(path.c_str()));
  if (!folder)
    return;
  while (struct dirent *entry = ::readdir(folder.get()))
    take(std::string_view(entry->d_name));
}

/// The entries below `root`; removes dead temporaries on the way.
std::vector<Entry> listEntries(const std::string &root, time_t now) {
  std::vector<Entry> entries;
  listFolder(root, [&](std::string_view kind) {
    if (kind.starts_with("."))
      return;
    std::string ofKind = root + "/" + std::string(kind);
    listFolder(ofKind, [&](std::string_view first) {
      if (first.size() != 2 || !isHex(first))
        return;
      std::string folder = ofKind + "/" + std::string(first);
      listFolder(folder, [&](std::string_view name) {
        if (name.size() < 62 || !isHex(name.substr(0, 62)))
          return;
        std::string path = folder + "/" + std::string(name);
        struct stat status;
        if (::lstat(path.c_str(), &status) != 0)
          return;
        if (name.size() == 62)
          entries.push_back(
              {path,
               static_cast<uint64_t>(std::max<int64_t>(status.st_blocks * 512, status.st_size)),
               status.st_mtim});
        else if (name.substr(62).starts_with(".tmp-") && now - status.st_mtim.tv_sec > kDead)
          ::unlink(path.c_str());
      });
    });
  });
  return entries;
}

/// Returns true if some process looked lately; if not, records that this one does now.
bool lookedLately(const std::string &root, time_t now) {
  std::string stamp = root + "/.trimmed";
  struct stat status;
  if (::stat(stamp.c_str(), &status) == 0 && now - status.st_mtim.tv_sec < kInterval &&
      now >= status.st_mtim.tv_sec)
    return true;
  int file = ::open(stamp.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file >= 0) {
    ::futimens(file, nullptr);
    ::close(file);
  }
  return false;
}

} // namespace

void trim(const std::string &root, uint64_t limit, uint64_t written) {
  static std::atomic<uint64_t> sinceLast{0};
  time_t now = ::time(nullptr);
  bool much = sinceLast.fetch_add(written, std::memory_order_relaxed) + written > limit / 64;
  if (lookedLately(root, now) && !much)
    return;
  sinceLast.store(0, std::memory_order_relaxed);
  std::vector<Entry> entries = listEntries(root, now);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.size;
  if (total <= limit)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                          : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Entry &entry : entries) {
    if (total <= limit / 10 * 9)
      return;
    ::unlink(entry.path.c_str());
    total -= entry.size;
  }
}

std::optional<uint64_t> parseSize(std::string_view text) {
  uint64_t number = 0;
  auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(rest, static_cast<size_t>(text.data() + text.size() - rest));
  if (failure != std::errc())
    return std::nullopt;
  int shift = 0;
  if (!unit.empty()) {
    size_t place = std::string_view("KMGT").find(static_cast<char>(unit[0] & ~0x20));
    if (unit.size() != 1 || place == std::string_view::npos)
      return std::nullopt;
    shift = 10 * static_cast<int>(place + 1);
  }
  if (number > (UINT64_MAX >> shift))
    return std::nullopt;
  return number << shift;
}

} // namespace fairlead::cache
