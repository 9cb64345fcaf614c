#include "cache/CacheFiles.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/Files.h"
#include "base/Sha256.h"
#include "trust/FolderTrust.h"

namespace fairlead::cache {
namespace {

/// Stands before the checksum, and changes with the format: magic, checksum, bytes of the label (64
/// bits), label, bytes of the entry.
constexpr std::string_view kMagic = "FLCACHE2";
constexpr size_t kChecksumEnd = kMagic.size() + sizeof(Sha256::Digest);
constexpr size_t kHeader = kChecksumEnd + sizeof(uint64_t);

/// No result comes near it; a file that claims more is not read.
constexpr off_t kLargest = off_t{1} << 30;

/// An entry is marked as used once in this time: each mark is a write.
constexpr time_t kUseInterval = 600;

/// Reads the file of an entry; nullopt for any other file.
std::optional<std::string> readFile(int descriptor, struct stat &status) {
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kLargest ||
      status.st_size < static_cast<off_t>(kHeader))
    return std::nullopt;
  auto bytes = readUpTo(descriptor, static_cast<size_t>(status.st_size));
  if (!bytes || bytes->size() < static_cast<size_t>(status.st_size))
    return std::nullopt;
  if (::time(nullptr) - status.st_mtim.tv_sec > kUseInterval)
    ::futimens(descriptor, nullptr); // a folder of others keeps its times
  return std::move(*bytes);
}

/// Creates a folder and its parents.
SystemResult makeFolders(const std::string &path, mode_t mode) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      // Above may lie folders that cannot be written but are there.
      struct stat status;
      const SystemFailure failure = SystemFailure::last();
      if (::stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        return failure;
    }
    if (slash == std::string::npos)
      return {};
  }
}

/// Includes the name, so that an entry stored under another name is not accepted.
Sha256::Digest checksum(const EntryName &name, std::string_view content) {
  Sha256 hash;
  hash.add(name.kind);
  hash.add("/");
  hash.add(name.digest);
  hash.add("/");
  hash.add(content);
  return hash.finish();
}

std::string length(std::string_view text) {
  uint64_t size = text.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof size);
}

} // namespace

std::string entryPath(const std::string &folder, const std::string &digest) {
  return folder + "/" + digest.substr(0, 2) + "/" + digest.substr(2);
}

Found readEntry(const Root &root, const std::string &path, const EntryName &name,
                std::string &bytes, std::string *label) {
  std::optional<std::string> all;
  struct stat status;
  {
    // Not waiting: the name may have been given to a pipe.
    OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file)
      return Found::Missing;
    Result<void> owners;
    if (!root.isTrusted)
      owners = trust::checkOwners(root.path, path.substr(0, path.rfind('/')));
    all = readFile(file.get(), status);
    if (owners && !root.isTrusted && all)
      owners = trust::checkOwners(status, path);
    if (!owners) {
      trust::warnOfDistrust(root.path, owners.reason());
      return Found::Untrusted;
    }
  }
  if (!all || !all->starts_with(kMagic))
    return Found::Damaged;
  std::string_view content = std::string_view(*all).substr(kChecksumEnd);
  Sha256::Digest digest = checksum(name, content);
  if (std::memcmp(digest.data(), all->data() + kMagic.size(), sizeof digest) != 0)
    return Found::Damaged;
  uint64_t labelBytes;
  std::memcpy(&labelBytes, content.data(), sizeof labelBytes);
  if (labelBytes > content.size() - sizeof labelBytes)
    return Found::Damaged;
  if (label)
    *label = content.substr(sizeof labelBytes, labelBytes);
  bytes = content.substr(sizeof labelBytes + labelBytes);
  return Found::Whole;
}

SystemResult writeEntry(const Root &root, const std::string &path, const EntryName &name,
                        std::string_view label, std::string_view bytes) {
  if (SystemResult folder =
          makeFolders(path.substr(0, path.rfind('/')), root.isTrusted ? 0777 : 0755);
      !folder)
    return folder;
  std::string content = length(label);
  content.append(label).append(bytes);
  const Sha256::Digest digest = checksum(name, content);
  std::string file(kMagic);
  file.append(reinterpret_cast<const char *>(digest.data()), digest.size()).append(content);
  return replaceFile(path, file, root.isTrusted ? 0666 : 0644);
}

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
