#include "runtime/ElfCheck.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace fairlead::runtime {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kHostMachine = EM_AARCH64;
#else
#error "name this architecture's ELF machine here"
#endif

// PIE executables carry this in DT_FLAGS_1; Debian 12's elf.h has it, older ones do not.
constexpr uint64_t kFlagPie = 0x08000000;

/// Addresses that a process has.
constexpr uint64_t kMostMemory = uint64_t{1} << 47;

std::string machineName(uint16_t machine) {
  static constexpr std::pair<uint16_t, const char *> kNames[] = {
      {EM_X86_64, "x86-64"},     {EM_AARCH64, "AArch64"},
      {EM_386, "x86 (32 bits)"}, {EM_ARM, "ARM (32 bits)"},
      {EM_RISCV, "RISC-V"},      {EM_PPC64, "PowerPC64"},
      {EM_S390, "S/390"},        {EM_CUDA, "NVIDIA CUDA (a CUBIN)"},
  };
  for (const auto &[number, name] : kNames)
    if (number == machine)
      return name;
  return "ELF machine " + std::to_string(machine);
}

ElfProblem problem(Diagnostic id, std::string expected, std::string got, std::string part = "") {
  return {true, id, std::move(expected), std::move(got), std::move(part)};
}

class Checker {
public:
  explicit Checker(const ByteSource &source) : source(source), size(source.size()) {}

  ElfProblem run() {
    if (checkIdent() && checkHeader() && checkSegments() && checkSections())
      checkDynamic();
    return result;
  }

private:
  bool fail(ElfProblem found) {
    result = std::move(found);
    return false;
  }

  /// True when [offset, offset + bytes) lies inside the file; else fails with LibraryTruncated.
  bool contains(uint64_t offset, uint64_t bytes, const std::string &part) {
    uint64_t end;
    if (__builtin_add_overflow(offset, bytes, &end))
      return fail(problem(Diagnostic::LibraryCorrupt, part + " inside the file",
                          "offset " + std::to_string(offset)));
    if (end > size)
      return fail(
          problem(Diagnostic::LibraryTruncated, std::to_string(end), std::to_string(size), part));
    return true;
  }

  bool readAt(uint64_t offset, void *out, size_t bytes, const std::string &part) {
    if (!contains(offset, bytes, part))
      return false;
    if (!source.read(offset, out, bytes))
      return fail(problem(Diagnostic::LibraryCorrupt, part, "a read error"));
    return true;
  }

  bool checkIdent() {
    unsigned char ident[EI_NIDENT] = {};
    if (size == 0)
      return fail(problem(Diagnostic::LibraryNotElf, "", "an empty file"));
    size_t have = std::min<uint64_t>(size, sizeof(ident));
    if (!source.read(0, ident, have))
      return fail(problem(Diagnostic::LibraryNotElf, "", "a read error"));
    if (std::memcmp(ident, ELFMAG, std::min<size_t>(have, SELFMAG)) != 0)
      return fail(problem(Diagnostic::LibraryNotElf, "", describeOther(ident)));
    if (!contains(0, sizeof(ident), "the ELF identification"))
      return false;
    if (ident[EI_CLASS] == ELFCLASS32)
      return fail(problem(Diagnostic::LibraryArchitecture, machineName(kHostMachine) + " (64 bits)",
                          "a 32-bit machine"));
    if (ident[EI_CLASS] != ELFCLASS64)
      return fail(problem(Diagnostic::LibraryCorrupt, "ELF class 2 (64 bits)",
                          "class " + std::to_string(ident[EI_CLASS])));
    if (ident[EI_DATA] != ELFDATA2LSB)
      return fail(problem(
          Diagnostic::LibraryArchitecture, machineName(kHostMachine) + " (little-endian)",
          ident[EI_DATA] == ELFDATA2MSB ? "a big-endian machine" : "an unknown byte order"));
    return true;
  }

  static std::string describeOther(const unsigned char *ident) {
    static constexpr std::pair<const char *, const char *> kKnown[] = {
        {"!<arch>", "a static library (.a); link it with `gcc -shared -Wl,--whole-archive`"},
        {"PK\x03\x04", "a ZIP archive"},
        {"MZ", "a Windows program or DLL"},
        {"BC\xC0\xDE", "LLVM bitcode"},
        {"//", "text"}};
    for (const auto &[magic, name] : kKnown)
      if (std::memcmp(ident, magic, std::strlen(magic)) == 0)
        return name;
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "a file that starts with the bytes";
    for (int i = 0; i < 4; ++i)
      text += std::string(" ") + kDigits[ident[i] >> 4] + kDigits[ident[i] & 15];
    return text;
  }

  bool checkHeader() {
    if (!readAt(0, &header, sizeof(header), "the ELF header"))
      return false;
    if (header.e_machine != kHostMachine)
      return fail(problem(Diagnostic::LibraryArchitecture, machineName(kHostMachine),
                          machineName(header.e_machine)));
    switch (header.e_type) {
    case ET_DYN:
      break;
    case ET_REL:
      return fail(problem(Diagnostic::LibraryKind, "",
                          "an object file (.o); link it first: `gcc -shared -o lib.so file.o`"));
    case ET_EXEC:
      return fail(problem(Diagnostic::LibraryKind, "", "a program"));
    case ET_CORE:
      return fail(problem(Diagnostic::LibraryKind, "", "a core dump"));
    default:
      return fail(problem(Diagnostic::LibraryCorrupt, "ELF type 3 (shared library)",
                          "type " + std::to_string(header.e_type)));
    }
    if (header.e_version != EV_CURRENT)
      return fail(problem(Diagnostic::LibraryCorrupt, "ELF version 1",
                          "version " + std::to_string(header.e_version)));
    if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr))
      return fail(problem(Diagnostic::LibraryCorrupt,
                          "program headers of " + std::to_string(sizeof(Elf64_Phdr)) + " bytes",
                          std::to_string(header.e_phnum) + " of " +
                              std::to_string(header.e_phentsize) + " bytes"));
    return true;
  }

  bool checkSegments() {
    if (!contains(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr),
                  "the program headers"))
      return false;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      std::string name = "segment " + std::to_string(i);
      if (!readAt(header.e_phoff + i * sizeof(segment), &segment, sizeof(segment), name))
        return false;
      if (segment.p_type == PT_NULL)
        continue;
      if (!contains(segment.p_offset, segment.p_filesz, name))
        return false;
      if (segment.p_type == PT_LOAD) {
        if (!checkLoad(segment, name))
          return false;
        loads.push_back(segment);
      } else {
        others.emplace_back(segment, name);
        if (segment.p_type == PT_DYNAMIC) {
          dynamic = segment;
          hasDynamic = true;
        }
      }
    }
    if (loads.empty() || !hasDynamic)
      return fail(problem(Diagnostic::LibraryCorrupt, "a loadable and a dynamic segment",
                          loads.empty() ? "no loadable segment" : "no dynamic segment"));
    for (const auto &[segment, name] : others)
      if (!checkOther(segment, name))
        return false;
    return true;
  }

  bool checkLoad(const Elf64_Phdr &segment, const std::string &name) {
    uint64_t end;
    if (segment.p_filesz > segment.p_memsz ||
        __builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end) || end > kMostMemory)
      return fail(problem(
          Diagnostic::LibraryCorrupt, name + " no larger in the file than in memory",
          std::to_string(segment.p_filesz) + " and " + std::to_string(segment.p_memsz) + " bytes"));
    // The dynamic linker clears what the file does not have.
    if (segment.p_filesz < segment.p_memsz && !(segment.p_flags & PF_W))
      return fail(problem(Diagnostic::LibraryCorrupt,
                          name + " as large in the file as in memory, as it cannot be written",
                          std::to_string(segment.p_filesz) + " and " +
                              std::to_string(segment.p_memsz) + " bytes"));
    if (!loads.empty() && segment.p_vaddr < loads.back().p_vaddr + loads.back().p_memsz)
      return fail(problem(Diagnostic::LibraryCorrupt, name + " behind the one before it",
                          "address " + std::to_string(segment.p_vaddr)));
    return true;
  }

  /// What the dynamic linker and the unwinder look for by an address is loaded there.
  bool checkOther(const Elf64_Phdr &segment, const std::string &name) {
    constexpr uint32_t kGnuProperty = 0x6474e553;
    // To the end of a page, some reach.
    constexpr uint64_t kPage = kHostMachine == EM_X86_64 ? 4096 : 65536;
    const uint32_t looked[] = {PT_DYNAMIC, PT_TLS, PT_GNU_EH_FRAME, PT_GNU_RELRO, kGnuProperty};
    if (segment.p_filesz == 0 ||
        std::find(std::begin(looked), std::end(looked), segment.p_type) == std::end(looked))
      return true;
    const bool written = segment.p_type == PT_GNU_RELRO; // first
    for (const Elf64_Phdr &load : loads) {
      const uint64_t into = segment.p_offset - load.p_offset;
      if (segment.p_vaddr < load.p_vaddr || segment.p_offset < load.p_offset ||
          segment.p_vaddr - load.p_vaddr != into || into + segment.p_filesz > load.p_filesz)
        continue;
      // What is made read-only after loading ends before what the program writes.
      uint64_t most = std::max(segment.p_filesz, into == 0 ? load.p_memsz : 0) + kPage;
      if (!written || ((load.p_flags & PF_W) && segment.p_memsz <= most))
        return true;
    }
    return fail(problem(Diagnostic::LibraryCorrupt, name + " inside a loaded one",
                        "address " + std::to_string(segment.p_vaddr)));
  }

  /// `bytes` from an address on are loaded, with these permissions (PF_X).
  bool isLoaded(uint64_t address, uint64_t bytes, uint32_t flags) const {
    return std::any_of(loads.begin(), loads.end(), [&](const Elf64_Phdr &load) {
      return (load.p_flags & flags) == flags && address >= load.p_vaddr &&
             address - load.p_vaddr <= load.p_memsz &&
             bytes <= load.p_memsz - (address - load.p_vaddr);
    });
  }

  /// Sections are not needed for loading, but they end the file: their absence shows a truncated
  /// copy.
  bool checkSections() {
    if (header.e_shoff == 0)
      return true; // stripped to the segments
    if (header.e_shentsize != sizeof(Elf64_Shdr))
      return fail(problem(Diagnostic::LibraryCorrupt,
                          "section headers of " + std::to_string(sizeof(Elf64_Shdr)) + " bytes",
                          std::to_string(header.e_shentsize)));
    return contains(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr),
                    "the section headers");
  }

  /// Tables that the dynamic linker reads lie in memory. A program that is position independent has
  /// a library's type, and says otherwise here.
  bool checkDynamic() {
    static constexpr std::pair<int64_t, int64_t> kTables[] = {{DT_STRTAB, DT_STRSZ},
                                                              {DT_RELA, DT_RELASZ},
                                                              {DT_JMPREL, DT_PLTRELSZ},
                                                              {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                                              {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                                                              {DT_SYMTAB, 0},
                                                              {DT_HASH, 0},
                                                              {DT_GNU_HASH, 0},
                                                              {DT_VERSYM, 0},
                                                              {DT_VERNEED, 0},
                                                              {DT_VERDEF, 0},
                                                              {DT_PLTGOT, 0},
                                                              {DT_INIT, 0},
                                                              {DT_FINI, 0}};
    std::map<int64_t, uint64_t> values;
    for (uint64_t at = 0; dynamic.p_filesz - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!readAt(dynamic.p_offset + at, &entry, sizeof(entry), "the dynamic section"))
        return false;
      if (entry.d_tag == DT_NULL)
        break;
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & kFlagPie))
        return fail(problem(Diagnostic::LibraryKind, "", "a program (position independent)"));
      values.emplace(entry.d_tag, entry.d_un.d_val);
    }
    for (const auto &[table, size] : kTables) {
      auto found = values.find(table), bytes = values.find(size);
      if (found == values.end() || (size != 0 && bytes != values.end() && bytes->second == 0))
        continue;
      if (!isLoaded(found->second, size != 0 && bytes != values.end() ? bytes->second : 1,
                    table == DT_INIT || table == DT_FINI ? PF_X : 0))
        return fail(problem(Diagnostic::LibraryCorrupt,
                            "table " + std::to_string(table) + " of the dynamic section in memory",
                            "address " + std::to_string(found->second)));
    }
    return true;
  }

  const ByteSource &source;
  const uint64_t size;
  Elf64_Ehdr header;
  Elf64_Phdr dynamic{};
  std::vector<Elf64_Phdr> loads;
  std::vector<std::pair<Elf64_Phdr, std::string>> others;
  bool hasDynamic = false;
  ElfProblem result;
};

} // namespace

ElfProblem checkElf(const ByteSource &source) { return Checker(source).run(); }

} // namespace fairlead::runtime
