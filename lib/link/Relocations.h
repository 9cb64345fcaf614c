/// The relocations of each processor that the linker knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fairlead::link {

/// Through which address of a symbol a relocation goes.
enum class Via : uint8_t {
  Symbol, ///< the symbol's own
  Slot,   ///< that of an 8-byte slot that holds the symbol's address
  Stub,   ///< a stub that jumps to the symbol, if the object does not define it
};

/// Subtrahend of the address plus the addend.
enum class Base : uint8_t {
  Zero,
  Here,     ///< the place that the relocation changes
  HerePage, ///< both are rounded down to 4 KiB first
};

/// How the result is stored.
enum class Field : uint8_t {
  Bits64,
  Unsigned32,
  Signed32,
  Either32, ///< signed or unsigned
  Branch26, ///< AArch64: a distance in words
  Branch19,
  Branch14,
  Address21, ///< AArch64: of `adr`, and in pages of `adrp`
  Low12,     ///< AArch64: the lowest 12 bits, in units of 1 << `scale` bytes
};

struct RelocationKind {
  uint32_t type;
  const char *name;
  Via via;
  Base base;
  Field field;
  uint8_t scale = 0; ///< of Low12
  /// Bytes that are changed.
  uint64_t bytes() const { return field == Field::Bits64 ? 8 : 4; }
  /// True for the pointers of data.
  bool isPointer() const { return field == Field::Bits64 && base == Base::Zero; }
};

/// NULL for a type that the linker cannot apply. `machine` is EM_X86_64 or EM_AARCH64.
const RelocationKind *findRelocation(uint16_t machine, uint32_t type);
/// True for the types that mean "nothing".
bool isNoRelocation(uint16_t machine, uint32_t type);
/// "R_X86_64_PC32", or its number.
std::string relocationName(uint16_t machine, uint32_t type);

/// Relocate the bytes for `here`, their later address. `target` is the address of the symbol, its
/// slot or its stub, plus the addend. Return false if `target` is out of reach.
bool applyRelocation(const RelocationKind &kind, char *bytes, uint64_t target, uint64_t here);

/// Bytes of a stub, and their alignment.
constexpr size_t kStubBytes = 16;
/// Write code for address `here` that jumps to the address in the slot at `slot`, at most 1 GiB
/// away.
void writeStub(uint16_t machine, char *bytes, uint64_t here, uint64_t slot);

} // namespace fairlead::link
