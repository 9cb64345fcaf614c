#include "elf/Seal.h"

#include <gtest/gtest.h>

#include <stdlib.h>
#include <unistd.h>

#include "elf/FileSource.h"
#include "elf/SharedLibrary.h"
#include "trust/KeyFile.h"

#include <fstream>
#include <iterator>

namespace seal_test {
namespace {

using namespace fairlead::elf;
namespace ed25519 = fairlead::ed25519;

std::string contentOf(const char *path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

Seal::Kind sealIn(const std::string &bytes) { return readSeal(MemorySource(bytes)).kind; }

ed25519::Seed seedOf(uint8_t byte) {
  ed25519::Seed seed;
  seed.fill(byte);
  return seed;
}

/// $FAIRLEAD_TRUSTED_KEYS for a while: a file with these lines.
class Trusting {
public:
  explicit Trusting(const std::string &lines)
      : path(testing::TempDir() + "trusted-" + std::to_string(getpid()) + ".pub") {
    std::ofstream(path) << lines;
    setenv("FAIRLEAD_TRUSTED_KEYS", path.c_str(), 1);
  }
  ~Trusting() {
    unsetenv("FAIRLEAD_TRUSTED_KEYS");
    unlink(path.c_str());
  }

private:
  std::string path;
};

std::string publicLine(const ed25519::Seed &seed) {
  ed25519::PublicKey key;
  ed25519::makePublicKey(seed, key);
  return fairlead::keyText(key) + " a comment\n";
}

std::string problemOf(const std::string &bytes) {
  const Checked seal = checkSealAndSigner(MemorySource(bytes));
  return seal ? "" : seal.failure().text();
}

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

TEST(Seal, WhatIsLeftOfOneIsWrong) {
  const std::string content = contentOf(SAMPLE_LIBRARY);
  const ed25519::Seed seed = seedOf(7);
  EXPECT_EQ(sealIn(content), Seal::None);
  for (const std::string &seal : {sealOf(content), sealOf(content, &seed)}) {
    for (size_t kept = 1; kept < seal.size(); ++kept)
      EXPECT_EQ(sealIn(content + seal.substr(0, kept)), Seal::Wrong) << kept;
    for (size_t bit = 0; bit < 8 * seal.size(); ++bit) {
      std::string changed = content + seal;
      changed[content.size() + bit / 8] ^= static_cast<char>(1 << bit % 8);
      EXPECT_EQ(sealIn(changed), Seal::Wrong) << bit;
    }
    EXPECT_EQ(sealIn(content + "more" + seal), Seal::Wrong);
    EXPECT_EQ(sealIn(content + seal + "more"), Seal::Wrong);
  }
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
  EXPECT_TRUE(checkSharedLibrary(MemorySource(whole)));
  std::string bytes = whole + sealOf(whole);
  EXPECT_TRUE(checkSharedLibrary(MemorySource(bytes)));
  MemorySource source(whole);
  Reader reader(source);
  ASSERT_TRUE(reader.readHeader() && reader.readSections());
  bytes[reader.find(".text")->sh_offset] ^= 1;
  const Checked library = checkSharedLibrary(MemorySource(bytes));
  ASSERT_FALSE(library);
  const Problem &problem = library.failure();
  EXPECT_EQ(problem.kind, Problem::Kind::Damaged);
  EXPECT_NE(problem.text().find("the content that it was exported with"), std::string::npos);
}

/// RFC 8032, section 7.1, test 2.
TEST(Ed25519, SignsAsTheStandardSays) {
  const ed25519::Seed seed = {0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3,
                              0x46, 0xec, 0x11, 0x4e, 0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab,
                              0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb};
  const uint8_t signature[] = {0x92, 0xa0, 0x09, 0xa9, 0xf0, 0xd4, 0xca, 0xb8, 0x72, 0x0e, 0x82};
  ed25519::PublicKey key;
  ed25519::makePublicKey(seed, key);
  EXPECT_EQ(fairlead::keyText(key),
            "fairlead-ed25519 3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  ed25519::Signature made;
  ed25519::sign("\x72", seed, made);
  EXPECT_TRUE(std::equal(std::begin(signature), std::end(signature), made.begin()));
  EXPECT_TRUE(ed25519::verify("\x72", made, key));
  EXPECT_FALSE(ed25519::verify("\x73", made, key));
}

TEST(Seal, OnlyWhatTrustedKeysSigned) {
  const std::string content(70000, 'c');
  const ed25519::Seed first = seedOf(1), second = seedOf(2), other = seedOf(3);
  const std::string plain = content + sealOf(content);
  EXPECT_EQ(withoutSeal(content + sealOf(content, &first)), content);
  EXPECT_EQ(problemOf(plain), "");
  Trusting trusting("# who builds\n\n" + publicLine(first) + publicLine(second));
  EXPECT_EQ(problemOf(content + sealOf(content, &first)), "");
  EXPECT_EQ(problemOf(content + sealOf(content, &second)), "");
  EXPECT_NE(problemOf(plain).find("but got one that is not signed"), std::string::npos);
  EXPECT_NE(problemOf(content).find("but got one that is not signed"), std::string::npos);
  EXPECT_NE(problemOf(content + sealOf(content, &other)).find("signed by another key, "),
            std::string::npos);
}

/// Whoever can change the content can make its checksum right.
TEST(Seal, ASignatureOfOtherContentDoesNotFit) {
  const ed25519::Seed seed = seedOf(1);
  Trusting trusting(publicLine(seed));
  const std::string content = contentOf(SAMPLE_OBJECT);
  const std::string tail = sealOf(content, &seed);
  const std::string block = tail.substr(0, tail.size() - 40);
  for (size_t bit = 0; bit < (content.size() + block.size()) * 8; bit += 97) {
    std::string forged = content + block;
    forged[bit / 8] ^= char(1 << (bit % 8));
    ASSERT_NE(problemOf(forged + sealOf(forged)), "") << bit;
  }
  std::string forged = content;
  forged[100] ^= 1;
  forged += block;
  EXPECT_NE(problemOf(forged + sealOf(forged)).find("the signature does not fit"),
            std::string::npos);
}

TEST(Seal, AListThatCannotBeReadTrustsNobody) {
  const ed25519::Seed seed = seedOf(1);
  const std::string bytes = "content" + sealOf("content", &seed);
  for (const char *lines : {"", "# nobody\n", "fairlead-ed25519 12\n", "nonsense\n"}) {
    Trusting trusting(lines);
    EXPECT_NE(problemOf(bytes).find("to be a list of public keys"), std::string::npos) << lines;
  }
  {
    Trusting trusting(publicLine(seed) + "fairlead-ed25519 " + std::string(64, 'G') + "\n");
    EXPECT_NE(problemOf(bytes).find("line 2 is not"), std::string::npos);
  }
  setenv("FAIRLEAD_TRUSTED_KEYS", "/nowhere/keys", 1);
  EXPECT_NE(problemOf(bytes).find("No such file"), std::string::npos);
  unsetenv("FAIRLEAD_TRUSTED_KEYS");
}

} // namespace
} // namespace seal_test
