#include "elf/Reader.h"

#include <utility>

namespace fairlead::elf {
namespace {

// Names of larger tables are those of whole frameworks with debug information, and are not copied.
constexpr uint64_t kMostNames = 64 << 20;
// Many names that begin before one far end would take long to read.
constexpr uint64_t kMostText = 64 << 10;

std::string describeOther(std::string_view bytes) {
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, const char *> kKnown[] = {
      {"!<arch>"sv, "a static library (.a); link it with `gcc -shared -Wl,--whole-archive`"},
      {"PK\x03\x04"sv, "a ZIP archive"},
      {"MZ"sv, "a Windows program or DLL"},
      {"BC\xC0\xDE"sv, "LLVM bitcode"},
      {"//"sv, "text"}};
  for (const auto &[magic, name] : kKnown)
    if (bytes.substr(0, magic.size()) == magic)
      return name;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "a file that starts with the bytes";
  for (unsigned char byte : bytes.substr(0, 4))
    text += std::string(" ") + kDigits[byte >> 4] + kDigits[byte & 15];
  return text;
}

std::string sized(uint64_t count, uint64_t size) {
  return std::to_string(count) + " of " + std::to_string(size) + " bytes";
}

} // namespace

std::string Problem::text() const {
  switch (kind) {
  case Kind::NotElf:
    return "expected an ELF file, but got " + got;
  case Kind::Truncated:
    return "expected at least " + expected + " bytes (" + part + "), but got " + got +
           ": the file is cut off";
  case Kind::Damaged:
  case Kind::Untrusted:
    return "expected " + expected + ", but got " + got;
  case Kind::Foreign:
    return "expected a file for " + expected + ", but got one for " + got;
  case Kind::OtherType:
    return "expected " + expected + ", but got " + got;
  }
  return "";
}

Checked Reader::contains(uint64_t offset, uint64_t bytes, const std::string &part) const {
  uint64_t end;
  if (__builtin_add_overflow(offset, bytes, &end))
    return Problem{Problem::Kind::Damaged, part + " inside the file",
                   "offset " + std::to_string(offset)};
  if (end > source.size())
    return Problem{Problem::Kind::Truncated, std::to_string(end), std::to_string(source.size()),
                   part};
  return {};
}

Checked Reader::readAt(uint64_t offset, void *out, size_t bytes, const std::string &part) const {
  if (Checked inside = contains(offset, bytes, part); !inside)
    return inside;
  if (!source.read(offset, out, bytes))
    return Problem{Problem::Kind::Damaged, part, "a read error"};
  return {};
}

Checked Reader::readHeader() {
  std::string buffer;
  auto start = source.view(0, std::min<uint64_t>(source.size(), EI_NIDENT), buffer);
  if (!start || start->empty())
    return Problem{Problem::Kind::NotElf, "", start ? "an empty file" : "a read error"};
  if (!isElf(*start) &&
      start->substr(0, SELFMAG) != std::string_view(ELFMAG, SELFMAG).substr(0, start->size()))
    return Problem{Problem::Kind::NotElf, "", describeOther(*start)};
  if (Checked read = readAt(0, &header, sizeof(header), "the ELF header"); !read)
    return read;
  const unsigned char *ident = header.e_ident;
  if (ident[EI_CLASS] == ELFCLASS32)
    return Problem{Problem::Kind::Foreign, machineName(kHostMachine) + " (64 bits)",
                   "a 32-bit machine"};
  if (ident[EI_CLASS] != ELFCLASS64)
    return Problem{Problem::Kind::Damaged, "ELF class 2 (64 bits)",
                   "class " + std::to_string(ident[EI_CLASS])};
  if (ident[EI_DATA] != ELFDATA2LSB)
    return Problem{Problem::Kind::Foreign, machineName(kHostMachine) + " (little-endian)",
                   ident[EI_DATA] == ELFDATA2MSB ? "a big-endian machine"
                                                 : "an unknown byte order"};
  return {};
}

Checked Reader::readSegments() {
  if (header.e_phnum == 0)
    return {};
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    return Problem{Problem::Kind::Damaged,
                   "program headers of " + std::to_string(sizeof(Elf64_Phdr)) + " bytes",
                   sized(header.e_phnum, header.e_phentsize)};
  const uint64_t bytes = header.e_phnum * sizeof(Elf64_Phdr);
  if (Checked read = contains(header.e_phoff, bytes, "the program headers"); !read)
    return read;
  segments.resize(header.e_phnum);
  return readAt(header.e_phoff, segments.data(), bytes, "the program headers");
}

Checked Reader::readSectionHeaders() {
  if (header.e_shoff == 0)
    return {}; // stripped to the segments
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return Problem{Problem::Kind::Damaged,
                   "section headers of " + std::to_string(sizeof(Elf64_Shdr)) + " bytes",
                   sized(header.e_shnum, header.e_shentsize)};
  // A count that does not fit 16 bits is in the first section's header.
  uint64_t count = header.e_shnum;
  if (count == 0) {
    Elf64_Shdr first;
    if (Checked read = readAt(header.e_shoff, &first, sizeof(first), "the section headers"); !read)
      return read;
    count = first.sh_size;
    if (count > source.size() / sizeof(Elf64_Shdr))
      return Problem{Problem::Kind::Damaged, "section headers inside the file",
                     std::to_string(count) + " of them"};
  }
  if (Checked read = contains(header.e_shoff, count * sizeof(Elf64_Shdr), "the section headers");
      !read)
    return read;
  std::vector<Elf64_Shdr> table(count);
  if (Checked read =
          readAt(header.e_shoff, table.data(), count * sizeof(Elf64_Shdr), "the section headers");
      !read)
    return read;
  sections.reserve(count);
  for (const Elf64_Shdr &each : table) {
    Section section;
    static_cast<Elf64_Shdr &>(section) = each;
    sections.push_back(section);
  }
  return {};
}

Checked Reader::readSections() {
  if (Checked read = readSectionHeaders(); !read)
    return read;
  if (sections.empty())
    return {};
  for (size_t i = 0; i < sections.size(); ++i)
    if (const Section &own = sections[i];
        own.hasContent() && !source.has(own.sh_offset, own.sh_size))
      return contains(own.sh_offset, own.sh_size, "section #" + std::to_string(i));
  const uint64_t index = header.e_shstrndx == SHN_XINDEX ? sections[0].sh_link : header.e_shstrndx;
  if (index >= sections.size())
    return Problem{Problem::Kind::Damaged,
                   "the sections' names in one of " + std::to_string(sections.size()) + " sections",
                   "section #" + std::to_string(index)};
  if (sections[index].sh_size > kMostNames)
    return Problem{Problem::Kind::Damaged, "the sections' names in at most 64 MiB",
                   std::to_string(sections[index].sh_size) + " bytes"};
  std::string_view names = content(sections[index], nameBuffer).value_or(std::string_view());
  for (Section &section : sections)
    if (auto name = textAt(names, section.sh_name)) {
      section.name = *name;
      section.isNamed = true;
    }
  return {};
}

Checked Reader::readAll() {
  for (auto step : {&Reader::readHeader, &Reader::readSegments, &Reader::readSections})
    if (Checked read = (this->*step)(); !read)
      return read;
  return {};
}

const Section *Reader::find(std::string_view name) const {
  for (const Section &section : sections)
    if (section.isNamed && section.name == name)
      return &section;
  return nullptr;
}

std::optional<std::string_view> Reader::content(const Section &section, std::string &buffer) const {
  if (!section.hasContent())
    return std::nullopt;
  return source.view(section.sh_offset, section.sh_size, buffer);
}

uint64_t Reader::extent() const {
  uint64_t end = sizeof(header);
  auto reach = [&](uint64_t offset, uint64_t bytes) {
    if (source.has(offset, bytes))
      end = std::max(end, offset + bytes);
  };
  reach(header.e_phoff, segments.size() * sizeof(Elf64_Phdr));
  reach(header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Phdr &segment : segments)
    reach(segment.p_offset, segment.p_filesz);
  for (const Section &section : sections)
    if (section.hasContent())
      reach(section.sh_offset, section.sh_size);
  return end;
}

bool isElf(std::string_view bytes) {
  return bytes.substr(0, SELFMAG) == std::string_view(ELFMAG, SELFMAG);
}

std::optional<std::string_view> textAt(std::string_view table, uint64_t offset) {
  if (offset >= table.size())
    return std::nullopt;
  std::string_view rest = table.substr(offset, kMostText);
  size_t end = rest.find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  return rest.substr(0, end);
}

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

std::string typeName(uint16_t type) {
  switch (type) {
  case ET_REL:
    return "an object file";
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

} // namespace fairlead::elf
