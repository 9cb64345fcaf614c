#include "link/Relocations.h"

#include <elf.h>

#include <cstring>
#include <limits>
#include <utility>

namespace fairlead::link {
namespace {

constexpr RelocationKind kX86[] = {
    {R_X86_64_64, "64", Via::Symbol, Base::Zero, Field::Bits64},
    {R_X86_64_PC64, "PC64", Via::Symbol, Base::Here, Field::Bits64},
    {R_X86_64_PC32, "PC32", Via::Symbol, Base::Here, Field::Signed32},
    {R_X86_64_PLT32, "PLT32", Via::Stub, Base::Here, Field::Signed32},
    {R_X86_64_32, "32", Via::Symbol, Base::Zero, Field::Unsigned32},
    {R_X86_64_32S, "32S", Via::Symbol, Base::Zero, Field::Signed32},
    {R_X86_64_GOTPCREL, "GOTPCREL", Via::Slot, Base::Here, Field::Signed32},
    {R_X86_64_GOTPCRELX, "GOTPCRELX", Via::Slot, Base::Here, Field::Signed32},
    {R_X86_64_REX_GOTPCRELX, "REX_GOTPCRELX", Via::Slot, Base::Here, Field::Signed32},
};

constexpr RelocationKind kAArch64[] = {
    {R_AARCH64_ABS64, "ABS64", Via::Symbol, Base::Zero, Field::Bits64},
    {R_AARCH64_ABS32, "ABS32", Via::Symbol, Base::Zero, Field::Either32},
    {R_AARCH64_PREL64, "PREL64", Via::Symbol, Base::Here, Field::Bits64},
    {R_AARCH64_PREL32, "PREL32", Via::Symbol, Base::Here, Field::Either32},
    {R_AARCH64_LD_PREL_LO19, "LD_PREL_LO19", Via::Symbol, Base::Here, Field::Branch19},
    {R_AARCH64_ADR_PREL_LO21, "ADR_PREL_LO21", Via::Symbol, Base::Here, Field::Address21},
    {R_AARCH64_ADR_PREL_PG_HI21, "ADR_PREL_PG_HI21", Via::Symbol, Base::HerePage, Field::Address21},
    {R_AARCH64_ADD_ABS_LO12_NC, "ADD_ABS_LO12_NC", Via::Symbol, Base::Zero, Field::Low12},
    {R_AARCH64_LDST8_ABS_LO12_NC, "LDST8_ABS_LO12_NC", Via::Symbol, Base::Zero, Field::Low12},
    {R_AARCH64_LDST16_ABS_LO12_NC, "LDST16_ABS_LO12_NC", Via::Symbol, Base::Zero, Field::Low12, 1},
    {R_AARCH64_LDST32_ABS_LO12_NC, "LDST32_ABS_LO12_NC", Via::Symbol, Base::Zero, Field::Low12, 2},
    {R_AARCH64_LDST64_ABS_LO12_NC, "LDST64_ABS_LO12_NC", Via::Symbol, Base::Zero, Field::Low12, 3},
    {R_AARCH64_LDST128_ABS_LO12_NC, "LDST128_ABS_LO12_NC", Via::Symbol, Base::Zero, Field::Low12,
     4},
    {R_AARCH64_TSTBR14, "TSTBR14", Via::Symbol, Base::Here, Field::Branch14},
    {R_AARCH64_CONDBR19, "CONDBR19", Via::Symbol, Base::Here, Field::Branch19},
    {R_AARCH64_JUMP26, "JUMP26", Via::Stub, Base::Here, Field::Branch26},
    {R_AARCH64_CALL26, "CALL26", Via::Stub, Base::Here, Field::Branch26},
    {R_AARCH64_ADR_GOT_PAGE, "ADR_GOT_PAGE", Via::Slot, Base::HerePage, Field::Address21},
    {R_AARCH64_LD64_GOT_LO12_NC, "LD64_GOT_LO12_NC", Via::Slot, Base::Zero, Field::Low12, 3},
};

/// Types that have a name in messages, but no place in objects that the linker takes.
constexpr std::pair<uint32_t, const char *> kOtherX86[] = {
    {R_X86_64_NONE, "NONE"},
    {R_X86_64_GOT32, "GOT32"},
    {R_X86_64_COPY, "COPY"},
    {R_X86_64_GLOB_DAT, "GLOB_DAT"},
    {R_X86_64_RELATIVE, "RELATIVE"},
    {R_X86_64_JUMP_SLOT, "JUMP_SLOT"},
    {R_X86_64_16, "16"},
    {R_X86_64_PC16, "PC16"},
    {R_X86_64_8, "8"},
    {R_X86_64_PC8, "PC8"},
    {R_X86_64_TPOFF64, "TPOFF64"},
    {R_X86_64_TLSGD, "TLSGD"},
    {R_X86_64_TLSLD, "TLSLD"},
    {R_X86_64_GOTTPOFF, "GOTTPOFF"},
    {R_X86_64_TPOFF32, "TPOFF32"},
    {R_X86_64_GOTOFF64, "GOTOFF64"},
    {R_X86_64_GOTPC32, "GOTPC32"},
};
constexpr std::pair<uint32_t, const char *> kOtherAArch64[] = {
    {R_AARCH64_NONE, "NONE"},
    {R_AARCH64_ABS16, "ABS16"},
    {R_AARCH64_PREL16, "PREL16"},
    {R_AARCH64_MOVW_UABS_G0_NC, "MOVW_UABS_G0_NC"},
    {R_AARCH64_MOVW_UABS_G1_NC, "MOVW_UABS_G1_NC"},
    {R_AARCH64_MOVW_UABS_G2_NC, "MOVW_UABS_G2_NC"},
    {R_AARCH64_MOVW_UABS_G3, "MOVW_UABS_G3"},
    {R_AARCH64_COPY, "COPY"},
    {R_AARCH64_GLOB_DAT, "GLOB_DAT"},
    {R_AARCH64_JUMP_SLOT, "JUMP_SLOT"},
    {R_AARCH64_RELATIVE, "RELATIVE"},
    {R_AARCH64_TLSLE_ADD_TPREL_HI12, "TLSLE_ADD_TPREL_HI12"},
    {R_AARCH64_TLSLE_ADD_TPREL_LO12_NC, "TLSLE_ADD_TPREL_LO12_NC"},
    {R_AARCH64_TLSDESC_ADR_PAGE21, "TLSDESC_ADR_PAGE21"},
    {R_AARCH64_TLSDESC_LD64_LO12, "TLSDESC_LD64_LO12"},
    {R_AARCH64_TLSDESC_ADD_LO12, "TLSDESC_ADD_LO12"},
    {R_AARCH64_TLSDESC_CALL, "TLSDESC_CALL"},
};

template <size_t size>
const RelocationKind *find(const RelocationKind (&kinds)[size], uint32_t type) {
  for (const RelocationKind &kind : kinds)
    if (kind.type == type)
      return &kind;
  return nullptr;
}

template <size_t size>
const char *nameIn(const std::pair<uint32_t, const char *> (&names)[size], uint32_t type) {
  for (const auto &[number, name] : names)
    if (number == type)
      return name;
  return nullptr;
}

bool fitsSigned(int64_t value, int bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
}

/// Replaces `bits` bits from `shift` on of an instruction.
void putBits(char *bytes, uint64_t value, int bits, int shift) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof(word));
  const uint32_t mask = ((uint32_t{1} << bits) - 1) << shift;
  word = (word & ~mask) | (static_cast<uint32_t>(value << shift) & mask);
  std::memcpy(bytes, &word, sizeof(word));
}

/// A distance to an instruction or a word of data: `bits` bits from `shift` on.
bool putDistance(char *bytes, uint64_t value, int bits, int shift) {
  constexpr int kWordBits = 2;
  if (value % 4 != 0 || !fitsSigned(static_cast<int64_t>(value), bits + kWordBits))
    return false;
  putBits(bytes, value >> kWordBits, bits, shift);
  return true;
}

bool putNarrow(char *bytes, uint64_t value, bool allowsSigned, bool allowsUnsigned) {
  const bool fits = (allowsSigned && fitsSigned(static_cast<int64_t>(value), 32)) ||
                    (allowsUnsigned && value <= std::numeric_limits<uint32_t>::max());
  if (!fits)
    return false;
  const auto narrow = static_cast<uint32_t>(value);
  std::memcpy(bytes, &narrow, sizeof(narrow));
  return true;
}

} // namespace

const RelocationKind *findRelocation(uint16_t machine, uint32_t type) {
  return machine == EM_AARCH64 ? find(kAArch64, type) : find(kX86, type);
}

bool isNoRelocation(uint16_t machine, uint32_t type) {
  constexpr uint32_t kFormerNone = 256; // in the first AArch64 ABI
  return machine == EM_AARCH64 ? type == R_AARCH64_NONE || type == kFormerNone
                               : type == R_X86_64_NONE;
}

std::string relocationName(uint16_t machine, uint32_t type) {
  const bool isArm = machine == EM_AARCH64;
  const RelocationKind *kind = findRelocation(machine, type);
  const char *name = kind    ? kind->name
                     : isArm ? nameIn(kOtherAArch64, type)
                             : nameIn(kOtherX86, type);
  return name ? std::string(isArm ? "R_AARCH64_" : "R_X86_64_") + name
              : "relocation type " + std::to_string(type);
}

bool applyRelocation(const RelocationKind &kind, char *bytes, uint64_t target, uint64_t here) {
  constexpr uint64_t kPage = 4096;
  const bool isPaged = kind.base == Base::HerePage;
  uint64_t value = target;
  if (isPaged)
    value = (target & ~(kPage - 1)) - (here & ~(kPage - 1));
  else if (kind.base == Base::Here)
    value -= here;
  switch (kind.field) {
  case Field::Bits64:
    std::memcpy(bytes, &value, sizeof(value));
    return true;
  case Field::Unsigned32:
    return putNarrow(bytes, value, false, true);
  case Field::Signed32:
    return putNarrow(bytes, value, true, false);
  case Field::Either32:
    return putNarrow(bytes, value, true, true);
  case Field::Branch26:
    return putDistance(bytes, value, 26, 0);
  case Field::Branch19:
    return putDistance(bytes, value, 19, 5);
  case Field::Branch14:
    return putDistance(bytes, value, 14, 5);
  case Field::Address21: {
    const int64_t units = static_cast<int64_t>(value) / static_cast<int64_t>(isPaged ? kPage : 1);
    if (!fitsSigned(units, 21))
      return false;
    putBits(bytes, static_cast<uint64_t>(units) & 3, 2, 29);
    putBits(bytes, static_cast<uint64_t>(units) >> 2, 19, 5);
    return true;
  }
  case Field::Low12:
    value %= kPage;
    if (value & ((uint64_t{1} << kind.scale) - 1))
      return false;
    putBits(bytes, value >> kind.scale, 12, 10);
    return true;
  }
  return false;
}

void writeStub(uint16_t machine, char *bytes, uint64_t here, uint64_t slot) {
  if (machine == EM_AARCH64) {
    // adrp x16, slot; ldr x16, [x16, slot]; br x16; nop
    const uint32_t code[kStubBytes / 4] = {0x90000010, 0xf9400210, 0xd61f0200, 0xd503201f};
    std::memcpy(bytes, code, sizeof(code));
    applyRelocation(*find(kAArch64, R_AARCH64_ADR_GOT_PAGE), bytes, slot, here);
    applyRelocation(*find(kAArch64, R_AARCH64_LD64_GOT_LO12_NC), bytes + 4, slot, here + 4);
    return;
  }
  // jmp *slot(%rip), and bytes that trap
  constexpr uint64_t kJumpBytes = 6;
  std::memset(bytes, 0xcc, kStubBytes);
  const unsigned char jump[] = {0xff, 0x25};
  std::memcpy(bytes, jump, sizeof(jump));
  const auto distance = static_cast<int32_t>(slot - (here + kJumpBytes));
  std::memcpy(bytes + 2, &distance, sizeof(distance));
}

} // namespace fairlead::link
