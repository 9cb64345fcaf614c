#include "fairlead/ElfFile.h"

#include "elf/Seal.h"
#include "fairlead/Diagnostics.h"
#include "trust/KeyFile.h"

namespace fairlead {
namespace {

/// The symbol's bytes in the file. In an object its value counts from its section's start.
std::optional<uint64_t> offsetOf(const Elf64_Sym &symbol, const elf::Reader &reader) {
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= reader.sections.size())
    return std::nullopt;
  const elf::Section &section = reader.sections[symbol.st_shndx];
  const uint64_t start = reader.header.e_type == ET_REL ? 0 : section.sh_addr;
  if (!section.hasContent() || symbol.st_value < start || symbol.st_value - start > section.sh_size)
    return std::nullopt;
  return section.sh_offset + (symbol.st_value - start);
}

} // namespace

ElfFile readElfFile(std::string_view bytes) {
  ElfFile file;
  elf::MemorySource source(bytes);
  elf::Reader reader(source);
  if (elf::Checked read = reader.readAll(); !read) {
    file.error = read.failure().text();
    return file;
  }
  const elf::Seal seal = elf::readSeal(source);
  if (elf::Checked checked = elf::checkSeal(seal); !checked) {
    file.error = checked.failure().text();
    return file;
  }
  file.isSealed = seal.kind == elf::Seal::Right;
  if (seal.by)
    file.signer = toHex(seal.by->key);
  file.type = reader.header.e_type;
  file.machine = reader.header.e_machine;
  file.size = reader.extent();
  uint64_t nameBytes = 0; // names that overlap could make far more text than there are bytes
  auto take = [&](std::string_view name) {
    nameBytes += name.size();
    return nameBytes <= 2 * bytes.size() ? std::string(name) : "";
  };
  std::string unused;
  for (const elf::Section &section : reader.sections) {
    ElfSection copied{take(section.name), section.sh_type, std::nullopt, section.sh_size};
    if (section.hasContent())
      copied.fileOffset = section.sh_offset;
    file.sections.push_back(std::move(copied));
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
        section.sh_link >= reader.sections.size())
      continue;
    std::string_view names = reader.content(reader.sections[section.sh_link], unused).value_or("");
    reader.forEachSymbol(section, [&](const Elf64_Sym &symbol, uint64_t) {
      std::string name = take(elf::textAt(names, symbol.st_name).value_or(""));
      if (!name.empty())
        file.symbols.push_back({std::move(name), symbol.st_shndx != SHN_UNDEF,
                                ELF64_ST_TYPE(symbol.st_info) == STT_FUNC,
                                ELF64_ST_BIND(symbol.st_info) == STB_LOCAL,
                                offsetOf(symbol, reader)});
      return true;
    });
  }
  if (nameBytes > 2 * bytes.size())
    file.error = "expected names that lie apart, but got names that overlap";
  return file;
}

std::string elfSeal(std::string_view content, const std::string &signingKey) {
  if (signingKey.empty())
    return elf::sealOf(content);
  const Result<ed25519::Seed> seed = readSigningKey(signingKey);
  if (!seed)
    throw makeError(Diagnostic::SigningKey, {{"path", signingKey}, {"reason", seed.reason()}});
  return elf::sealOf(content, &*seed);
}

std::string_view withoutElfSeal(std::string_view file) { return elf::withoutSeal(file); }

} // namespace fairlead
