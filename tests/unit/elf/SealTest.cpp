#include "elf/Seal.h"

#include <gtest/gtest.h>

#include "elf/FileSource.h"
#include "elf/SharedLibrary.h"

#include <fstream>
#include <iterator>

namespace {

using namespace fairlead::elf;

std::string contentOf(const char *path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

Seal sealIn(const std::string &bytes) { return readSeal(MemorySource(bytes)); }

TEST(Seal, EveryFlippedBitOfTheContentIsTold) {
  std::string whole = contentOf(SAMPLE_OBJECT);
  std::string bytes = whole + sealOf(whole);
  ASSERT_EQ(sealIn(bytes), Seal::Right);
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    bytes[bit / 8] ^= char(1 << (bit % 8));
    ASSERT_EQ(sealIn(bytes), Seal::Wrong) << bit;
    bytes[bit / 8] ^= char(1 << (bit % 8));
  }
  bytes.back() ^= 1;
  EXPECT_EQ(sealIn(bytes), Seal::Wrong);
}

TEST(Seal, ContentOfEverySize) {
  for (size_t size : {0, 1, 63, 64, 65535, 65536, 65537, 200000}) {
    std::string content(size, 'c');
    EXPECT_EQ(sealIn(content), Seal::None);
    std::string bytes = content + sealOf(content);
    EXPECT_EQ(sealIn(bytes), Seal::Right) << size;
    EXPECT_EQ(withoutSeal(bytes), content);
    EXPECT_EQ(withoutSeal(content), content);
    EXPECT_EQ(sealIn("x" + bytes), Seal::Wrong) << "a byte more at the front";
    EXPECT_EQ(sealIn(bytes + "x"), Seal::None) << "something behind it";
  }
}

TEST(Seal, ALibraryWithAWrongOneIsRefused) {
  std::string whole = contentOf(SAMPLE_LIBRARY);
  EXPECT_FALSE(checkSharedLibrary(MemorySource(whole)));
  std::string bytes = whole + sealOf(whole);
  EXPECT_FALSE(checkSharedLibrary(MemorySource(bytes)));
  MemorySource source(whole);
  Reader reader(source);
  ASSERT_TRUE(reader.readHeader() && reader.readSections());
  bytes[reader.find(".text")->sh_offset] ^= 1;
  Problem problem = checkSharedLibrary(MemorySource(bytes));
  EXPECT_EQ(problem.kind, Problem::Kind::Damaged);
  EXPECT_NE(problem.text().find("the content that it was exported with"), std::string::npos);
}

} // namespace
