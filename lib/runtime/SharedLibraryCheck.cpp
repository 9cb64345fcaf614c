/// FairleadCheckSharedLibrary: a file, told by its headers, before dlopen maps it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>

#include "fairlead/Runtime.h"
#include "runtime/ElfCheck.h"
#include "runtime/Raise.h"

namespace fairlead::runtime {
namespace {

/// An open file. Read with pread and never mapped: a file that shrinks meanwhile gives a short
/// read.
class FileSource : public ByteSource {
public:
  explicit FileSource(const char *path) : fd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd < 0 || fstat(fd, &status) != 0)
      failure = errno;
  }
  ~FileSource() override {
    if (fd >= 0)
      close(fd);
  }
  FileSource(const FileSource &) = delete;
  FileSource &operator=(const FileSource &) = delete;

  int error() const { return failure; }
  bool isFile() const { return S_ISREG(status.st_mode); }
  uint64_t size() const override { return static_cast<uint64_t>(status.st_size); }

  bool read(uint64_t offset, void *out, size_t count) const override {
    auto *bytes = static_cast<char *>(out);
    while (count > 0) {
      ssize_t got = pread(fd, bytes, count, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return false;
      bytes += got;
      offset += static_cast<uint64_t>(got);
      count -= static_cast<size_t>(got);
    }
    return true;
  }

private:
  int fd;
  int failure = 0;
  struct stat status{};
};

int32_t check(const char *path) {
  if (!path || !*path) {
    raise(nullptr, Diagnostic::LibraryUnreadable, {{"path", ""}, {"reason", "an empty path"}});
    return -1;
  }
  FileSource file(path);
  if (file.error() || !file.isFile()) {
    std::string reason =
        file.error() ? std::generic_category().message(file.error()) : "not a regular file";
    raise(nullptr, Diagnostic::LibraryUnreadable, {{"path", path}, {"reason", reason}});
    return -1;
  }
  ElfProblem found = checkElf(file);
  if (!found.failed)
    return 0;
  raise(nullptr, found.id,
        {{"path", path}, {"expected", found.expected}, {"got", found.got}, {"part", found.part}});
  return -1;
}

} // namespace
} // namespace fairlead::runtime

int32_t FairleadCheckSharedLibrary(const char *path) {
  try {
    return fairlead::runtime::check(path);
  } catch (const std::exception &failure) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
    return -1;
  }
}
