/// The linker, with objects made by a C compiler, whole and damaged.
#include <dlfcn.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "link/LoadedCode.h"
#include "link/ObjectFile.h"
#include "gtest/gtest.h"

namespace fairlead::link {
namespace {

std::string contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sample() { return contentOf(SAMPLE_OBJECT); }

void *fromProcess(const std::string &name) { return dlsym(RTLD_DEFAULT, name.c_str()); }

/// The mistake in the bytes; "" if there is none.
std::string problemOf(std::string_view bytes) {
  auto file = ObjectFile::read(bytes);
  return file ? "" : file.reason();
}

Result<std::unique_ptr<LoadedCode>> load(std::string_view bytes,
                                         const LoadedCode::Resolver &resolve = fromProcess) {
  auto file = ObjectFile::read(bytes);
  if (!file)
    return Failed{file.reason()};
  return LoadedCode::link({*file}, resolve);
}

/// The linked sample; NULL, which is noted, if it cannot be linked.
std::unique_ptr<LoadedCode> loadSample() {
  auto code = load(sample());
  EXPECT_TRUE(code) << code.reason();
  return code ? std::move(*code) : nullptr;
}

template <typename Function> Function *find(const LoadedCode &object, const char *name) {
  return reinterpret_cast<Function *>(object.find(name));
}

template <typename T> void put(std::string &bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

Elf64_Ehdr headerOf(const std::string &bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

/// The file offset of the header of the first section of a type, and the header.
size_t sectionOfType(const std::string &bytes, uint32_t type, Elf64_Shdr &section) {
  Elf64_Ehdr header = headerOf(bytes);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    size_t at = header.e_shoff + i * sizeof(section);
    std::memcpy(&section, bytes.data() + at, sizeof(section));
    if (section.sh_type == type)
      return at;
  }
  ADD_FAILURE() << "no section of type " << type;
  return 0;
}

TEST(Linker, RunsAnObject) {
  auto object = loadSample();
  ASSERT_TRUE(object);
  EXPECT_EQ(find<int()>(*object, "sample_count")(), 41);
  EXPECT_EQ(find<int(int)>(*object, "sample_call")(1), 42);
  EXPECT_STREQ(find<const char *(int)>(*object, "sample_word")(2), "two");
  EXPECT_EQ(find<uint64_t(const char *)>(*object, "sample_length")("four"), 4u);
  auto *strlenHere = reinterpret_cast<void *>(find<void *()>(*object, "sample_outside")());
  EXPECT_EQ(strlenHere, fromProcess("strlen"));
  EXPECT_EQ(object->find("counter"), nullptr) << "local symbols are not found";
  EXPECT_EQ(object->find("nothing"), nullptr);
}

TEST(Linker, LinksObjectsWithOneAnother) {
  static int given = 7;
  const std::string sampleBytes = sample(), secondBytes = contentOf(SECOND_OBJECT);
  auto first = ObjectFile::read(sampleBytes), second = ObjectFile::read(secondBytes);
  ASSERT_TRUE(first && second);
  auto resolve = [](const std::string &name) {
    return name == "given" ? static_cast<void *>(&given) : fromProcess(name);
  };
  for (const auto &files : {std::vector{*first, *second}, std::vector{*second, *first}}) {
    auto linked = LoadedCode::link(files, resolve);
    ASSERT_TRUE(linked) << linked.reason();
    const std::unique_ptr<LoadedCode> code = std::move(*linked);
    EXPECT_EQ(find<int()>(*code, "second_count")(), 141);
    EXPECT_EQ(find<int()>(*code, "sample_count")(), 42);
    EXPECT_EQ(find<int *()>(*code, "second_zeroed")(), code->find("zeroed"));
    EXPECT_EQ(find<int()>(*code, "second_given")(), 7);
    // The first of two definitions counts.
    const bool isSampleFirst = files.front().bytes == sampleBytes;
    EXPECT_EQ(find<int(int)>(*code, "sample_call")(1), isSampleFirst ? 43 : -1);
  }
}

TEST(Linker, NamesEachUndefinedSymbolOnce) {
  const std::string bytes = contentOf(SECOND_OBJECT);
  auto file = ObjectFile::read(bytes);
  ASSERT_TRUE(file) << file.reason();
  auto code = LoadedCode::link({*file, *file}, [](const std::string &) { return nullptr; });
  ASSERT_FALSE(code);
  EXPECT_EQ(code.reason(), "nothing defines `given`, `sample_count`, `zeroed`");
}

TEST(Linker, LoadsTwice) {
  auto first = loadSample(), second = loadSample();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(find<int()>(*first, "sample_count")(), 41);
  EXPECT_EQ(find<int()>(*second, "sample_count")(), 41);
}

TEST(Linker, CodeIsNotWritableAndDataNotExecutable) {
  auto object = loadSample();
  ASSERT_TRUE(object);
  auto protection = [](void *address) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    auto wanted = reinterpret_cast<uintptr_t>(address);
    while (std::getline(maps, line)) {
      uintptr_t from = 0, to = 0;
      char flags[5] = {};
      if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, flags) == 3 && from <= wanted &&
          wanted < to)
        return std::string(flags);
    }
    return std::string("not mapped");
  };
  EXPECT_EQ(protection(object->find("sample_count")), "r-xp");
  EXPECT_EQ(protection(object->find("zeroed")), "rw-p");
}

TEST(Linker, NamesWhatIsNotDefined) {
  auto code = load(sample(), [](const std::string &) { return nullptr; });
  ASSERT_FALSE(code);
  EXPECT_NE(code.reason().find("nothing defines `strlen`"), std::string::npos) << code.reason();
}

TEST(Linker, ListsDefinedNames) {
  const std::string bytes = sample();
  auto names = definedNames(elf::MemorySource(bytes));
  EXPECT_NE(std::find(names.begin(), names.end(), "sample_count"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "strlen"), names.end());
  EXPECT_TRUE(definedNames(elf::MemorySource("no ELF")).empty());
}

TEST(Linker, RefusesOtherFiles) {
  EXPECT_NE(problemOf("").find("an empty file"), std::string::npos);
  EXPECT_NE(problemOf("#!/bin/sh\nexit 0\n").find("starts with the bytes 23 21 2f 62"),
            std::string::npos);
  EXPECT_NE(problemOf(sample().substr(0, 20)).find("but got 20: the file is cut off"),
            std::string::npos);
  EXPECT_NE(problemOf(contentOf("/proc/self/exe")).find("expected a relocatable object"),
            std::string::npos);
  std::string other = sample();
  put<uint16_t>(other, offsetof(Elf64_Ehdr, e_machine), EM_ARM);
  const std::string here = elf::kHostMachine == EM_AARCH64 ? "aarch64" : "x86_64";
  EXPECT_EQ(problemOf(other), "expected an object for " + elf::machineName(elf::kHostMachine) +
                                  ", but got one for ARM (32 bits): export it again with "
                                  "--host-target linux-" +
                                  here);
}

TEST(Linker, RefusesEveryTruncation) {
  std::string whole = sample();
  for (size_t size = 0; size < whole.size(); size += 7)
    EXPECT_NE(problemOf(std::string_view(whole).substr(0, size)), "") << size;
}

TEST(Linker, NamesRelocationsThatItDoesNotKnow) {
  const bool isArm = elf::kHostMachine == EM_AARCH64;
  const uint32_t unknown = isArm ? R_AARCH64_TLSLE_ADD_TPREL_HI12 : R_X86_64_TPOFF32;
  const char *name = isArm ? "R_AARCH64_TLSLE_ADD_TPREL_HI12" : "R_X86_64_TPOFF32";
  std::string bytes = sample();
  Elf64_Ehdr header = headerOf(bytes);
  bool changed = false;
  for (size_t i = 0; i < header.e_shnum && !changed; ++i) {
    Elf64_Shdr section, target;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_RELA)
      continue;
    std::memcpy(&target, bytes.data() + header.e_shoff + section.sh_info * sizeof(target),
                sizeof(target));
    if (!(target.sh_flags & SHF_EXECINSTR))
      continue;
    put<uint32_t>(bytes, section.sh_offset + offsetof(Elf64_Rela, r_info), unknown);
    changed = true;
  }
  ASSERT_TRUE(changed);
  EXPECT_NE(problemOf(bytes).find(name), std::string::npos) << problemOf(bytes);
}

TEST(Linker, RefusesRelocationsOutsideTheirSection) {
  std::string bytes = sample();
  Elf64_Ehdr header = headerOf(bytes);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type == SHT_RELA && section.sh_size)
      put<uint64_t>(bytes, section.sh_offset + offsetof(Elf64_Rela, r_offset), ~uint64_t{0} - 3);
  }
  EXPECT_NE(problemOf(bytes).find("relocations inside their section"), std::string::npos)
      << problemOf(bytes);
}

TEST(Linker, RefusesSectionsToWriteAndExecute) {
  std::string bytes = sample();
  Elf64_Shdr section;
  Elf64_Ehdr header = headerOf(bytes);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    size_t at = header.e_shoff + i * sizeof(section);
    std::memcpy(&section, bytes.data() + at, sizeof(section));
    if (section.sh_flags & SHF_EXECINSTR)
      put<uint64_t>(bytes, at + offsetof(Elf64_Shdr, sh_flags), section.sh_flags | SHF_WRITE);
  }
  EXPECT_NE(problemOf(bytes).find("to write or to execute"), std::string::npos);
}

TEST(Linker, RefusesHugeMemory) {
  std::string bytes = sample();
  Elf64_Shdr section;
  size_t at = sectionOfType(bytes, SHT_NOBITS, section);
  put<uint64_t>(bytes, at + offsetof(Elf64_Shdr, sh_size), uint64_t{1} << 62);
  EXPECT_NE(problemOf(bytes).find("at most 1 GiB"), std::string::npos) << problemOf(bytes);
}

/// Bytes changed at random are refused, or give an object that can be linked: nothing crashes.
TEST(Linker, SurvivesRandomChanges) {
  const std::string whole = sample();
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 1 + round % 4; ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (auto code = load(bytes); !code) {
      EXPECT_NE(code.reason(), "");
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

} // namespace
} // namespace fairlead::link
