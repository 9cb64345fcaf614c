#include "artifact/FileWriter.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fairlead/Diagnostics.h"

namespace fairlead {
namespace {

/// 0, or errno.
int writeAll(int fd, const std::string &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR)
      return errno;
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return 0;
}

/// 0, or errno. What could not be written whole is not left.
int writeNew(const std::string &path, const std::string &bytes) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  int problem = writeAll(fd, bytes);
  // Some file systems say only here that they are full.
  if (::close(fd) != 0 && problem == 0)
    problem = errno;
  if (problem != 0)
    ::unlink(path.c_str());
  return problem;
}

} // namespace

void writeFiles(const std::vector<std::pair<std::string, std::string>> &files) {
  static std::atomic<unsigned> counter = 0;
  const std::string suffix =
      ".tmp" + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1));
  size_t written = 0;
  auto fail = [&](const std::string &path, int problem) {
    for (size_t i = 0; i < written; ++i)
      ::unlink((files[i].first + suffix).c_str());
    throw makeError(Diagnostic::ExportPath, {{"path", path}, {"reason", std::strerror(problem)}});
  };
  for (; written < files.size(); ++written)
    if (int problem = writeNew(files[written].first + suffix, files[written].second))
      fail(files[written].first, problem);
  for (const auto &[path, bytes] : files)
    if (std::rename((path + suffix).c_str(), path.c_str()) != 0)
      fail(path, errno);
}

} // namespace fairlead
