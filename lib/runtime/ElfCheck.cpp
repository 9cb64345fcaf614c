#include "runtime/ElfCheck.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <utility>

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
    bool loads = false;
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
        loads = true;
        if (!checkLoad(segment, name))
          return false;
      } else if (segment.p_type == PT_DYNAMIC) {
        dynamic = segment;
        hasDynamic = true;
      }
    }
    if (!loads || !hasDynamic)
      return fail(problem(Diagnostic::LibraryCorrupt, "a loadable and a dynamic segment",
                          loads ? "no dynamic segment" : "no loadable segment"));
    return true;
  }

  bool checkLoad(const Elf64_Phdr &segment, const std::string &name) {
    uint64_t end;
    if (segment.p_filesz > segment.p_memsz ||
        __builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end))
      return fail(problem(
          Diagnostic::LibraryCorrupt, name + " no larger in the file than in memory",
          std::to_string(segment.p_filesz) + " and " + std::to_string(segment.p_memsz) + " bytes"));
    return true;
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

  /// A program that is position independent has a library's type, and says otherwise here.
  bool checkDynamic() {
    for (uint64_t at = 0; dynamic.p_filesz - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!readAt(dynamic.p_offset + at, &entry, sizeof(entry), "the dynamic section"))
        return false;
      if (entry.d_tag == DT_NULL)
        break;
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & kFlagPie))
        return fail(problem(Diagnostic::LibraryKind, "", "a program (position independent)"));
    }
    return true;
  }

  const ByteSource &source;
  const uint64_t size;
  Elf64_Ehdr header;
  Elf64_Phdr dynamic{};
  bool hasDynamic = false;
  ElfProblem result;
};

} // namespace

ElfProblem checkElf(const ByteSource &source) { return Checker(source).run(); }

} // namespace fairlead::runtime
