#include "elf/FileSource.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fairlead::elf {

FileSource::FileSource(const char *path)
    : FileSource(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

const Result<void> &FileSource::refresh() {
  struct stat status;
  state = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    state = Failed{std::generic_category().message(errno)};
  else if (!S_ISREG(status.st_mode))
    state = Failed{"not a regular file"};
  else
    bytes = static_cast<uint64_t>(status.st_size);
  return state;
}

FileSource::~FileSource() {
  if (descriptor >= 0)
    close(descriptor);
}

bool FileSource::read(uint64_t offset, void *out, size_t count) const {
  if (!has(offset, count))
    return false;
  auto *target = static_cast<char *>(out);
  while (count > 0) {
    ssize_t got = pread(descriptor, target, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    target += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
  return true;
}

} // namespace fairlead::elf
