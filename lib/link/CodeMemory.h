/// Memory for machine code. The code of many objects lies packed in a few large regions, so that
/// the number of the process's memory maps hardly grows with the number of functions.
#pragma once

#include <cstddef>
#include <utility>

#include "base/Result.h"

namespace fairlead::link {

/// Pages for the code and the data of one object, at most 1 GiB from each other. Given back when it
/// is destroyed: nothing may run in it then, or return into it. No page can be written while it can
/// be executed. Safe from any thread; one piece belongs to one thread at a time.
class CodeMemory {
public:
  CodeMemory() = default;
  CodeMemory(CodeMemory &&other) noexcept { *this = std::move(other); }
  CodeMemory &operator=(CodeMemory &&other) noexcept {
    std::swap(region, other.region);
    std::swap(codeAt, other.codeAt);
    std::swap(dataAt, other.dataAt);
    std::swap(codeSize, other.codeSize);
    std::swap(dataSize, other.dataSize);
    return *this;
  }
  ~CodeMemory() { giveBack(); }

  /// Allocates `codeBytes` of code and constants and `dataBytes` of data, both on page boundaries.
  /// The data is writable and zero. Fails if the system refuses.
  Result<void> take(size_t codeBytes, size_t dataBytes);
  /// Copies all of the code, `codeBytes` from `bytes`, once; from then on it is executable and
  /// read-only. Fails if the system refuses.
  Result<void> write(const void *bytes);
  void giveBack() noexcept;

  char *code() const { return codeAt; }
  char *data() const { return dataAt; }

  /// Memory in use, for tests and diagnostics.
  struct Usage {
    size_t regions, codeBytes, dataBytes;
  };
  static Usage usage();

private:
  struct Region *region = nullptr;
  char *codeAt = nullptr, *dataAt = nullptr;
  size_t codeSize = 0, dataSize = 0; ///< bytes as asked for
};

} // namespace fairlead::link
