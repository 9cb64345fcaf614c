#include "runtime/cuda/tools/RunTool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>

#include "base/Files.h"

extern char **environ;

namespace fairlead::cuda {

MemoryFile::MemoryFile(std::string_view content) : fd(memfd_create("fairlead", MFD_CLOEXEC)) {
  if (fd < 0)
    state = Failed{std::string("cannot make a file in memory: ") + std::strerror(errno)};
  else if (SystemResult written = writeAll(fd, content); !written)
    state = Failed{"cannot write a file in memory: " + written.reason()};
}

MemoryFile::~MemoryFile() {
  if (fd >= 0)
    ::close(fd);
}

std::string MemoryFile::content() const {
  std::string bytes;
  char part[1 << 16];
  ssize_t size;
  while ((size = ::pread(fd, part, sizeof(part), static_cast<off_t>(bytes.size()))) > 0)
    bytes.append(part, static_cast<size_t>(size));
  return bytes;
}

std::vector<std::string> splitWords(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Starts the program; what stopped that, or 0.
static int start(const std::string &program, char *const *argv,
                 const std::vector<const MemoryFile *> &files, const MemoryFile &log,
                 pid_t &child) {
  // A descriptor may itself be among 3, 4, …: all are first moved out of the way.
  std::vector<int> moved;
  const int end = 3 + static_cast<int>(files.size());
  for (const MemoryFile *file : files)
    moved.push_back(fcntl(file->descriptor(), F_DUPFD_CLOEXEC, end));
  int output = fcntl(log.descriptor(), F_DUPFD_CLOEXEC, end);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, output, 2);
  for (size_t i = 0; i < moved.size(); ++i)
    posix_spawn_file_actions_adddup2(&actions, moved[i], 3 + static_cast<int>(i));
  int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  moved.push_back(output);
  for (int fd : moved)
    if (fd >= 0)
      ::close(fd);
  return failed;
}

Result<void> runProgram(const std::string &program, std::vector<std::string> arguments,
                        const std::vector<const MemoryFile *> &files, const MemoryFile &log) {
  std::vector<char *> argv{const_cast<char *>(program.c_str())};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (int failed = start(program, argv.data(), files, log, child))
    return Failed{std::string("cannot run it: ") + std::strerror(failed)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return {}; // the host program reaps children itself; the output file tells
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  return Failed{WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                                  : "killed by signal " + std::to_string(WTERMSIG(status))};
}

} // namespace fairlead::cuda
