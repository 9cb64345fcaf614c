/// Whether a file is a whole shared library of this machine, told from its ELF headers alone.
#ifndef FAIRLEAD_LIB_RUNTIME_ELFCHECK_H
#define FAIRLEAD_LIB_RUNTIME_ELFCHECK_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "fairlead/Diagnostics.h"

namespace fairlead::runtime {

/// Bytes of known length that are read piecewise: a file, or memory in a test.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  /// Copies `count` bytes from `offset`; false when they cannot be read.
  virtual bool read(uint64_t offset, void *out, size_t count) const = 0;
};

/// What is wrong with a library; `failed` is false when nothing is.
struct ElfProblem {
  bool failed = false;
  Diagnostic id{};
  std::string expected, got, part; ///< values of the diagnostic's places of these names
};

/// Checks identification, machine, kind, and that every header and segment ends inside the source.
/// All reads are bounds-checked and all sums overflow-checked, so any content is safe.
ElfProblem checkElf(const ByteSource &source);

} // namespace fairlead::runtime
#endif // FAIRLEAD_LIB_RUNTIME_ELFCHECK_H
