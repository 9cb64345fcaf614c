/// Operands of products in shared memory, which descriptors tell (wgmma, tcgen05.mma).
#pragma once

#include <cstdint>
#include <cstring>

#include "fairlead/AsyncCpu.h"
#include "fairlead/TensorOperandCpu.h"
#include "runtime/cpu/LaunchObserver.h"
#include "runtime/cpu/NarrowNumbers.h"
#include "runtime/cpu/TensorMemory.h"

namespace fairlead::cpu {

/// Bytes of K that one product takes of each row.
constexpr int kProductBytes = 32;
/// Elements of K that one product takes at most.
constexpr int kMostDepth = 3 * kProductBytes;

/// Bytes of an element; `type` is one of FairleadMmaType. Floats of 4 and 6 bits count as bytes.
inline int productBytes(int type) {
  return type <= kFairleadMmaBF16 ? 2 : type == kFairleadMmaTF32 ? 4 : 1;
}

/// Bits of an element of a type whose elements share bytes; 0 for other types.
inline int bitsInBytes(int type) {
  return type == kFairleadMmaE2M3 || type == kFairleadMmaE3M2 ? 6
         : type == kFairleadMmaE2M1 || type == kFairleadMmaE2M1Packed ||
                 type == kFairleadMmaE2M1Long
             ? 4
             : 0;
}
/// Elements along K of one product.
inline int productDepth(int type) {
  return type == kFairleadMmaE2M1Long     ? 3 * kProductBytes
         : type == kFairleadMmaE2M1Packed ? 2 * kProductBytes
                                          : kProductBytes / productBytes(type);
}
/// Bytes of K that a product of this type takes of each row.
inline int bytesAlongK(int type) {
  return type == kFairleadMmaE2M1Long ? 3 * kProductBytes / 2 : kProductBytes;
}

inline float decodedElement(const char *place, int type) {
  uint16_t half;
  uint32_t word;
  switch (type) {
  case kFairleadMmaF16:
    std::memcpy(&half, place, sizeof half);
    return floatOfHalf(half);
  case kFairleadMmaBF16:
    std::memcpy(&half, place, sizeof half);
    return floatOfBrain(half);
  case kFairleadMmaTF32:
    std::memcpy(&word, place, sizeof word);
    return floatOfBits(word & 0xffffe000);
  case kFairleadMmaE4M3:
    return floatOfE4M3(static_cast<uint8_t>(*place));
  case kFairleadMmaE5M2:
    return floatOfE5M2(static_cast<uint8_t>(*place));
  case kFairleadMmaS8:
    return static_cast<float>(static_cast<signed char>(*place));
  default:
    return static_cast<float>(static_cast<unsigned char>(*place));
  }
}

/// An operand in shared memory. Descriptors of both instructions have the fields that it reads.
class SharedOperand {
public:
  /// `shared` is the block's shared memory, and contains the descriptor's address. `swizzle` is
  /// 0 to 3 for none, 32, 64 and 128 bytes, 4 for 128 bytes in units of 32. If
  /// `transposed`, K is the slowest dimension.
  SharedOperand(const void *shared, uint64_t descriptor, int swizzle, int type, bool transposed)
      : base(static_cast<const char *>(shared)), memory(base), start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4), stride((descriptor >> 32 & 0x3fff) << 4),
        type(type), swizzle(swizzle), transposed(transposed),
        goesOn(type == kFairleadMmaE2M1Long && (descriptor >> 52 & 1)) {}

  /// Returns the operand at this place in the shared memory of another block.
  SharedOperand in(const void *shared) const {
    SharedOperand other = *this;
    other.memory = static_cast<const char *>(shared);
    return other;
  }

  /// Elements k = 0, 1, ... of a row along M or N.
  void row(int index, float *values) const {
    if (bitsInBytes(type))
      return rowOfBits(index, values);
    const int size = productBytes(type), step = transposed ? size : kUnit;
    for (int byte = 0; byte < kProductBytes; byte += step) {
      const char *place = at(transposed ? ofColumn(index, byte / size, size) : ofRow(index, byte));
      for (int inside = 0; inside < step; inside += size)
        *values++ = decodedElement(place + inside, type);
    }
  }

  /// True if part of it has no value.
  bool lacks(int index, ValueObserver &values) const {
    const int size = productBytes(type), step = transposed ? size : kUnit;
    for (int byte = 0; byte < bytesAlongK(type); byte += step)
      if (values.lacks(at(transposed ? ofColumn(index, byte / size, size) : ofRow(index, byte)),
                       static_cast<size_t>(step)))
        return true;
    return false;
  }

  /// Visits the memory of rows along M or N, in units of 16 bytes.
  template <typename Visit> void units(int first, int rows, const Visit &visit) const {
    const int size = productBytes(type), along = transposed ? kUnit / size : 1;
    for (int row = first; row < first + rows; row += along)
      for (int byte = 0; byte < bytesAlongK(type); byte += transposed ? size : kUnit)
        visit(at(transposed ? ofColumn(row, byte / size, size) : ofRow(row, byte)), kUnit);
  }

  /// Returns the address of a byte of a row, whose other bytes are K.
  const char *byteOf(int row, int byte) const {
    return at(ofRow(static_cast<uint64_t>(row), static_cast<uint64_t>(byte)));
  }

private:
  /// Elements of fewer bits than a byte: 16 of them begin at each unit, or are packed.
  void rowOfBits(int index, float *values) const {
    const int bits = bitsInBytes(type), perUnit = productDepth(type) > kProductBytes ? 32 : kUnit;
    for (int k = 0; k < productDepth(type); ++k) {
      const int along = transposed ? index : k, first = along / perUnit * kUnit;
      const char *unit = at(transposed ? ofColumn(first, k, 1) : ofRow(index, first));
      const int place = along % perUnit * bits;
      uint16_t code = static_cast<unsigned char>(unit[place / 8]);
      if (place % 8 + bits > 8)
        code = static_cast<uint16_t>(code | static_cast<unsigned char>(unit[place / 8 + 1]) << 8);
      const auto element = static_cast<uint8_t>(code >> place % 8 & ((1 << bits) - 1));
      values[k] = type == kFairleadMmaE2M3   ? floatOfE2M3(element)
                  : type == kFairleadMmaE3M2 ? floatOfE3M2(element)
                                             : floatOfE2M1(element);
    }
  }

  static constexpr int kUnit = 16; ///< bytes that stay together
  static constexpr int kWideSwizzle = 4;
  /// Addresses of shared memory have 18 bits in descriptors.
  static constexpr uint64_t kWindow = 0x3ffff;

  uint64_t ofRow(uint64_t row, uint64_t byte) const {
    uint64_t width = uint64_t{16} << swizzle;
    // `leading` is where the buffer begins that holds the bytes beyond the end of the row.
    if (goesOn && start % width + byte >= width)
      return leading - start + row / 8 * stride + row % 8 * width + (start + byte) % width;
    uint64_t along = swizzle ? byte : byte / 16 * leading + byte % 16;
    return row / 8 * stride + row % 8 * width + along;
  }
  uint64_t ofColumn(uint64_t row, uint64_t k, uint64_t size) const {
    const bool isWide = swizzle == kWideSwizzle;
    const uint64_t width = isWide ? 128 : uint64_t{16} << swizzle, byte = row * size;
    const uint64_t chunk = swizzle ? leading : stride, group = swizzle ? stride : leading;
    const uint64_t rows = isWide ? 4 : 8;
    return byte / width * chunk + byte % width + k % rows * width + k / rows * group;
  }
  const char *at(uint64_t offset) const {
    uint64_t address = start + offset, mask = (uint64_t{1} << swizzle) - 1;
    address ^= swizzle == kWideSwizzle ? (address >> 7 & 3) << 5 : (address >> 7 & mask) << 4;
    return memory + ((address - reinterpret_cast<uintptr_t>(base)) & kWindow);
  }

  const char *base, *memory;
  uint64_t start, leading, stride;
  int type, swizzle;
  bool transposed, goesOn;
};

/// The scale factors of an operand's rows. 32 rows have the bytes of a column, the next ones those
/// of the next column. Every warp's 32 lanes hold a copy.
class ScaleFactors {
public:
  /// `address`: of the first factor, its two highest bits the byte in the column. `isHalved`: the
  /// upper two warps' lanes hold the second half of the rows.
  ScaleFactors(TensorMemory &memory, int32_t address, int rows, int vector, bool areExponents,
               bool isHalved);

  /// Elements along K that share a factor.
  int vector() const { return elements; }
  /// Notes a problem if `number` factors of a row may not begin at this byte of a column.
  void requireFirstByte(int number) const;
  /// Reads the first factors of a row. Returns false if a part of them has no value.
  bool row(int index, int number, double *factors) const;

private:
  TensorMemory &memory;
  const TensorAddress first;
  const int firstByte, elements;
  const int rowsInLanes; ///< that the copy in the first warp's lanes has
  const bool areExponents, isHalved;
};

} // namespace fairlead::cpu
