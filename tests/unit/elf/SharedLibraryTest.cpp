#include "elf/SharedLibrary.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace {

using namespace fairlead::elf;
using Kind = Problem::Kind;

/// Memory that counts reads past its end; there may be none.
class Memory : public ByteSource {
public:
  explicit Memory(std::string bytes) : bytes(std::move(bytes)) {}
  uint64_t size() const override { return bytes.size(); }
  bool read(uint64_t offset, void *out, size_t count) const override {
    if (!has(offset, count)) {
      ADD_FAILURE() << "read past the end: " << count << " bytes at " << offset;
      return false;
    }
    if (count > 0)
      std::memcpy(out, bytes.data() + offset, count);
    return true;
  }

private:
  std::string bytes;
};

std::string readFile(const char *path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

const std::string &library() {
  static const std::string bytes = readFile(SAMPLE_LIBRARY);
  return bytes;
}

Checked checked(const std::string &bytes) { return checkSharedLibrary(Memory(bytes)); }

/// The problem of bytes that are refused.
Problem check(const std::string &bytes) {
  const Checked library = checked(bytes);
  EXPECT_FALSE(library);
  return library ? Problem{} : library.failure();
}

/// The sample library with its ELF header changed.
template <typename Change> std::string withHeader(Change &&change) {
  std::string bytes = library();
  auto *header = reinterpret_cast<Elf64_Ehdr *>(bytes.data());
  change(*header);
  return bytes;
}

/// The sample library with its first program header of `type` changed.
template <typename Change> std::string withSegment(uint32_t type, Change &&change) {
  std::string bytes = library();
  auto *header = reinterpret_cast<Elf64_Ehdr *>(bytes.data());
  auto *segments = reinterpret_cast<Elf64_Phdr *>(bytes.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == type) {
      change(segments[i]);
      return bytes;
    }
  ADD_FAILURE() << "no segment of type " << type;
  return bytes;
}

TEST(SharedLibrary, AcceptsALibrary) {
  ASSERT_GT(library().size(), 4096u);
  EXPECT_TRUE(checked(library()));
}

TEST(SharedLibrary, RefusesEveryTruncation) {
  for (size_t length = 0; length < library().size(); ++length) {
    const Problem problem = check(library().substr(0, length));
    if (length >= 1) {
      ASSERT_EQ(problem.kind, Kind::Truncated) << length;
      EXPECT_EQ(problem.got, std::to_string(length));
      EXPECT_GT(std::stoull(problem.expected), length);
    }
  }
}

TEST(SharedLibrary, SurvivesEveryBitFlipInTheHeaders) {
  std::string bytes = library();
  auto header = *reinterpret_cast<const Elf64_Ehdr *>(bytes.data());
  size_t end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  for (size_t bit = 0; bit < end * 8; ++bit) {
    bytes[bit / 8] ^= char(1 << (bit % 8));
    (void)checked(bytes); // Memory fails the test on a bad read
    bytes[bit / 8] ^= char(1 << (bit % 8));
  }
}

TEST(SharedLibrary, SurvivesRandomBytes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = library().substr(0, 64 + random() % 4096);
    for (int i = 0; i < 24; ++i)
      bytes[random() % std::min<size_t>(bytes.size(), 700)] = char(random());
    (void)checked(bytes);
    std::memcpy(bytes.data(), library().data(), 20); // identification, type and machine intact
    (void)checked(bytes);
  }
}

TEST(SharedLibrary, NamesWhatIsNotElf) {
  EXPECT_EQ(check("").got, "an empty file");
  EXPECT_EQ(check("MZ\x90\0 and so on").got, "a Windows program or DLL");
  EXPECT_NE(check("!<arch>\nlib.o/").got.find("static library"), std::string::npos);
  EXPECT_EQ(check("hello, world").got, "a file that starts with the bytes 68 65 6c 6c");
  EXPECT_EQ(check("hello, world").kind, Kind::NotElf);
}

TEST(SharedLibrary, NamesTheArchitecture) {
#ifdef __x86_64__
  Problem problem = check(withHeader([](Elf64_Ehdr &h) { h.e_machine = EM_AARCH64; }));
  EXPECT_EQ(problem.expected, "x86-64");
  EXPECT_EQ(problem.got, "AArch64");
  EXPECT_EQ(problem.kind, Kind::Foreign);
#endif
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_machine = EM_CUDA; })).got,
            "NVIDIA CUDA (a CUBIN)");
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_machine = 0x1234; })).got, "ELF machine 4660");
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_ident[EI_CLASS] = ELFCLASS32; })).got,
            "a 32-bit machine");
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_ident[EI_DATA] = ELFDATA2MSB; })).got,
            "a big-endian machine");
}

TEST(SharedLibrary, NamesOtherKinds) {
  Problem object = check(readFile(SAMPLE_OBJECT));
  EXPECT_EQ(object.kind, Kind::OtherType);
  EXPECT_NE(object.got.find("gcc -shared"), std::string::npos) << object.got;
  Problem program = check(readFile(SAMPLE_PROGRAM));
  EXPECT_EQ(program.kind, Kind::OtherType);
  EXPECT_EQ(program.got, "a program (position independent)");
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_type = ET_EXEC; })).got, "a program");
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_type = 77; })).kind, Kind::Damaged);
}

TEST(SharedLibrary, RefusesOffsetsThatOverflow) {
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_phoff = UINT64_MAX - 8; })).kind,
            Kind::Damaged);
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_shoff = UINT64_MAX - 8; })).kind,
            Kind::Damaged);
  auto overflow = [](Elf64_Phdr &s) { s.p_offset = UINT64_MAX - 1; };
  EXPECT_EQ(check(withSegment(PT_LOAD, overflow)).kind, Kind::Damaged);
  EXPECT_EQ(check(withSegment(PT_DYNAMIC, overflow)).kind, Kind::Damaged);
}

TEST(SharedLibrary, RefusesDamagedSegments) {
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_phnum = 0; })).kind, Kind::Damaged);
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_phentsize = 8; })).kind, Kind::Damaged);
  EXPECT_EQ(check(withHeader([](Elf64_Ehdr &h) { h.e_shentsize = 8; })).kind, Kind::Damaged);
  EXPECT_EQ(check(withSegment(PT_LOAD, [](Elf64_Phdr &s) { s.p_memsz = 0; })).kind, Kind::Damaged);
  EXPECT_EQ(check(withSegment(PT_DYNAMIC, [](Elf64_Phdr &s) { s.p_type = PT_NOTE; })).got,
            "no dynamic segment");
  EXPECT_EQ(
      check(withSegment(PT_LOAD, [](Elf64_Phdr &s) { s.p_filesz = s.p_memsz = 1 << 30; })).kind,
      Kind::Truncated);
}

/// Values that would crash the dynamic linker, although they are inside the file.
TEST(SharedLibrary, RefusesSegmentsThatDisagree) {
  auto refused = [](const std::string &bytes) {
    Problem problem = check(bytes);
    return problem.kind == Kind::Damaged;
  };
  EXPECT_TRUE(refused(withSegment(PT_LOAD, [](Elf64_Phdr &s) { s.p_memsz += 1; })))
      << "more memory than file, and not to be written";
  EXPECT_TRUE(refused(withSegment(PT_LOAD, [](Elf64_Phdr &s) {
    s.p_flags |= PF_W;
    s.p_memsz = 1 << 20;
  }))) << "over the next one";
  EXPECT_TRUE(refused(withSegment(PT_LOAD, [](Elf64_Phdr &s) {
    s.p_flags |= PF_W;
    s.p_memsz = uint64_t{1} << 60;
  })));
  EXPECT_TRUE(refused(withSegment(PT_DYNAMIC, [](Elf64_Phdr &s) { s.p_vaddr += 8; })));
  EXPECT_TRUE(refused(withSegment(PT_DYNAMIC, [](Elf64_Phdr &s) { s.p_vaddr = 1 << 30; })));
  EXPECT_TRUE(refused(withSegment(PT_GNU_RELRO, [](Elf64_Phdr &s) { s.p_memsz += 1 << 17; })));
  EXPECT_TRUE(refused(withSegment(PT_GNU_EH_FRAME, [](Elf64_Phdr &s) { s.p_vaddr ^= 1 << 20; })));
}

TEST(SharedLibrary, RefusesTablesOutsideMemory) {
  for (int64_t tag : {DT_STRTAB, DT_SYMTAB, DT_RELA, DT_INIT, DT_STRSZ}) {
    std::string bytes = library();
    bool found = false;
    withSegment(PT_DYNAMIC, [&](Elf64_Phdr &s) {
      for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.p_filesz; at += sizeof(Elf64_Dyn)) {
        auto *entry = reinterpret_cast<Elf64_Dyn *>(bytes.data() + s.p_offset + at);
        if (entry->d_tag != tag)
          continue;
        entry->d_un.d_val = uint64_t{1} << 40;
        found = true;
      }
    });
    ASSERT_TRUE(found) << tag;
    EXPECT_FALSE(checked(bytes)) << tag;
  }
}

TEST(SharedLibrary, RefusesATableOfHashesThatEndsTheProcess) {
  std::string bytes = library();
  uint64_t hashes = 0;
  withSegment(PT_DYNAMIC, [&](Elf64_Phdr &s) {
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.p_filesz; at += sizeof(Elf64_Dyn)) {
      auto *entry = reinterpret_cast<Elf64_Dyn *>(bytes.data() + s.p_offset + at);
      if (entry->d_tag == DT_GNU_HASH)
        hashes = entry->d_un.d_ptr; // in the first segment, where addresses are offsets
    }
  });
  ASSERT_NE(hashes, 0u);
  for (uint32_t words : {0u, 3u}) {
    std::memcpy(bytes.data() + hashes + 8, &words, sizeof(words));
    EXPECT_NE(check(bytes).expected.find("a table of hashes"), std::string::npos) << words;
  }
}

TEST(SharedLibrary, AcceptsALibraryWithoutSections) {
  EXPECT_TRUE(checked(withHeader([](Elf64_Ehdr &h) {
    h.e_shoff = 0;
    h.e_shnum = 0;
  })));
}

} // namespace
