/// Running a program of a CUDA toolkit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/Result.h"

namespace fairlead::cuda {

/// A file in memory, which a program that runProgram starts sees as /proc/self/fd/3 and so on:
/// nothing is left behind, whenever this process ends.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view content = {});
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  /// The failure to create the file, if it failed.
  const Result<void> &made() const { return state; }
  std::string content() const;
  int descriptor() const { return fd; }

private:
  struct NotWritten {};
  /// Owns the descriptor before anything can throw.
  MemoryFile(int fd, NotWritten) noexcept : fd(fd) {}

  int fd;
  Result<void> state;
};

/// The words of a text; quotes have no meaning.
std::vector<std::string> splitWords(std::string_view text);

/// Runs a program with `files` as its descriptors 3, 4, … and both outputs going to `log`. Fails
/// unless it exits with 0.
Result<void> runProgram(const std::string &program, std::vector<std::string> arguments,
                        const std::vector<const MemoryFile *> &files, const MemoryFile &log);

} // namespace fairlead::cuda
