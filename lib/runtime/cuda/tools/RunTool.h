/// Running a program of a CUDA toolkit.
#ifndef FAIRLEAD_LIB_RUNTIME_CUDA_TOOLS_RUNTOOL_H_
#define FAIRLEAD_LIB_RUNTIME_CUDA_TOOLS_RUNTOOL_H_

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::cuda {

/// A file in memory, which a program that runProgram starts sees as /proc/self/fd/3 and so on:
/// nothing is left behind, whenever this process ends.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view content = {});
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  /// Why there is none; "" when there is.
  const std::string &error() const { return failure; }
  std::string content() const;
  int descriptor() const { return fd; }

private:
  int fd;
  std::string failure;
};

/// The words of a text; quotes have no meaning.
std::vector<std::string> splitWords(std::string_view text);

/// Runs a program with `files` as its descriptors 3, 4, … and both outputs going to `log`; 0 when
/// it exited so, else -1 with `error` set.
int runProgram(const std::string &program, std::vector<std::string> arguments,
               const std::vector<const MemoryFile *> &files, const MemoryFile &log,
               std::string &error);

} // namespace fairlead::cuda
#endif // FAIRLEAD_LIB_RUNTIME_CUDA_TOOLS_RUNTOOL_H_
