/// The file behind a loaded library, read piece by piece: for names and lines that are not in
/// memory.
#pragma once

#include <link.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "elf/FileSource.h"
#include "elf/Reader.h"

namespace tvm::ffi {

/// A loaded library: its position in memory and its file.
struct LoadedModule {
  std::string path;
  uintptr_t base = 0;
  const ElfW(Phdr) *segments = nullptr;
  size_t segmentCount = 0;
};

/// Returns the module that contains an address, if any.
std::optional<LoadedModule> findModule(uintptr_t address);

/// The bytes from `address` to the end of the segment that is mapped there; 0 if none is.
size_t mappedBytesFrom(uintptr_t address);

/// The file of a loaded library, open for reading. Any content is safe.
class ElfFile {
public:
  /// Opens the file of a module. Fails (see ok()) for a file that cannot be read, or that is not
  /// the one that was loaded: one that was built again since.
  explicit ElfFile(const LoadedModule &module);

  bool ok() const { return !reader.sections.empty(); }
  /// The name of the function that covers an address of the file (not of memory), empty for none;
  /// `begin` receives where the function begins.
  std::string functionAt(uint64_t address, uint64_t *begin) const;
  /// Returns a section's content; empty if it is missing, compressed, or larger than `limit`.
  std::string section(std::string_view name, size_t limit) const;

private:
  bool isLoaded(const LoadedModule &module) const;

  fairlead::elf::FileSource source;
  fairlead::elf::Reader reader;
};

} // namespace tvm::ffi
