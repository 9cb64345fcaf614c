/// Files that are read and written whole.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Result.h"

namespace fairlead {

/// A system call that failed.
struct SystemFailure {
  int number; ///< errno
  std::string reason;

  static SystemFailure last() { return {errno, std::strerror(errno)}; }
};
using SystemResult = Result<void, SystemFailure>;

/// Closes a descriptor at the end.
class OwnedDescriptor {
public:
  explicit OwnedDescriptor(int descriptor) : descriptor(descriptor) {}
  ~OwnedDescriptor() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  OwnedDescriptor(const OwnedDescriptor &) = delete;
  OwnedDescriptor &operator=(const OwnedDescriptor &) = delete;

  explicit operator bool() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  /// Fails if the file system only now says that it is full.
  SystemResult close() {
    const int closed = ::close(descriptor);
    descriptor = -1;
    return closed == 0 ? SystemResult() : SystemFailure::last();
  }

private:
  int descriptor;
};

inline SystemResult writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return SystemFailure::last();
    if (count > 0)
      bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

/// Reads `size` bytes, or fewer if the file ends before.
inline Result<std::string, SystemFailure> readUpTo(int descriptor, size_t size) {
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(descriptor, bytes.data() + filled, size - filled);
    if (count < 0 && errno != EINTR)
      return SystemFailure::last();
    if (count == 0)
      break;
    if (count > 0)
      filled += static_cast<size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

/// Reads a regular file.
inline Result<std::string, SystemFailure> readFile(const std::string &path) {
  // Not waiting: the name may have been given to a pipe.
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0)
    return SystemFailure::last();
  if (!S_ISREG(status.st_mode))
    return SystemFailure{EINVAL, "not a regular file"};
  return readUpTo(file.get(), static_cast<size_t>(status.st_size));
}

/// Creates a file, which must not exist. A file that cannot be written whole is removed.
inline SystemResult writeNewFile(const std::string &path, std::string_view bytes,
                                 mode_t mode = 0666) {
  OwnedDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file)
    return SystemFailure::last();
  SystemResult written = writeAll(file.get(), bytes);
  if (SystemResult closed = file.close(); written)
    written = closed;
  if (!written)
    ::unlink(path.c_str());
  return written;
}

/// A name next to `path` that no other writer uses.
inline std::string temporaryPath(const std::string &path) {
  static std::atomic<uint64_t> counter{0};
  // Process ids repeat on other machines that share the folder: the time makes the name new.
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(now.tv_nsec) + "-" +
         std::to_string(counter++);
}

/// Writes a file under a temporary name, then renames it to `path`.
inline SystemResult replaceFile(const std::string &path, std::string_view bytes,
                                mode_t mode = 0666) {
  const std::string temporary = temporaryPath(path);
  SystemResult written = writeNewFile(temporary, bytes, mode);
  if (!written || std::rename(temporary.c_str(), path.c_str()) == 0)
    return written;
  const SystemFailure failure = SystemFailure::last();
  ::unlink(temporary.c_str());
  return failure;
}

} // namespace fairlead
