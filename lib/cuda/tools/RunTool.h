/// Running a program of a CUDA toolkit.
#ifndef FAIRLEAD_LIB_CUDA_TOOLS_RUNTOOL_H
#define FAIRLEAD_LIB_CUDA_TOOLS_RUNTOOL_H

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::cuda {

/// A new folder for the files of one run, removed with the scope.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// Why there is none; "" when there is.
  const std::string &error() const { return failure; }
  std::string file(const char *leaf) const { return name + "/" + leaf; }

private:
  std::string name, failure;
};

/// The file's bytes; "" when it cannot be read.
std::string readFile(const std::string &path);
/// False when the file could not be written.
bool writeFile(const std::string &path, std::string_view bytes);
/// The words of a text; quotes have no meaning.
std::vector<std::string> splitWords(std::string_view text);

/// Runs a program with both outputs going to `logPath`; 0 when it exited so, else -1 with `error`
/// set.
int runProgram(const std::string &program, std::vector<std::string> arguments,
               const std::string &logPath, std::string &error);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_CUDA_TOOLS_RUNTOOL_H
