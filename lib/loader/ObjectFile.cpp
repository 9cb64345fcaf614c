#include "loader/ObjectFile.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fairlead::loader {
namespace {

constexpr uint64_t kMostMemory = uint64_t{1} << 30; ///< of all sections together
constexpr uint64_t kMostAlignment = 4096;           ///< a page
constexpr uint32_t kUnwind = 0x70000001;            ///< SHT_X86_64_UNWIND

template <typename T> bool readAt(std::string_view bytes, uint64_t offset, T &value) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

/// The text at an offset of a string table, "" outside or without an end.
std::optional<std::string_view> textAt(std::string_view table, uint64_t offset) {
  if (offset >= table.size())
    return std::nullopt;
  size_t end = table.find('\0', offset);
  if (end == std::string_view::npos)
    return std::nullopt;
  return table.substr(offset, end - offset);
}

std::string machineName(uint16_t machine) {
  static constexpr std::pair<uint16_t, const char *> kNames[] = {
      {EM_X86_64, "x86-64"},     {EM_AARCH64, "AArch64"}, {EM_386, "x86 (32 bits)"},
      {EM_ARM, "ARM (32 bits)"}, {EM_RISCV, "RISC-V"},    {EM_CUDA, "NVIDIA CUDA (a CUBIN)"}};
  for (const auto &[number, name] : kNames)
    if (number == machine)
      return name;
  return "ELF machine " + std::to_string(machine);
}

std::string kindName(uint16_t type) {
  switch (type) {
  case ET_EXEC:
    return "a program";
  case ET_DYN:
    return "a shared library";
  case ET_CORE:
    return "a core dump";
  default:
    return "ELF type " + std::to_string(type);
  }
}

class Reader {
public:
  Reader(std::string_view bytes, std::string &problem) : bytes(bytes), problem(problem) {}

  std::optional<ObjectFile> read() {
    if (readHeader() && readSections() && readNames() && checkSections() && readSymbols() &&
        readRelocations())
      return std::move(file);
    return std::nullopt;
  }

private:
  bool fail(const std::string &expected, const std::string &got) {
    problem = "expected " + expected + ", but got " + got;
    return false;
  }
  std::string sectionText(size_t index) const { return "section #" + std::to_string(index); }

  bool readHeader() {
    if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
      return fail("an object file (ELF)", bytes.empty() ? "an empty file" : "other content");
    if (!readAt(bytes, 0, header))
      return fail("a header of 64 bytes", std::to_string(bytes.size()) + " bytes");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_ident[EI_VERSION] != EV_CURRENT)
      return fail("a little-endian object of 64 bits", "another class, byte order or version");
    if (header.e_machine != EM_X86_64)
      return fail("an object for x86-64", "one for " + machineName(header.e_machine));
    if (header.e_type != ET_REL)
      return fail("a relocatable object", kindName(header.e_type));
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0)
      return fail("a table of sections", std::to_string(header.e_shnum) + " entries of " +
                                             std::to_string(header.e_shentsize) + " bytes");
    return true;
  }

  bool readSections() {
    headers.resize(header.e_shnum);
    for (size_t i = 0; i < headers.size(); ++i) {
      uint64_t offset = i * sizeof(Elf64_Shdr);
      if (header.e_shoff > bytes.size() || !readAt(bytes, header.e_shoff + offset, headers[i]))
        return fail("the header of " + sectionText(i) + " inside the file",
                    "a file of " + std::to_string(bytes.size()) + " bytes");
      const Elf64_Shdr &own = headers[i];
      Section section;
      section.type = own.sh_type;
      section.size = own.sh_size;
      section.alignment = std::max<uint64_t>(own.sh_addralign, 1);
      if (own.sh_type != SHT_NOBITS && own.sh_type != SHT_NULL) {
        if (own.sh_offset > bytes.size() || own.sh_size > bytes.size() - own.sh_offset)
          return fail("the content of " + sectionText(i) + " inside the file",
                      "offset " + std::to_string(own.sh_offset) + " and size " +
                          std::to_string(own.sh_size) + " in " + std::to_string(bytes.size()) +
                          " bytes");
        section.bytes = bytes.substr(own.sh_offset, own.sh_size);
      }
      file.sections.push_back(section);
    }
    return true;
  }

  bool readNames() {
    if (header.e_shstrndx >= headers.size() || headers[header.e_shstrndx].sh_type != SHT_STRTAB)
      return fail("a table of the sections' names", "section " + std::to_string(header.e_shstrndx));
    std::string_view names = file.sections[header.e_shstrndx].bytes;
    for (size_t i = 0; i < headers.size(); ++i) {
      auto name = textAt(names, headers[i].sh_name);
      if (!name && headers[i].sh_type != SHT_NULL)
        return fail("a name of " + sectionText(i), "an offset outside the names");
      file.sections[i].name = name.value_or("");
    }
    return true;
  }

  bool checkSections() {
    uint64_t memory = 0;
    for (size_t i = 0; i < headers.size(); ++i) {
      Section &section = file.sections[i];
      const Elf64_Shdr &own = headers[i];
      if (!(own.sh_flags & SHF_ALLOC) || own.sh_type == SHT_NULL)
        continue;
      // Nothing unwinds through generated code.
      if (own.sh_type == kUnwind || section.name == ".eh_frame" || own.sh_type == SHT_NOTE)
        continue;
      const std::string what = "section `" + std::string(section.name) + "`";
      if (own.sh_type != SHT_PROGBITS && own.sh_type != SHT_NOBITS)
        return fail("code and data alone",
                    what + " of type " + std::to_string(own.sh_type) +
                        (own.sh_type == SHT_INIT_ARRAY || own.sh_type == SHT_FINI_ARRAY
                             ? " (functions to run at load)"
                             : ""));
      if (own.sh_flags & (SHF_TLS | SHF_COMPRESSED))
        return fail("plain sections", what + " of thread-local or compressed data");
      section.isLoaded = true;
      section.isWritable = own.sh_flags & SHF_WRITE;
      section.isExecutable = own.sh_flags & SHF_EXECINSTR;
      if (section.isWritable && section.isExecutable)
        return fail("sections to write or to execute", what + " for both");
      if (section.alignment > kMostAlignment || (section.alignment & (section.alignment - 1)))
        return fail("an alignment that is a power of two up to 4096",
                    std::to_string(section.alignment) + " of " + what);
      if (section.size > kMostMemory || (memory += section.size) > kMostMemory)
        return fail("at most 1 GiB of code and data", std::to_string(section.size) + " of " + what);
    }
    return true;
  }

  bool readSymbols() {
    for (size_t i = 0; i < headers.size(); ++i) {
      if (headers[i].sh_type != SHT_SYMTAB)
        continue;
      if (symbolTable)
        return fail("one table of symbols", "two");
      symbolTable = i;
    }
    if (!symbolTable)
      return fail("a table of symbols", "none");
    const Elf64_Shdr &table = headers[symbolTable];
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_size % sizeof(Elf64_Sym) != 0 ||
        table.sh_link >= headers.size() || headers[table.sh_link].sh_type != SHT_STRTAB)
      return fail("a table of symbols with its names",
                  "one of entries of " + std::to_string(table.sh_entsize) + " bytes in " +
                      std::to_string(table.sh_size));
    std::string_view names = file.sections[table.sh_link].bytes;
    std::string_view entries = file.sections[symbolTable].bytes;
    for (size_t at = 0; at < entries.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym own;
      readAt(entries, at, own);
      if (!addSymbol(own, at == 0 ? std::string_view() : names, at / sizeof(Elf64_Sym)))
        return false;
    }
    return true;
  }

  bool addSymbol(const Elf64_Sym &own, std::string_view names, size_t index) {
    Symbol symbol;
    const std::string what = "symbol #" + std::to_string(index);
    if (own.st_name != 0) {
      auto name = textAt(names, own.st_name);
      if (!name)
        return fail("a name of " + what, "an offset outside the names");
      symbol.name = *name;
    }
    symbol.isGlobal = ELF64_ST_BIND(own.st_info) != STB_LOCAL;
    symbol.isWeak = ELF64_ST_BIND(own.st_info) == STB_WEAK;
    symbol.value = own.st_value;
    if (ELF64_ST_TYPE(own.st_info) == STT_TLS || ELF64_ST_TYPE(own.st_info) == STT_GNU_IFUNC)
      return fail("functions and data", what + ", which is thread-local or chosen at load");
    if (own.st_shndx == SHN_ABS) {
      symbol.isDefined = symbol.isAbsolute = true;
    } else if (own.st_shndx != SHN_UNDEF) {
      if (own.st_shndx >= headers.size())
        return fail(what + " in one of " + std::to_string(headers.size()) + " sections",
                    "section " + std::to_string(own.st_shndx));
      symbol.isDefined = true;
      symbol.section = own.st_shndx;
      if (own.st_value > file.sections[own.st_shndx].size)
        return fail(what + " inside its section",
                    "offset " + std::to_string(own.st_value) + " of " +
                        std::to_string(file.sections[own.st_shndx].size));
    }
    file.symbols.push_back(symbol);
    return true;
  }

  bool readRelocations() {
    for (size_t i = 0; i < headers.size(); ++i) {
      const Elf64_Shdr &own = headers[i];
      if (own.sh_type != SHT_RELA && own.sh_type != SHT_REL)
        continue;
      if (own.sh_info == 0 || own.sh_info >= headers.size())
        return fail("relocations of a section", "of section " + std::to_string(own.sh_info));
      if (!file.sections[own.sh_info].isLoaded)
        continue;
      if (own.sh_type == SHT_REL || own.sh_entsize != sizeof(Elf64_Rela) ||
          own.sh_size % sizeof(Elf64_Rela) != 0 || own.sh_link != symbolTable)
        return fail("relocations with addends", "others in " + sectionText(i));
      std::string_view entries = file.sections[i].bytes;
      for (size_t at = 0; at < entries.size(); at += sizeof(Elf64_Rela)) {
        Elf64_Rela rela;
        readAt(entries, at, rela);
        if (!addRelocation(rela, own.sh_info))
          return false;
      }
    }
    return true;
  }

  bool addRelocation(const Elf64_Rela &rela, uint32_t section) {
    auto type = static_cast<uint32_t>(ELF64_R_TYPE(rela.r_info));
    auto symbol = static_cast<uint32_t>(ELF64_R_SYM(rela.r_info));
    if (type == R_X86_64_NONE)
      return true;
    const Section &target = file.sections[section];
    const std::string what = relocationName(type) + " in `" + std::string(target.name) + "`";
    auto width = static_cast<uint64_t>(relocationBytes(type));
    if (width == 0)
      return fail("a relocation that the loader knows", what);
    if (target.type == SHT_NOBITS || rela.r_offset > target.size ||
        width > target.size - rela.r_offset)
      return fail("relocations inside their section", what + " at " +
                                                          std::to_string(rela.r_offset) + " of " +
                                                          std::to_string(target.size));
    if (symbol >= file.symbols.size())
      return fail("a relocation's symbol among " + std::to_string(file.symbols.size()),
                  what + " with symbol " + std::to_string(symbol));
    const Symbol &named = file.symbols[symbol];
    if (named.isDefined && !named.isAbsolute && !file.sections[named.section].isLoaded)
      return fail("relocations against code and data",
                  what + " against `" + std::string(file.sections[named.section].name) + "`");
    file.relocations.push_back({section, type, symbol, rela.r_offset, rela.r_addend});
    return true;
  }

  std::string_view bytes;
  std::string &problem;
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> headers;
  size_t symbolTable = 0;
  ObjectFile file;
};

} // namespace

int relocationBytes(uint32_t type) {
  switch (type) {
  case R_X86_64_64:
  case R_X86_64_PC64:
    return 8;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
  case R_X86_64_32:
  case R_X86_64_32S:
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return 4;
  default:
    return 0;
  }
}

std::string relocationName(uint32_t type) {
  static constexpr std::pair<uint32_t, const char *> kNames[] = {
      {R_X86_64_NONE, "NONE"},
      {R_X86_64_64, "64"},
      {R_X86_64_PC32, "PC32"},
      {R_X86_64_GOT32, "GOT32"},
      {R_X86_64_PLT32, "PLT32"},
      {R_X86_64_COPY, "COPY"},
      {R_X86_64_GLOB_DAT, "GLOB_DAT"},
      {R_X86_64_JUMP_SLOT, "JUMP_SLOT"},
      {R_X86_64_RELATIVE, "RELATIVE"},
      {R_X86_64_GOTPCREL, "GOTPCREL"},
      {R_X86_64_32, "32"},
      {R_X86_64_32S, "32S"},
      {R_X86_64_16, "16"},
      {R_X86_64_PC16, "PC16"},
      {R_X86_64_8, "8"},
      {R_X86_64_PC8, "PC8"},
      {R_X86_64_TPOFF64, "TPOFF64"},
      {R_X86_64_TLSGD, "TLSGD"},
      {R_X86_64_TLSLD, "TLSLD"},
      {R_X86_64_GOTTPOFF, "GOTTPOFF"},
      {R_X86_64_TPOFF32, "TPOFF32"},
      {R_X86_64_PC64, "PC64"},
      {R_X86_64_GOTOFF64, "GOTOFF64"},
      {R_X86_64_GOTPC32, "GOTPC32"},
      {R_X86_64_GOTPCRELX, "GOTPCRELX"},
      {R_X86_64_REX_GOTPCRELX, "REX_GOTPCRELX"}};
  for (const auto &[number, name] : kNames)
    if (number == type)
      return std::string("R_X86_64_") + name;
  return "relocation type " + std::to_string(type);
}

std::optional<ObjectFile> ObjectFile::read(std::string_view bytes, std::string &problem) {
  return Reader(bytes, problem).read();
}

std::vector<std::string> definedNames(std::string_view bytes) {
  std::vector<std::string> result;
  Elf64_Ehdr header;
  if (!readAt(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size())
    return result;
  auto content = [&](const Elf64_Shdr &section) {
    bool inside =
        section.sh_offset <= bytes.size() && section.sh_size <= bytes.size() - section.sh_offset;
    return inside ? bytes.substr(section.sh_offset, section.sh_size) : std::string_view();
  };
  const uint32_t wanted = header.e_type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!readAt(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), table))
      break;
    if (table.sh_type != wanted || table.sh_link >= header.e_shnum ||
        !readAt(bytes, header.e_shoff + table.sh_link * sizeof(Elf64_Shdr), names))
      continue;
    std::string_view entries = content(table), text = content(names);
    Elf64_Sym symbol;
    for (uint64_t at = 0; readAt(entries, at, symbol); at += sizeof(Elf64_Sym))
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
        if (auto name = textAt(text, symbol.st_name))
          result.emplace_back(*name);
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace fairlead::loader
