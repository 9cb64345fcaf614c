#include "elf/Reader.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "elf/FileSource.h"

namespace {

using namespace fairlead::elf;
using Kind = Problem::Kind;

std::string contentOf(const char *path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Defined function symbols of the tables of a type, with their values.
std::map<std::string, uint64_t> functions(const Reader &reader, uint32_t type) {
  std::map<std::string, uint64_t> found;
  std::string buffer;
  for (const Section &table : reader.sections) {
    if (table.sh_type != type)
      continue;
    auto names = reader.content(reader.sections.at(table.sh_link), buffer);
    EXPECT_TRUE(names);
    EXPECT_TRUE(reader.forEachSymbol(table, [&](const Elf64_Sym &symbol, uint64_t) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
        found.emplace(textAt(*names, symbol.st_name).value(), symbol.st_value);
      return true;
    }));
  }
  return found;
}

template <typename Change> Checked readAfter(Change &&change) {
  std::string bytes = contentOf(SAMPLE_OBJECT);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  change(bytes, header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  MemorySource source(bytes);
  Reader reader(source);
  return reader.readAll();
}

template <typename Change> Problem problemAfter(Change &&change) {
  const Checked read = readAfter(change);
  EXPECT_FALSE(read);
  return read ? Problem{} : read.failure();
}

TEST(ElfReader, ReadsAFileAndMemoryAlike) {
  std::string bytes = contentOf(SAMPLE_LIBRARY);
  MemorySource memory(bytes);
  FileSource file(SAMPLE_LIBRARY);
  ASSERT_TRUE(file.opened());
  Reader ofMemory(memory), ofFile(file);
  for (Reader *reader : {&ofMemory, &ofFile}) {
    const Checked read = reader->readAll();
    ASSERT_TRUE(read) << read.failure().text();
    EXPECT_EQ(reader->header.e_type, ET_DYN);
    ASSERT_NE(reader->find(".text"), nullptr);
    EXPECT_EQ(reader->find("nothing"), nullptr);
    EXPECT_EQ(functions(*reader, SHT_DYNSYM).count("fairleadSample"), 1u);
    EXPECT_EQ(reader->extent(), bytes.size());
  }
  EXPECT_EQ(functions(ofMemory, SHT_SYMTAB), functions(ofFile, SHT_SYMTAB));
  std::string one, other;
  EXPECT_EQ(ofMemory.content(*ofMemory.find(".text"), one),
            ofFile.content(*ofFile.find(".text"), other));
  EXPECT_EQ(one, "") << "memory is not copied";
}

TEST(ElfReader, EveryTruncationIsTold) {
  std::string whole = contentOf(SAMPLE_OBJECT);
  for (size_t size = 0; size < whole.size(); ++size) {
    MemorySource source(std::string_view(whole).substr(0, size));
    Reader reader(source);
    const Checked read = reader.readAll();
    ASSERT_FALSE(read) << size;
    ASSERT_EQ(read.failure().kind, size ? Kind::Truncated : Kind::NotElf) << size;
  }
}

TEST(ElfReader, CountsBeyondSixteenBits) {
  auto moved = [](std::string &bytes, Elf64_Ehdr &header) {
    auto *first = reinterpret_cast<Elf64_Shdr *>(bytes.data() + header.e_shoff);
    first->sh_size = header.e_shnum;
    first->sh_link = header.e_shstrndx;
    header.e_shnum = 0;
    header.e_shstrndx = SHN_XINDEX;
  };
  EXPECT_TRUE(readAfter(moved));
  EXPECT_EQ(problemAfter([&](std::string &bytes, Elf64_Ehdr &header) {
              moved(bytes, header);
              reinterpret_cast<Elf64_Shdr *>(bytes.data() + header.e_shoff)->sh_size = ~uint64_t(0);
            }).kind,
            Kind::Damaged);
}

TEST(ElfReader, TellsWhatIsWrong) {
  using Bytes = std::string;
  EXPECT_EQ(problemAfter([](Bytes &, Elf64_Ehdr &h) { h.e_ident[EI_CLASS] = ELFCLASS32; }).text(),
            "expected a file for " + machineName(kHostMachine) +
                " (64 bits), but got one for a 32-bit machine");
  EXPECT_EQ(problemAfter([](Bytes &, Elf64_Ehdr &h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }).kind,
            Kind::Foreign);
  EXPECT_EQ(problemAfter([](Bytes &, Elf64_Ehdr &h) { h.e_shentsize = 8; }).kind, Kind::Damaged);
  EXPECT_EQ(problemAfter([](Bytes &, Elf64_Ehdr &h) { h.e_shstrndx = 999; }).kind, Kind::Damaged);
  EXPECT_EQ(problemAfter([](Bytes &, Elf64_Ehdr &h) { h.e_shoff = ~uint64_t(0) - 8; }).kind,
            Kind::Damaged);
  EXPECT_EQ(problemAfter([](Bytes &b, Elf64_Ehdr &h) {
              auto *second = reinterpret_cast<Elf64_Shdr *>(b.data() + h.e_shoff) + 1;
              second->sh_size = b.size();
            }).part,
            "section #1");
  MemorySource text("#include");
  Reader reader(text);
  const Checked read = reader.readHeader();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.failure().text(), "expected an ELF file, but got a file that starts with the "
                                   "bytes 23 69 6e 63");
}

TEST(ElfReader, TextsEndInsideTheirTable) {
  std::string_view table("one\0two", 7);
  EXPECT_EQ(textAt(table, 0), "one");
  EXPECT_EQ(textAt(table, 2), "e");
  EXPECT_EQ(textAt(table, 3), "");
  EXPECT_EQ(textAt(table, 4), std::nullopt);
  EXPECT_EQ(textAt(table, 7), std::nullopt);
  EXPECT_EQ(textAt(table, ~uint64_t(0)), std::nullopt);
  std::string longText(100 << 10, 'x');
  longText.push_back('\0');
  EXPECT_EQ(textAt(longText, 0), std::nullopt);
  EXPECT_EQ(textAt(longText, 90 << 10).value().size(), size_t(10 << 10));
}

TEST(ElfReader, TablesOfOtherEntriesHoldNoSymbols) {
  std::string bytes = contentOf(SAMPLE_OBJECT);
  MemorySource source(bytes);
  Reader reader(source);
  ASSERT_TRUE(reader.readHeader() && reader.readSections());
  const Section *symbols = reader.find(".symtab");
  ASSERT_NE(symbols, nullptr);
  uint64_t seen = 0;
  auto count = [&](const Elf64_Sym &, uint64_t index) {
    EXPECT_EQ(index, seen++);
    return true;
  };
  EXPECT_TRUE(reader.forEachSymbol(*symbols, count));
  EXPECT_EQ(seen, symbols->sh_size / sizeof(Elf64_Sym));
  Section other = *symbols;
  other.sh_entsize = 23;
  EXPECT_FALSE(reader.forEachSymbol(other, count));
  other = *symbols;
  other.sh_link = 4711;
  EXPECT_FALSE(reader.forEachSymbol(other, count));
  other = *symbols;
  other.sh_offset = bytes.size();
  EXPECT_FALSE(reader.forEachSymbol(other, count));
}

TEST(FileSource, AFileThatShrinksGivesAFailedRead) {
  char path[] = "/tmp/fairlead-elf-XXXXXX";
  int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(ftruncate(fd, 8192), 0);
  FileSource file(path);
  std::string buffer;
  EXPECT_TRUE(file.view(4096, 4096, buffer));
  EXPECT_FALSE(file.view(4096, 4097, buffer));
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  EXPECT_EQ(file.size(), 8192u);
  EXPECT_FALSE(file.view(4096, 4096, buffer));
  close(fd);
  unlink(path);
}

TEST(FileSource, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(FileSource("/none/at/all").opened().reason(), "No such file or directory");
  EXPECT_EQ(FileSource("/").opened().reason(), "not a regular file");
}

} // namespace
