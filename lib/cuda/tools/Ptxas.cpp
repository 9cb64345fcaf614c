#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "cuda/tools/SearchPath.h"
#include "cuda/tools/Tools.h"

extern char **environ;

namespace fairlead::cuda {
namespace {

/// A new folder for the files of one run, removed with the scope.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string base = environment("TMPDIR");
    name = (base.empty() ? "/tmp" : base) + "/fairlead-ptxas-XXXXXX";
    if (!mkdtemp(name.data())) {
      failure = std::generic_category().message(errno) + ": " + name;
      name.clear();
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!name.empty())
      std::filesystem::remove_all(name, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &error() const { return failure; }
  std::string file(const char *leaf) const { return name + "/" + leaf; }

private:
  std::string name, failure;
};

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Runs a program with both outputs going to `logPath`; 0 when it exited so, else -1 with `error`
/// set.
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

std::string findPtxas() {
  std::string path = findInToolkits({"bin/ptxas"});
  return path.empty() ? findOnPath("ptxas") : path;
}

} // namespace

Assembled assembleWithPtxas(std::string_view ptx, std::string_view arch) {
  Assembled result;
  std::string program = findPtxas();
  if (program.empty())
    return result;
  result.tool = "ptxas (" + program + ")";
  TemporaryFolder folder;
  if (!folder.error().empty()) {
    result.error = "cannot make a temporary folder: " + folder.error();
    return result;
  }
  std::string input = folder.file("kernel.ptx");
  std::string output = folder.file("kernel.cubin");
  std::string log = folder.file("log");
  std::ofstream stream(input, std::ios::binary);
  stream.write(ptx.data(), static_cast<std::streamsize>(ptx.size()));
  stream.close();
  if (!stream) {
    result.error = "cannot write " + input;
    return result;
  }
  if (runProgram(program, {"-arch=" + std::string(arch), "-o", output, input}, log, result.error) ==
      0)
    result.cubin = readFile(output);
  if (result.cubin.empty())
    result.error += (result.error.empty() ? "no output: " : ": ") + readFile(log);
  return result;
}

} // namespace fairlead::cuda
