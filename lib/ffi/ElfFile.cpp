#include "ElfFile.h"

#include <unistd.h>

#include <cstring>

using namespace tvm::ffi;

namespace {

// Only whole frameworks have larger tables: reading them is not worth a name.
constexpr uint64_t kSymbolTableLimit = 64 << 20;
constexpr uint64_t kNoteLimit = 64 << 10;
constexpr size_t kNameLimit = 4096;

/// Calls `visit` with the module that covers `address`, under the dynamic linker's lock.
template <typename Visit> void visitModule(uintptr_t address, Visit visit) {
  struct Query {
    uintptr_t address;
    Visit *visit;
  } query{address, &visit};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *context) {
        auto *query = static_cast<Query *>(context);
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &segment = info->dlpi_phdr[i];
          uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || query->address - begin >= segment.p_memsz)
            continue;
          (*query->visit)(*info, segment);
          return 1;
        }
        return 0;
      },
      &query);
}

std::string programPath() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "/proc/self/exe";
}

} // namespace

std::optional<LoadedModule> tvm::ffi::findModule(uintptr_t address) {
  std::optional<LoadedModule> module;
  visitModule(address, [&](const dl_phdr_info &info, const ElfW(Phdr) &) {
    bool isProgram = !info.dlpi_name || !*info.dlpi_name;
    module = LoadedModule{isProgram ? programPath() : info.dlpi_name, info.dlpi_addr,
                          info.dlpi_phdr, info.dlpi_phnum};
  });
  return module;
}

size_t tvm::ffi::mappedBytesFrom(uintptr_t address) {
  size_t size = 0;
  visitModule(address, [&](const dl_phdr_info &info, const ElfW(Phdr) & segment) {
    size = info.dlpi_addr + segment.p_vaddr + segment.p_memsz - address;
  });
  return size;
}

ElfFile::ElfFile(const LoadedModule &module) : source(module.path.c_str()), reader(source) {
  if (!source.opened() || !reader.readHeader() || !reader.readSegments() || !isLoaded(module) ||
      !reader.readSections())
    reader.sections.clear();
}

/// True if program headers and notes (including the build id) match those in memory.
bool ElfFile::isLoaded(const LoadedModule &module) const {
  if (reader.segments.size() != module.segmentCount ||
      std::memcmp(reader.segments.data(), module.segments,
                  module.segmentCount * sizeof(Elf64_Phdr)) != 0)
    return false;
  std::string buffer;
  for (const Elf64_Phdr &segment : reader.segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kNoteLimit)
      continue;
    auto note = source.view(segment.p_offset, segment.p_filesz, buffer);
    if (!note ||
        std::memcmp(note->data(), reinterpret_cast<const void *>(module.base + segment.p_vaddr),
                    note->size()) != 0)
      return false;
  }
  return true;
}

std::string ElfFile::section(std::string_view name, size_t limit) const {
  const fairlead::elf::Section *section = reader.find(name);
  if (!section || (section->sh_flags & SHF_COMPRESSED) || section->sh_size > limit)
    return "";
  std::string buffer;
  return reader.content(*section, buffer) ? buffer : "";
}

std::string ElfFile::functionAt(uint64_t address, uint64_t *begin) const {
  const fairlead::elf::Section *table = reader.find(".symtab");
  std::string result;
  if (!table || table->sh_size > kSymbolTableLimit)
    return result;
  reader.forEachSymbol(*table, [&](const Elf64_Sym &symbol, uint64_t) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address - symbol.st_value >= symbol.st_size)
      return true;
    const Elf64_Shdr &names = reader.sections[table->sh_link];
    if (symbol.st_name >= names.sh_size)
      return false;
    std::string buffer;
    if (auto name =
            source.view(names.sh_offset + symbol.st_name,
                        std::min<uint64_t>(kNameLimit, names.sh_size - symbol.st_name), buffer)) {
      result = name->substr(0, name->find('\0'));
      *begin = symbol.st_value;
    }
    return false;
  });
  return result;
}
