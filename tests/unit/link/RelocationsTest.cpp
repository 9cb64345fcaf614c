/// Relocated instructions against the words of an assembler, on every processor.
#include <elf.h>

#include <cstring>
#include <optional>

#include "link/Relocations.h"
#include "gtest/gtest.h"

namespace fairlead::link {
namespace {

constexpr uint64_t kHere = 0x7f1234560000;

/// An AArch64 instruction after a relocation; nullopt if the target is out of reach.
std::optional<uint32_t> relocated(uint32_t word, uint32_t type, uint64_t target,
                                  uint64_t here = kHere) {
  char bytes[4];
  std::memcpy(bytes, &word, sizeof(word));
  if (!applyRelocation(*findRelocation(EM_AARCH64, type), bytes, target, here))
    return std::nullopt;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

TEST(Relocations, PutDistancesIntoBranches) {
  EXPECT_EQ(relocated(0x94000000, R_AARCH64_CALL26, kHere + 0x7fffffc), 0x95ffffffu);
  EXPECT_EQ(relocated(0x14000000, R_AARCH64_JUMP26, kHere - 0x8000000), 0x16000000u);
  EXPECT_EQ(relocated(0xb4000001, R_AARCH64_CONDBR19, kHere + 0xffffc), 0xb47fffe1u);
  EXPECT_EQ(relocated(0x36180002, R_AARCH64_TSTBR14, kHere - 0x8000), 0x361c0002u);
  EXPECT_EQ(relocated(0x58000003, R_AARCH64_LD_PREL_LO19, kHere - 0x100000), 0x58800003u);
  EXPECT_EQ(relocated(0x10000004, R_AARCH64_ADR_PREL_LO21, kHere + 0xfffff), 0x707fffe4u);
  EXPECT_EQ(relocated(0x10000004, R_AARCH64_ADR_PREL_LO21, kHere - 0x100000), 0x10800004u);
}

TEST(Relocations, RefuseDistancesOutOfReach) {
  EXPECT_FALSE(relocated(0x94000000, R_AARCH64_CALL26, kHere + 0x8000000));
  EXPECT_FALSE(relocated(0x14000000, R_AARCH64_JUMP26, kHere - 0x8000004));
  EXPECT_FALSE(relocated(0x94000000, R_AARCH64_CALL26, kHere + 2)) << "no place of an instruction";
  EXPECT_FALSE(relocated(0xb4000001, R_AARCH64_CONDBR19, kHere + 0x100000));
  EXPECT_FALSE(relocated(0x36180002, R_AARCH64_TSTBR14, kHere + 0x8000));
  EXPECT_FALSE(relocated(0x10000004, R_AARCH64_ADR_PREL_LO21, kHere + 0x100000));
  EXPECT_FALSE(relocated(0x90000005, R_AARCH64_ADR_PREL_PG_HI21, kHere + (uint64_t{1} << 32)));
}

TEST(Relocations, CountPagesFromPageToPage) {
  // The page of the target, wherever in their pages the two lie.
  for (uint64_t offset : {0x0u, 0x4u, 0xffcu})
    for (uint64_t target : {0x7ffff000u, 0x7fffffffu})
      EXPECT_EQ(relocated(0x90000005, R_AARCH64_ADR_PREL_PG_HI21, kHere + target, kHere + offset),
                0xf03fffe5u);
  EXPECT_EQ(relocated(0x90000010, R_AARCH64_ADR_GOT_PAGE, kHere - 1), 0xf0fffff0u);
}

TEST(Relocations, PutLowBitsInUnitsOfTheAccess) {
  const uint64_t target = kHere + 0x5abc, even = kHere + 0x5ab0;
  EXPECT_EQ(relocated(0x910000c6, R_AARCH64_ADD_ABS_LO12_NC, target), 0x912af0c6u);
  EXPECT_EQ(relocated(0x39400107, R_AARCH64_LDST8_ABS_LO12_NC, target), 0x396af107u);
  EXPECT_EQ(relocated(0x79400107, R_AARCH64_LDST16_ABS_LO12_NC, target), 0x79557907u);
  EXPECT_EQ(relocated(0xb9400107, R_AARCH64_LDST32_ABS_LO12_NC, target), 0xb94abd07u);
  EXPECT_EQ(relocated(0xf9400107, R_AARCH64_LDST64_ABS_LO12_NC, target - 4), 0xf9455d07u);
  EXPECT_EQ(relocated(0x3dc00107, R_AARCH64_LDST128_ABS_LO12_NC, even), 0x3dc2ad07u);
  EXPECT_EQ(relocated(0xf9400107, R_AARCH64_LD64_GOT_LO12_NC, target - 4), 0xf9455d07u);
  EXPECT_FALSE(relocated(0xf9400107, R_AARCH64_LDST64_ABS_LO12_NC, target)) << "not aligned";
}

TEST(Relocations, ReplaceWhatTheFieldHeld) {
  EXPECT_EQ(relocated(0x97ffffff, R_AARCH64_CALL26, kHere + 4), 0x94000001u);
  EXPECT_EQ(relocated(0xf0ffffe5, R_AARCH64_ADR_PREL_PG_HI21, kHere), 0x90000005u);
  EXPECT_EQ(relocated(0x397ffd07, R_AARCH64_LDST8_ABS_LO12_NC, kHere + 1), 0x39400507u);
}

TEST(Relocations, StoreWordsOfData) {
  EXPECT_EQ(relocated(0, R_AARCH64_PREL32, kHere - 16), 0xfffffff0u);
  EXPECT_EQ(relocated(0, R_AARCH64_PREL32, kHere + 0xffffffff), 0xffffffffu);
  EXPECT_FALSE(relocated(0, R_AARCH64_PREL32, kHere + 0x100000000));
  EXPECT_FALSE(relocated(0, R_AARCH64_ABS32, kHere)) << "an address has more bits";
  for (uint32_t type : {R_AARCH64_ABS64, R_AARCH64_PREL64}) {
    const RelocationKind &kind = *findRelocation(EM_AARCH64, type);
    ASSERT_EQ(kind.bytes(), 8u);
    uint64_t stored = 0;
    ASSERT_TRUE(applyRelocation(kind, reinterpret_cast<char *>(&stored), kHere + 8, kHere));
    EXPECT_EQ(stored, kind.isPointer() ? kHere + 8 : 8);
  }
}

TEST(Relocations, StubsReadTheirSlot) {
  uint32_t words[kStubBytes / 4];
  auto *bytes = reinterpret_cast<char *>(words);
  writeStub(EM_AARCH64, bytes, kHere + 0xff8, kHere + 0x3010);
  EXPECT_EQ(words[0], 0xf0000010u); // adrp x16, three pages on
  EXPECT_EQ(words[1], 0xf9400a10u); // ldr x16, [x16, #16]: the instruction is on the next page
  EXPECT_EQ(words[2], 0xd61f0200u); // br x16
  writeStub(EM_X86_64, bytes, kHere, kHere + 0x1006);
  const unsigned char jump[] = {0xff, 0x25, 0x00, 0x10, 0x00, 0x00, 0xcc};
  EXPECT_EQ(std::memcmp(bytes, jump, sizeof(jump)), 0);
}

TEST(Relocations, HaveTheNamesOfTheirProcessor) {
  EXPECT_EQ(relocationName(EM_AARCH64, R_AARCH64_CALL26), "R_AARCH64_CALL26");
  EXPECT_EQ(relocationName(EM_AARCH64, R_AARCH64_TLSDESC_CALL), "R_AARCH64_TLSDESC_CALL");
  EXPECT_EQ(relocationName(EM_X86_64, R_X86_64_PLT32), "R_X86_64_PLT32");
  EXPECT_EQ(relocationName(EM_X86_64, R_X86_64_TPOFF32), "R_X86_64_TPOFF32");
  EXPECT_EQ(relocationName(EM_AARCH64, 9999), "relocation type 9999");
  EXPECT_FALSE(findRelocation(EM_AARCH64, R_AARCH64_TLSDESC_CALL));
  EXPECT_FALSE(findRelocation(EM_X86_64, R_AARCH64_CALL26));
  EXPECT_TRUE(isNoRelocation(EM_AARCH64, R_AARCH64_NONE) && isNoRelocation(EM_X86_64, 0));
}

} // namespace
} // namespace fairlead::link
