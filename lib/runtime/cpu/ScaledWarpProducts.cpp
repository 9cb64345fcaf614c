/// FairleadCpuScaledMma: a product of a warp's fragments with scale factors. Sums are computed in
/// double precision and rounded once.
#include <cstdint>

#include "fairlead/TensorMemoryCpu.h"
#include "runtime/cpu/NarrowNumbers.h"

namespace fairlead::cpu {
namespace {

constexpr int kLanes = 32, kRows = 16, kColumns = 8;
constexpr int kOfB = 4, kOfC = 6, kScalesOfA = 10, kScalesOfB = 11; ///< first registers

using Registers = uint32_t[kLanes];

double numberOf(uint32_t code, int type) {
  switch (type) {
  case kFairleadMmaE2M1Packed:
    return floatOfE2M1(static_cast<uint8_t>(code & 15));
  case kFairleadMmaE2M1: // in the middle of its byte
    return floatOfE2M1(static_cast<uint8_t>(code >> 2 & 15));
  case kFairleadMmaE2M3:
    return floatOfE2M3(static_cast<uint8_t>(code & 63));
  case kFairleadMmaE3M2:
    return floatOfE3M2(static_cast<uint8_t>(code & 63));
  case kFairleadMmaE5M2:
    return floatOfE5M2(static_cast<uint8_t>(code));
  default:
    return floatOfE4M3(static_cast<uint8_t>(code));
  }
}

class ScaledProduct {
public:
  ScaledProduct(Registers *registers, int32_t types)
      : registers(registers), types(types), areExponents(types >> 16 & 1), vector(types >> 24),
        perRegister((types & 0xff) == kFairleadMmaE2M1Packed ? 8 : 4) {}

  void run() const {
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column) {
        double sum = 0;
        for (int k = 0; k < kWords * perRegister; ++k)
          sum += left(row, k) * right(column, k);
        uint32_t &cell = registers[kOfC + row / 8 * 2 + column % 2][row % 8 * 4 + column / 2];
        cell = bitsOfFloat(static_cast<float>(sum + floatOfBits(cell)));
      }
  }

private:
  static constexpr int kWords = 8; ///< of K: two registers of four lanes

  double left(int row, int k) const {
    const uint32_t word = wordOf(k / (4 * perRegister) * 2 + row / 8, row % 8, k);
    return element(word, k, types & 0xff) * scale(kScalesOfA, row % 8 * 4 + row / 8, k);
  }
  double right(int column, int k) const {
    const uint32_t word = wordOf(kOfB + k / (4 * perRegister), column, k);
    return element(word, k, types >> 8 & 0xff) * scale(kScalesOfB, column * 4, k);
  }
  /// Four lanes have the elements along K of a row.
  uint32_t wordOf(int index, int row, int k) const {
    return registers[index][row * 4 + k % (4 * perRegister) / perRegister];
  }
  double element(uint32_t word, int k, int type) const {
    return numberOf(word >> k % perRegister * (32 / perRegister) & (perRegister == 8 ? 15 : 255),
                    type);
  }
  double scale(int index, int lane, int k) const {
    const auto code = static_cast<uint8_t>(registers[index][lane] >> k / vector * 8);
    return areExponents ? doubleOfE8M0(code) : floatOfE4M3(code & 0x7f);
  }

  Registers *registers;
  int32_t types;
  bool areExponents;
  int vector, perRegister;
};

} // namespace
} // namespace fairlead::cpu

void FairleadCpuScaledMma(void *registers, int32_t types, int32_t lane) {
  using fairlead::cpu::ScaledProduct;
  if (lane != 0)
    return;
  ScaledProduct(static_cast<fairlead::cpu::Registers *>(registers), types).run();
}
