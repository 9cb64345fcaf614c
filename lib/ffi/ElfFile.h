/// The file behind a loaded library, read piece by piece: for names and lines that are not in
/// memory.
#ifndef FAIRLEAD_FFI_ELFFILE_H_
#define FAIRLEAD_FFI_ELFFILE_H_

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tvm::ffi {

/// A loaded library: where it lies in memory and which file it came from.
struct LoadedModule {
  std::string path;
  uintptr_t base = 0;
  const ElfW(Phdr) *segments = nullptr;
  size_t segmentCount = 0;
};

/// The module that an address lies in; nothing where none does.
std::optional<LoadedModule> findModule(uintptr_t address);

/// The bytes from `address` to the end of the segment that is mapped there; 0 where none is.
size_t mappedBytesFrom(uintptr_t address);

/// An ELF file that is open for reading. Never mapped: a file that shrinks gives a short read, not
/// a signal. All offsets and counts are checked, so any content is safe.
class ElfFile {
public:
  /// Opens the file of a module. Fails (see ok()) for a file that cannot be read, or that is not
  /// the one that was loaded: one that was built again since.
  explicit ElfFile(const LoadedModule &module);
  ~ElfFile();
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  bool ok() const { return !sections.empty(); }
  /// The name of the function that covers an address of the file (not of memory), empty for none;
  /// `begin` receives where the function begins.
  std::string functionAt(uint64_t address, uint64_t *begin) const;
  /// A section's content; empty where there is none, it is compressed, or larger than `limit`.
  std::string section(std::string_view name, size_t limit) const;

private:
  bool read(uint64_t offset, void *out, size_t size) const;
  bool isLoaded(const LoadedModule &module, const Elf64_Ehdr &header) const;
  const Elf64_Shdr *find(std::string_view name) const;

  int descriptor;
  uint64_t fileSize = 0;
  std::vector<Elf64_Shdr> sections;
  std::string sectionNames;
};

} // namespace tvm::ffi

#endif // FAIRLEAD_FFI_ELFFILE_H_
