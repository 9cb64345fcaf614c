#include "ElfFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace tvm::ffi;

namespace {

// Larger tables are those of whole frameworks: reading them is not worth a name.
constexpr uint64_t kSectionTableLimit = 1 << 20;
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
  std::optional<LoadedModule> found;
  visitModule(address, [&](const dl_phdr_info &info, const ElfW(Phdr) &) {
    bool isProgram = !info.dlpi_name || !*info.dlpi_name;
    found = LoadedModule{isProgram ? programPath() : info.dlpi_name, info.dlpi_addr, info.dlpi_phdr,
                         info.dlpi_phnum};
  });
  return found;
}

size_t tvm::ffi::mappedBytesFrom(uintptr_t address) {
  size_t size = 0;
  visitModule(address, [&](const dl_phdr_info &info, const ElfW(Phdr) & segment) {
    size = info.dlpi_addr + segment.p_vaddr + segment.p_memsz - address;
  });
  return size;
}

ElfFile::ElfFile(const LoadedModule &module)
    : descriptor(open(module.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return;
  fileSize = static_cast<uint64_t>(status.st_size);
  Elf64_Ehdr header;
  if (!read(0, &header, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shnum * sizeof(Elf64_Shdr) > kSectionTableLimit || !isLoaded(module, header))
    return;
  std::vector<Elf64_Shdr> table(header.e_shnum);
  if (!read(header.e_shoff, table.data(), table.size() * sizeof(Elf64_Shdr)) ||
      header.e_shstrndx >= table.size() || table[header.e_shstrndx].sh_size > kSectionTableLimit)
    return;
  sectionNames.resize(table[header.e_shstrndx].sh_size);
  if (read(table[header.e_shstrndx].sh_offset, sectionNames.data(), sectionNames.size()))
    sections = std::move(table);
}

ElfFile::~ElfFile() {
  if (descriptor >= 0)
    close(descriptor);
}

bool ElfFile::read(uint64_t offset, void *out, size_t size) const {
  if (offset > fileSize || size > fileSize - offset)
    return false;
  auto *bytes = static_cast<char *>(out);
  while (size > 0) {
    ssize_t got = pread(descriptor, bytes, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    bytes += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

/// Whether program headers and notes (among them the build's id) are those in memory.
bool ElfFile::isLoaded(const LoadedModule &module, const Elf64_Ehdr &header) const {
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum != module.segmentCount)
    return false;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  size_t size = segments.size() * sizeof(Elf64_Phdr);
  if (!read(header.e_phoff, segments.data(), size) ||
      std::memcmp(segments.data(), module.segments, size) != 0)
    return false;
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kNoteLimit)
      continue;
    std::string note(segment.p_filesz, '\0');
    if (!read(segment.p_offset, note.data(), note.size()) ||
        std::memcmp(note.data(), reinterpret_cast<const void *>(module.base + segment.p_vaddr),
                    note.size()) != 0)
      return false;
  }
  return true;
}

const Elf64_Shdr *ElfFile::find(std::string_view name) const {
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_name >= sectionNames.size())
      continue;
    // A std::string ends in a NUL, so the name ends there at the latest.
    if (name == sectionNames.c_str() + section.sh_name)
      return &section;
  }
  return nullptr;
}

std::string ElfFile::section(std::string_view name, size_t limit) const {
  const Elf64_Shdr *section = find(name);
  if (!section || section->sh_type == SHT_NOBITS || (section->sh_flags & SHF_COMPRESSED) ||
      section->sh_size > limit)
    return "";
  std::string content(section->sh_size, '\0');
  if (!read(section->sh_offset, content.data(), content.size()))
    return "";
  return content;
}

std::string ElfFile::functionAt(uint64_t address, uint64_t *begin) const {
  const Elf64_Shdr *table = find(".symtab");
  if (!table || table->sh_entsize != sizeof(Elf64_Sym) || table->sh_size > kSymbolTableLimit ||
      table->sh_link >= sections.size())
    return "";
  std::vector<Elf64_Sym> symbols;
  uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  for (uint64_t first = 0; first < count; first += symbols.size()) {
    symbols.resize(std::min<uint64_t>(count - first, 4096));
    if (!read(table->sh_offset + first * sizeof(Elf64_Sym), symbols.data(),
              symbols.size() * sizeof(Elf64_Sym)))
      return "";
    for (const Elf64_Sym &symbol : symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || address - symbol.st_value >= symbol.st_size)
        continue;
      const Elf64_Shdr &names = sections[table->sh_link];
      if (symbol.st_name >= names.sh_size || names.sh_offset > fileSize)
        return "";
      std::string name(std::min<uint64_t>(kNameLimit, names.sh_size - symbol.st_name), '\0');
      if (!read(names.sh_offset + symbol.st_name, name.data(), name.size()))
        return "";
      *begin = symbol.st_value;
      return name.c_str();
    }
  }
  return "";
}
