/// An open file as a source of bytes.
#pragma once

#include "base/Result.h"
#include "elf/Reader.h"

namespace fairlead::elf {

/// Read with pread and never mapped: a file that shrinks meanwhile gives a failed read, not a
/// signal.
class FileSource final : public ByteSource {
public:
  explicit FileSource(const char *path);
  /// An open descriptor, which this closes.
  explicit FileSource(int descriptor) : FileSource(descriptor, NotRead()) { refresh(); }
  ~FileSource() override;
  FileSource(const FileSource &) = delete;
  FileSource &operator=(const FileSource &) = delete;

  /// Fails if the file cannot be read.
  const Result<void> &opened() const { return state; }
  uint64_t size() const override { return bytes; }
  bool read(uint64_t offset, void *out, size_t count) const override;

  /// Reads size and kind of the file again. Returns opened().
  const Result<void> &refresh();
  int handle() const { return descriptor; }

private:
  struct NotRead {};
  /// Owns the descriptor before `refresh` can throw.
  FileSource(int descriptor, NotRead) noexcept : descriptor(descriptor) {}

  int descriptor;
  uint64_t bytes = 0;
  Result<void> state;
};

} // namespace fairlead::elf
