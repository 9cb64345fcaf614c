#include "elf/SharedLibrary.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/Placeholders.h"
#include "elf/FileSource.h"
#include "elf/Seal.h"
#include "fairlead/Diagnostics.h"

namespace fairlead::elf {
namespace {

using Kind = Problem::Kind;

// PIE executables carry this in DT_FLAGS_1; Debian 12's elf.h has it, older ones do not.
constexpr uint64_t kFlagPie = 0x08000000;

/// Addresses that a process has.
constexpr uint64_t kMostMemory = uint64_t{1} << 47;

class Checker {
public:
  explicit Checker(const ByteSource &source) : reader(source) {}

  Checked run() {
    if (Checked read = reader.readHeader(); !read)
      return read;
    for (auto step : {&Checker::checkHeader, &Checker::checkSegments, &Checker::checkDynamic})
      if (Checked checked = (this->*step)(); !checked)
        return checked;
    return {};
  }

private:
  Checked checkHeader() {
    const Elf64_Ehdr &header = reader.header;
    if (header.e_machine != kHostMachine)
      return Problem{Kind::Foreign, machineName(kHostMachine), machineName(header.e_machine)};
    if (header.e_type == ET_REL)
      return Problem{Kind::OtherType, "a shared library",
                     "an object file (.o); link it first: `gcc -shared -o lib.so file.o`"};
    if (header.e_type == ET_EXEC || header.e_type == ET_CORE)
      return Problem{Kind::OtherType, "a shared library", typeName(header.e_type)};
    if (header.e_type != ET_DYN)
      return Problem{Kind::Damaged, "ELF type 3 (shared library)",
                     "type " + std::to_string(header.e_type)};
    if (header.e_version != EV_CURRENT)
      return Problem{Kind::Damaged, "ELF version 1", "version " + std::to_string(header.e_version)};
    return {};
  }

  Checked checkSegments() {
    if (Checked read = reader.readSegments(); !read)
      return read;
    const Elf64_Phdr *dynamicSegment = nullptr;
    for (size_t i = 0; i < reader.segments.size(); ++i) {
      const Elf64_Phdr &segment = reader.segments[i];
      if (segment.p_type == PT_NULL)
        continue;
      if (Checked inside = reader.contains(segment.p_offset, segment.p_filesz, name(segment));
          !inside)
        return inside;
      if (segment.p_type == PT_LOAD) {
        if (Checked load = checkLoad(segment, name(segment)); !load)
          return load;
        loads.push_back(segment);
      } else if (segment.p_type == PT_DYNAMIC) {
        dynamicSegment = &segment;
      }
    }
    if (loads.empty() || !dynamicSegment)
      return Problem{Kind::Damaged, "a loadable and a dynamic segment",
                     loads.empty() ? "no loadable segment" : "no dynamic segment"};
    dynamic = *dynamicSegment;
    for (const Elf64_Phdr &segment : reader.segments)
      if (segment.p_type != PT_NULL && segment.p_type != PT_LOAD)
        if (Checked other = checkOther(segment, name(segment)); !other)
          return other;
    return {};
  }

  std::string name(const Elf64_Phdr &segment) const {
    return "segment " + std::to_string(&segment - reader.segments.data());
  }

  Checked checkLoad(const Elf64_Phdr &segment, const std::string &name) {
    uint64_t end;
    if (segment.p_filesz > segment.p_memsz ||
        __builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end) || end > kMostMemory)
      return Problem{Kind::Damaged, name + " no larger in the file than in memory",
                     std::to_string(segment.p_filesz) + " and " + std::to_string(segment.p_memsz) +
                         " bytes"};
    // The dynamic linker clears the bytes that are not in the file.
    if (segment.p_filesz < segment.p_memsz && !(segment.p_flags & PF_W))
      return Problem{
          Kind::Damaged, name + " as large in the file as in memory, as it cannot be written",
          std::to_string(segment.p_filesz) + " and " + std::to_string(segment.p_memsz) + " bytes"};
    if (!loads.empty() && segment.p_vaddr < loads.back().p_vaddr + loads.back().p_memsz)
      return Problem{Kind::Damaged, name + " behind the one before it",
                     "address " + std::to_string(segment.p_vaddr)};
    return {};
  }

  /// Checks that data which dynamic linker and unwinder find by address is loaded there.
  Checked checkOther(const Elf64_Phdr &segment, const std::string &name) {
    constexpr uint32_t kGnuProperty = 0x6474e553;
    // Some segments extend to the end of a page.
    constexpr uint64_t kPage = kHostMachine == EM_X86_64 ? 4096 : 65536;
    const uint32_t looked[] = {PT_DYNAMIC, PT_TLS, PT_GNU_EH_FRAME, PT_GNU_RELRO, kGnuProperty};
    if (segment.p_filesz == 0 ||
        std::find(std::begin(looked), std::end(looked), segment.p_type) == std::end(looked))
      return {};
    const bool written = segment.p_type == PT_GNU_RELRO; // first
    for (const Elf64_Phdr &load : loads) {
      const uint64_t into = segment.p_offset - load.p_offset;
      if (segment.p_vaddr < load.p_vaddr || segment.p_offset < load.p_offset ||
          segment.p_vaddr - load.p_vaddr != into || into + segment.p_filesz > load.p_filesz)
        continue;
      // Memory that becomes read-only after loading must end before the program's writable data.
      uint64_t most = std::max(segment.p_filesz, into == 0 ? load.p_memsz : 0) + kPage;
      if (!written || ((load.p_flags & PF_W) && segment.p_memsz <= most))
        return {};
    }
    return Problem{Kind::Damaged, name + " inside a loaded one",
                   "address " + std::to_string(segment.p_vaddr)};
  }

  /// `bytes` from an address on are loaded, with these permissions (PF_X).
  bool isLoaded(uint64_t address, uint64_t bytes, uint32_t flags) const {
    return std::any_of(loads.begin(), loads.end(), [&](const Elf64_Phdr &load) {
      return (load.p_flags & flags) == flags && address >= load.p_vaddr &&
             address - load.p_vaddr <= load.p_memsz &&
             bytes <= load.p_memsz - (address - load.p_vaddr);
    });
  }

  /// Checks that the tables for the dynamic linker are in memory. A position-independent program
  /// has the type of a library, but a flag in this section.
  Checked checkDynamic() {
    // Sections are not needed for loading, but they end the file: their absence shows a truncated
    // copy.
    if (Checked read = reader.readSectionHeaders(); !read)
      return read;
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
      if (Checked read =
              reader.readAt(dynamic.p_offset + at, &entry, sizeof(entry), "the dynamic section");
          !read)
        return read;
      if (entry.d_tag == DT_NULL)
        break;
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & kFlagPie))
        return Problem{Kind::OtherType, "a shared library", "a program (position independent)"};
      values.emplace(entry.d_tag, entry.d_un.d_val);
    }
    for (const auto &[table, size] : kTables) {
      auto address = values.find(table), bytes = values.find(size);
      if (address == values.end() || (size != 0 && bytes != values.end() && bytes->second == 0))
        continue;
      if (!isLoaded(address->second, size != 0 && bytes != values.end() ? bytes->second : 1,
                    table == DT_INIT || table == DT_FINI ? PF_X : 0))
        return Problem{Kind::Damaged,
                       "table " + std::to_string(table) + " of the dynamic section in memory",
                       "address " + std::to_string(address->second)};
    }
    auto hashes = values.find(DT_GNU_HASH);
    return hashes == values.end() ? Checked() : checkHashes(hashes->second);
  }

  /// The dynamic linker ends the process if this table's filter has another size.
  Checked checkHashes(uint64_t address) {
    struct {
      uint32_t buckets, firstSymbol, filterWords, shift;
    } table;
    for (const Elf64_Phdr &load : loads) {
      const uint64_t into = address - load.p_vaddr;
      if (address < load.p_vaddr || into >= load.p_filesz)
        continue;
      if (Checked read =
              reader.readAt(load.p_offset + into, &table, sizeof(table), "the table of hashes");
          !read)
        return read;
      if (table.filterWords == 0 || (table.filterWords & (table.filterWords - 1)))
        return Problem{Kind::Damaged, "a table of hashes with a power of two as its filter's size",
                       std::to_string(table.filterWords)};
      return {};
    }
    return Problem{Kind::Damaged, "the table of hashes in the file",
                   "address " + std::to_string(address)};
  }

  Reader reader;
  Elf64_Phdr dynamic{};
  std::vector<Elf64_Phdr> loads;
};

struct Template {
  const char *kind, *text;
};
constexpr Template kTemplates[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) {kind, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

/// The template of one diagnostic, so that the others are not kept.
template <Diagnostic id> constexpr Template kTemplate = kTemplates[static_cast<int>(id)];

Template templateOf(Kind kind) {
  switch (kind) {
  case Kind::NotElf:
    return kTemplate<Diagnostic::LibraryNotElf>;
  case Kind::Truncated:
    return kTemplate<Diagnostic::LibraryTruncated>;
  case Kind::Foreign:
    return kTemplate<Diagnostic::LibraryArchitecture>;
  case Kind::OtherType:
    return kTemplate<Diagnostic::LibraryKind>;
  case Kind::Untrusted:
    return kTemplate<Diagnostic::LibraryUntrusted>;
  default:
    return kTemplate<Diagnostic::LibraryCorrupt>;
  }
}

} // namespace

Checked checkSharedLibrary(const ByteSource &source) {
  Checked library = Checker(source).run();
  return library ? checkSealAndSigner(source) : library;
}

LibraryError describe(const Problem &problem, const char *path) {
  const Template text = templateOf(problem.kind);
  return {text.kind, fillPlaceholders(text.text, {{"path", path},
                                                  {"expected", problem.expected},
                                                  {"got", problem.got},
                                                  {"part", problem.part}})};
}

LibraryError unreadable(const char *path, const std::string &reason) {
  constexpr Template kText = kTemplate<Diagnostic::LibraryUnreadable>;
  return {kText.kind, fillPlaceholders(kText.text, {{"path", path}, {"reason", reason}})};
}

Result<void, LibraryError> checkSharedLibrary(const char *path) {
  if (!path || !*path)
    return unreadable("", "an empty path");
  FileSource file(path);
  if (!file.opened())
    return unreadable(path, file.opened().reason());
  if (Checked library = checkSharedLibrary(file); !library)
    return describe(library.failure(), path);
  return {};
}

} // namespace fairlead::elf
