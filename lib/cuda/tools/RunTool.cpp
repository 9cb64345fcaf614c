#include "cuda/tools/RunTool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "cuda/tools/SearchPath.h"

extern char **environ;

namespace fairlead::cuda {

TemporaryFolder::TemporaryFolder() {
  std::string base = environment("TMPDIR");
  name = (base.empty() ? "/tmp" : base) + "/fairlead-cuda-XXXXXX";
  if (!mkdtemp(name.data())) {
    failure = std::generic_category().message(errno) + ": " + name;
    name.clear();
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!name.empty())
    std::filesystem::remove_all(name, ignored);
}

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

bool writeFile(const std::string &path, std::string_view bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  return bool(stream);
}

std::vector<std::string> splitWords(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

int runProgram(const std::string &program, std::vector<std::string> arguments,
               const std::string &logPath, std::string &error) {
  std::vector<char *> argv{const_cast<char *>(program.c_str())};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, logPath.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) {
    error = "cannot run it: " + std::generic_category().message(failed);
    return -1;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 0; // the host program reaps children itself; the output file tells
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return 0;
  error = WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                            : "killed by signal " + std::to_string(WTERMSIG(status));
  return -1;
}

} // namespace fairlead::cuda
