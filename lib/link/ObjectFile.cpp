#include "link/ObjectFile.h"

#include <algorithm>
#include <cstring>

namespace fairlead::link {
namespace {

constexpr uint64_t kMostMemory = uint64_t{1} << 30; ///< of all sections together
constexpr uint64_t kMostAlignment = 4096;           ///< a page
constexpr uint32_t kUnwind = 0x70000001;            ///< SHT_X86_64_UNWIND

class ObjectReader {
public:
  explicit ObjectReader(std::string_view bytes) : source(bytes), reader(source) {}

  Result<ObjectFile> read() {
    if (elf::Checked header = reader.readHeader(); !header)
      return Failed{header.failure().text()};
    for (auto step :
         {&ObjectReader::checkHeader, &ObjectReader::takeSections, &ObjectReader::checkSections,
          &ObjectReader::readSymbols, &ObjectReader::readRelocations})
      if (Result<void> taken = (this->*step)(); !taken)
        return Failed{taken.reason()};
    return std::move(file);
  }

private:
  static Failed fail(const std::string &expected, const std::string &got) {
    return {"expected " + expected + ", but got " + got};
  }
  std::string sectionText(size_t index) const { return "section #" + std::to_string(index); }

  Result<void> checkHeader() {
    const Elf64_Ehdr &header = reader.header;
    if (header.e_machine != elf::kHostMachine)
      return fail("an object for " + elf::machineName(elf::kHostMachine),
                  "one for " + elf::machineName(header.e_machine) +
                      ": export it again with --host-target linux-" +
                      (elf::kHostMachine == EM_AARCH64 ? "aarch64" : "x86_64"));
    if (header.e_type != ET_REL)
      return fail("a relocatable object", elf::typeName(header.e_type));
    if (header.e_shoff == 0)
      return fail("a table of sections", "none");
    return {};
  }

  Result<void> takeSections() {
    if (elf::Checked sections = reader.readSections(); !sections)
      return Failed{sections.failure().text()};
    for (size_t i = 0; i < reader.sections.size(); ++i) {
      const elf::Section &own = reader.sections[i];
      if (!own.isNamed && own.sh_type != SHT_NULL)
        return fail("a name of " + sectionText(i), "an offset outside the names");
      Section section;
      section.name = own.name;
      section.type = own.sh_type;
      section.size = own.sh_size;
      section.alignment = std::max<uint64_t>(own.sh_addralign, 1);
      section.bytes = contentOf(own);
      file.sections.push_back(section);
    }
    return {};
  }

  /// Valid as long as the bytes of the file.
  std::string_view contentOf(const elf::Section &section) const {
    std::string unused;
    return reader.content(section, unused).value_or(std::string_view());
  }

  Result<void> checkSections() {
    uint64_t memory = 0;
    for (size_t i = 0; i < reader.sections.size(); ++i) {
      Section &section = file.sections[i];
      const elf::Section &own = reader.sections[i];
      if (!(own.sh_flags & SHF_ALLOC) || own.sh_type == SHT_NULL)
        continue;
      // Generated code is never unwound.
      if (own.sh_type == kUnwind || section.name == ".eh_frame" || own.sh_type == SHT_NOTE)
        continue;
      const auto what = [&] { return "section `" + std::string(section.name) + "`"; };
      if (own.sh_type != SHT_PROGBITS && own.sh_type != SHT_NOBITS)
        return fail("code and data alone",
                    what() + " of type " + std::to_string(own.sh_type) +
                        (own.sh_type == SHT_INIT_ARRAY || own.sh_type == SHT_FINI_ARRAY
                             ? " (functions to run at load)"
                             : ""));
      if (own.sh_flags & (SHF_TLS | SHF_COMPRESSED))
        return fail("plain sections", what() + " of thread-local or compressed data");
      section.isLoaded = true;
      section.isWritable = own.sh_flags & SHF_WRITE;
      section.isExecutable = own.sh_flags & SHF_EXECINSTR;
      if (section.isWritable && section.isExecutable)
        return fail("sections to write or to execute", what() + " for both");
      if (section.alignment > kMostAlignment || (section.alignment & (section.alignment - 1)))
        return fail("an alignment that is a power of two up to 4096",
                    std::to_string(section.alignment) + " of " + what());
      if (section.size > kMostMemory || (memory += section.size) > kMostMemory)
        return fail("at most 1 GiB of code and data",
                    std::to_string(section.size) + " of " + what());
    }
    return {};
  }

  Result<void> readSymbols() {
    for (size_t i = 0; i < reader.sections.size(); ++i) {
      if (reader.sections[i].sh_type != SHT_SYMTAB)
        continue;
      if (symbolTable)
        return fail("one table of symbols", "two");
      symbolTable = i;
    }
    if (!symbolTable)
      return fail("a table of symbols", "none");
    const elf::Section &table = reader.sections[symbolTable];
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_size % sizeof(Elf64_Sym) != 0 ||
        table.sh_link >= reader.sections.size() ||
        reader.sections[table.sh_link].sh_type != SHT_STRTAB)
      return fail("a table of symbols with its names",
                  "one of entries of " + std::to_string(table.sh_entsize) + " bytes in " +
                      std::to_string(table.sh_size));
    std::string_view names = file.sections[table.sh_link].bytes;
    Result<void> added;
    reader.forEachSymbol(table, [&](const Elf64_Sym &symbol, uint64_t index) {
      added = addSymbol(symbol, index == 0 ? std::string_view() : names, index);
      return static_cast<bool>(added);
    });
    return added;
  }

  Result<void> addSymbol(const Elf64_Sym &own, std::string_view names, size_t index) {
    Symbol symbol;
    const auto what = [&] { return "symbol #" + std::to_string(index); };
    if (own.st_name != 0) {
      auto name = elf::textAt(names, own.st_name);
      if (!name)
        return fail("a name of " + what(), "an offset outside the names");
      symbol.name = *name;
    }
    symbol.isGlobal = ELF64_ST_BIND(own.st_info) != STB_LOCAL;
    symbol.isWeak = ELF64_ST_BIND(own.st_info) == STB_WEAK;
    symbol.value = own.st_value;
    if (ELF64_ST_TYPE(own.st_info) == STT_TLS || ELF64_ST_TYPE(own.st_info) == STT_GNU_IFUNC)
      return fail("functions and data", what() + ", which is thread-local or chosen at load");
    if (own.st_shndx == SHN_ABS) {
      symbol.isDefined = symbol.isAbsolute = true;
    } else if (own.st_shndx != SHN_UNDEF) {
      if (own.st_shndx >= reader.sections.size())
        return fail(what() + " in one of " + std::to_string(reader.sections.size()) + " sections",
                    "section " + std::to_string(own.st_shndx));
      symbol.isDefined = true;
      symbol.section = own.st_shndx;
      if (own.st_value > file.sections[own.st_shndx].size)
        return fail(what() + " inside its section",
                    "offset " + std::to_string(own.st_value) + " of " +
                        std::to_string(file.sections[own.st_shndx].size));
    }
    file.symbols.push_back(symbol);
    return {};
  }

  Result<void> readRelocations() {
    for (size_t i = 0; i < reader.sections.size(); ++i) {
      const elf::Section &own = reader.sections[i];
      if (own.sh_type != SHT_RELA && own.sh_type != SHT_REL)
        continue;
      if (own.sh_info == 0 || own.sh_info >= reader.sections.size())
        return fail("relocations of a section", "of section " + std::to_string(own.sh_info));
      if (!file.sections[own.sh_info].isLoaded)
        continue;
      if (own.sh_type == SHT_REL || own.sh_entsize != sizeof(Elf64_Rela) ||
          own.sh_size % sizeof(Elf64_Rela) != 0 || own.sh_link != symbolTable)
        return fail("relocations with addends", "others in " + sectionText(i));
      std::string_view entries = file.sections[i].bytes;
      for (size_t at = 0; at < entries.size(); at += sizeof(Elf64_Rela)) {
        Elf64_Rela rela;
        std::memcpy(&rela, entries.data() + at, sizeof(rela));
        if (Result<void> added = addRelocation(rela, own.sh_info); !added)
          return added;
      }
    }
    return {};
  }

  Result<void> addRelocation(const Elf64_Rela &rela, uint32_t section) {
    auto type = static_cast<uint32_t>(ELF64_R_TYPE(rela.r_info));
    auto symbol = static_cast<uint32_t>(ELF64_R_SYM(rela.r_info));
    if (isNoRelocation(elf::kHostMachine, type))
      return {};
    const Section &target = file.sections[section];
    const auto what = [&] {
      return relocationName(elf::kHostMachine, type) + " in `" + std::string(target.name) + "`";
    };
    const RelocationKind *kind = findRelocation(elf::kHostMachine, type);
    if (!kind)
      return fail("a relocation that the linker knows", what());
    const uint64_t width = kind->bytes();
    if (target.type == SHT_NOBITS || rela.r_offset > target.size ||
        width > target.size - rela.r_offset)
      return fail("relocations inside their section", what() + " at " +
                                                          std::to_string(rela.r_offset) + " of " +
                                                          std::to_string(target.size));
    if (symbol >= file.symbols.size())
      return fail("a relocation's symbol among " + std::to_string(file.symbols.size()),
                  what() + " with symbol " + std::to_string(symbol));
    const Symbol &named = file.symbols[symbol];
    if (named.isDefined && !named.isAbsolute && !file.sections[named.section].isLoaded)
      return fail("relocations against code and data",
                  what() + " against `" + std::string(file.sections[named.section].name) + "`");
    file.relocations.push_back({section, kind, symbol, rela.r_offset, rela.r_addend});
    return {};
  }

  elf::MemorySource source;
  elf::Reader reader;
  size_t symbolTable = 0;
  ObjectFile file;
};

} // namespace

Result<ObjectFile> ObjectFile::read(std::string_view bytes) {
  Result<ObjectFile> file = ObjectReader(bytes).read();
  if (file)
    file->bytes = bytes;
  return file;
}

std::vector<std::string> definedNames(const elf::ByteSource &source) {
  std::vector<std::string> result;
  elf::Reader reader(source);
  if (!reader.readHeader() || !reader.readSectionHeaders())
    return result;
  const uint32_t wanted = reader.header.e_type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB;
  std::string buffer;
  uint64_t nameBytes = 0; // names that overlap could make far more text than there are bytes
  for (const elf::Section &table : reader.sections) {
    if (table.sh_type != wanted || table.sh_link >= reader.sections.size())
      continue;
    auto names = reader.content(reader.sections[table.sh_link], buffer);
    if (!names)
      continue;
    reader.forEachSymbol(table, [&](const Elf64_Sym &symbol, uint64_t) {
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
        if (auto name = elf::textAt(*names, symbol.st_name);
            name && (nameBytes += name->size()) <= source.size())
          result.emplace_back(*name);
      return nameBytes <= source.size();
    });
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace fairlead::link
