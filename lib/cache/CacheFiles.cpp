#include "cache/CacheFiles.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  explicit operator bool() const { return descriptor >= 0; }

  std::optional<std::string> read(struct stat &status) const {
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > kLargest || status.st_size < static_cast<off_t>(kHeader))
      return std::nullopt;
    std::string bytes(static_cast<size_t>(status.st_size), '\0');
    size_t got = 0;
    while (got < bytes.size()) {
      ssize_t count = ::read(descriptor, bytes.data() + got, bytes.size() - got);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return std::nullopt;
      got += static_cast<size_t>(count);
    }
    if (::time(nullptr) - status.st_mtim.tv_sec > kUseInterval)
      ::futimens(descriptor, nullptr); // a folder of others keeps its times
    return bytes;
  }

  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

private:
  int descriptor;
};

/// Creates a folder and its parents. Returns false with errno set.
bool makeFolders(const std::string &path, mode_t mode) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      // Above may lie folders that cannot be written but are there.
      struct stat status;
      int reason = errno;
      if (::stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        errno = reason;
        return false;
      }
    }
    if (slash == std::string::npos)
      return true;
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
    File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file)
      return Found::Missing;
    std::string reason;
    if (!root.isTrusted)
      reason = trust::distrust(root.path, path.substr(0, path.rfind('/')));
    all = file.read(status);
    if (reason.empty() && !root.isTrusted && all)
      reason = trust::distrust(status, path);
    if (!reason.empty()) {
      trust::warnOfDistrust(root.path, reason);
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

int writeEntry(const Root &root, const std::string &path, const EntryName &name,
               std::string_view label, std::string_view bytes) {
  static std::atomic<uint64_t> counter{0};
  if (!makeFolders(path.substr(0, path.rfind('/')), root.isTrusted ? 0777 : 0755))
    return errno;
  // Process ids repeat on other machines that share the folder: the time makes the name new.
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::string temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" +
                          std::to_string(now.tv_nsec) + "-" + std::to_string(counter++);
  std::string content = length(label);
  content.append(label).append(bytes);
  Sha256::Digest digest = checksum(name, content);
  int reason = 0;
  {
    File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                     root.isTrusted ? 0666 : 0644));
    if (!file)
      return errno;
    std::string_view sum(reinterpret_cast<const char *>(digest.data()), sizeof digest);
    if (!file.write(kMagic) || !file.write(sum) || !file.write(content))
      reason = errno;
  }
  if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    reason = errno;
  if (reason != 0)
    ::unlink(temporary.c_str());
  return reason;
}

} // namespace fairlead::cache
