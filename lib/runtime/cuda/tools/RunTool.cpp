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

MemoryFile::MemoryFile(std::string_view content)
    : MemoryFile(memfd_create("fairlead", MFD_CLOEXEC), NotWritten()) {
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

namespace {

/// Copies of descriptors, which are closed together.
class Copies {
public:
  explicit Copies(size_t most) { all.reserve(most); }
  ~Copies() {
    for (int fd : all)
      if (fd >= 0)
        ::close(fd);
  }
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;

  /// The copy's number is `least` or more; negative if the system has none.
  int add(int fd, int least) {
    return all.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, least)); // has room
  }

private:
  std::vector<int> all;
};

/// A child's actions on descriptors before it runs a program.
class SpawnActions {
public:
  SpawnActions() : failed(posix_spawn_file_actions_init(&list)) {}
  ~SpawnActions() { posix_spawn_file_actions_destroy(&list); }
  SpawnActions(const SpawnActions &) = delete;
  SpawnActions &operator=(const SpawnActions &) = delete;

  void open(int fd, const char *path) {
    if (!failed)
      failed = posix_spawn_file_actions_addopen(&list, fd, path, O_RDONLY, 0);
  }
  void copy(int from, int to) {
    if (!failed)
      failed = posix_spawn_file_actions_adddup2(&list, from, to);
  }

  posix_spawn_file_actions_t list;
  int failed; ///< an error number, or 0
};

/// Starts the program. Returns an error number, or 0.
int start(const std::string &program, char *const *argv,
          const std::vector<const MemoryFile *> &files, const MemoryFile &log, pid_t &child) {
  // A descriptor may itself be among 3, 4, …: all are first moved out of the way.
  Copies copies(files.size() + 1);
  const int end = 3 + static_cast<int>(files.size());
  SpawnActions actions;
  actions.open(0, "/dev/null");
  const int output = copies.add(log.descriptor(), end);
  actions.copy(output, 1);
  actions.copy(output, 2);
  for (size_t i = 0; i < files.size(); ++i)
    actions.copy(copies.add(files[i]->descriptor(), end), 3 + static_cast<int>(i));
  if (actions.failed)
    return actions.failed;
  return posix_spawn(&child, program.c_str(), &actions.list, nullptr, argv, environ);
}

} // namespace

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
