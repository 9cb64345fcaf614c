/// Products with scale factors, and the copies that bring these to tensor memory, as kernels
/// compiled for the CPU call them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "fairlead/Runtime.h"
#include "fairlead/TensorMemoryCpu.h"
#include "fairlead/TensorOperandCpu.h"

namespace scaled_products_test {
namespace {

constexpr int kRows = 128, kColumns = 40, kWarp = 32;

/// Shared memory, as launches have it.
struct alignas(1024) Shared {
  unsigned char left[4096] = {}, right[4096] = {}, factors[2048] = {};
};

int32_t addressOf(int lane, int column, uint32_t byte = 0) {
  return static_cast<int32_t>(static_cast<uint32_t>(lane) << 16 | static_cast<uint32_t>(column) |
                              byte << 30);
}

uint32_t cellAt(int lane, int column) {
  uint32_t word = 0;
  FairleadCpuTensorMemoryLoad(&word, addressOf(lane / kWarp * kWarp, column), 1, 32, 32, lane);
  return word;
}

/// Units of 16 bytes without a swizzle: 8 rows of them lie together.
int64_t descriptorOf(const void *memory, uint64_t leading, uint64_t stride) {
  const uint64_t start = (reinterpret_cast<uintptr_t>(memory) & 0x3ffff) >> 4;
  return static_cast<int64_t>(start | leading >> 4 << 16 | stride >> 4 << 32 | uint64_t{1} << 46);
}
int64_t operandAt(const void *memory) { return descriptorOf(memory, 128, 256); }

/// How a kind keeps an element: its code, its number, and the first bit in a row's 32 bytes.
struct Format {
  const char *name;
  int types, kind, depth;
  uint8_t (*code)(int value); ///< of -2, -1, 0, 1 or 2
  int bits;
  int (*bit)(int k);
};

uint8_t signedCode(int value, uint8_t one, uint8_t two, uint8_t sign) {
  const int magnitude = std::abs(value);
  return static_cast<uint8_t>((magnitude == 2   ? two
                               : magnitude == 1 ? one
                                                : 0) |
                              (value < 0 ? sign : 0));
}
uint8_t e2m1(int value) { return signedCode(value, 0x2, 0x4, 0x8); }
uint8_t e2m3(int value) { return signedCode(value, 0x08, 0x10, 0x20); }
uint8_t e3m2(int value) { return signedCode(value, 0x0c, 0x10, 0x20); }
uint8_t e4m3(int value) { return signedCode(value, 0x38, 0x40, 0x80); }
uint8_t e5m2(int value) { return signedCode(value, 0x3c, 0x40, 0x80); }

template <int bits> int padded(int k) { return k / 16 * 128 + k % 16 * bits; }
template <int bits> int packed(int k) { return k * bits; }

constexpr int both(int type) { return type | type << 8; }

const Format kFormats[] = {
    {"e4m3", both(kFairleadMmaE4M3), kFairleadScaledMXF8F6F4, 32, e4m3, 8, packed<8>},
    {"e5m2", both(kFairleadMmaE5M2), kFairleadScaledMXF8F6F4, 32, e5m2, 8, packed<8>},
    {"e2m3", both(kFairleadMmaE2M3), kFairleadScaledMXF8F6F4, 32, e2m3, 6, padded<6>},
    {"e3m2", both(kFairleadMmaE3M2), kFairleadScaledMXF8F6F4, 32, e3m2, 6, padded<6>},
    {"e2m1", both(kFairleadMmaE2M1), kFairleadScaledMXF8F6F4, 32, e2m1, 4, padded<4>},
    {"mxf4", both(kFairleadMmaE2M1), kFairleadScaledMXF4, 64, e2m1, 4, packed<4>},
    {"nvf4", both(kFairleadMmaE2M1), kFairleadScaledMXF4NVF4, 64, e2m1, 4, packed<4>},
};

int number(int row, int k) { return (row * 7 + k * 3) % 5 - 2; }
/// The exponent of a scale factor, from -1 to 2.
int exponent(int row, int factor) { return (row * 5 + factor * 3) % 4 - 1; }

void writeRows(unsigned char *memory, const Format &format, int rows, int firstRow) {
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < format.depth; ++k) {
      const int bit = format.bit(k), byte = bit / 8;
      const unsigned code = format.code(number(firstRow + row, k)) << bit % 8;
      unsigned char *unit = memory + row / 8 * 256 + row % 8 * 16 + byte / 16 * 128;
      unit[byte % 16] = static_cast<unsigned char>(unit[byte % 16] | code);
      if (bit % 8 + format.bits > 8)
        unit[byte % 16 + 1] = static_cast<unsigned char>(unit[byte % 16 + 1] | code >> 8);
    }
}

/// Writes a chunk: four scale factors of each of 128 rows.
void writeFactors(unsigned char *chunk, int firstRow, bool areExponents) {
  for (int row = 0; row < 128; ++row)
    for (int factor = 0; factor < 4; ++factor) {
      const int power = exponent(firstRow + row, factor);
      chunk[16 * (row % 32) + 4 * (row / 32) + factor] =
          static_cast<unsigned char>(areExponents ? 127 + power : (7 + power) << 3 | 0x80);
    }
}

class ScaledProducts : public testing::TestWithParam<std::tuple<Format, int, int>> {};

TEST_P(ScaledProducts, MultiplyRowsByTheirFactors) {
  const auto &[format, vector, byte] = GetParam();
  const bool areExponents = vector == 32;
  constexpr int kSums = 64, kFactorsA = 16, kFactorsB = 20;
  int32_t columns = 0;
  FairleadCpuTensorMemoryAlloc(&columns, 128);
  Shared shared;
  writeRows(shared.left, format, kRows, 0);
  writeRows(shared.right, format, kColumns, 1000);
  writeFactors(shared.factors, 0, areExponents);
  writeFactors(shared.factors + 512, 1000, areExponents);
  for (int operand = 0; operand < 2; ++operand)
    FairleadCpuTensorMemoryCopy(shared.left, addressOf(0, operand ? kFactorsB : kFactorsA),
                                descriptorOf(shared.factors + 512 * operand, 16, 128),
                                kFairleadRows32x128, 0);
  const auto first = static_cast<uint32_t>(byte);
  for (int times = 1; times <= 2; ++times)
    FairleadCpuTensorMemoryScaledMma(shared.left, addressOf(0, kSums), operandAt(shared.left),
                                     operandAt(shared.right), addressOf(0, kFactorsA, first),
                                     addressOf(0, kFactorsB, first), kRows | kColumns << 16,
                                     format.types | format.kind << 16 | areExponents << 24,
                                     vector << 8 | (times == 1 ? 0 : kFairleadProductAdds));
  for (int m = 0; m < kRows; ++m)
    for (int n = 0; n < kColumns; ++n) {
      double sum = 0;
      for (int k = 0; k < format.depth; ++k)
        sum += std::ldexp(number(m, k) * number(1000 + n, k),
                          exponent(m, byte + k / vector) + exponent(1000 + n, byte + k / vector));
      const uint32_t word = cellAt(m, kSums + n);
      float result;
      std::memcpy(&result, &word, sizeof result);
      ASSERT_EQ(result, 2 * sum) << format.name << " " << m << " " << n;
    }
  FairleadCpuTensorMemoryFree(columns, 128);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ScaledProducts,
    testing::Values(std::tuple(kFormats[0], 32, 0), std::tuple(kFormats[0], 32, 3),
                    std::tuple(kFormats[1], 32, 1), std::tuple(kFormats[2], 32, 2),
                    std::tuple(kFormats[3], 32, 0), std::tuple(kFormats[4], 32, 1),
                    std::tuple(kFormats[5], 32, 0), std::tuple(kFormats[5], 32, 2),
                    std::tuple(kFormats[6], 32, 2), std::tuple(kFormats[6], 16, 0)),
    [](const auto &test) {
      return std::string(std::get<0>(test.param).name) + "Per" +
             std::to_string(std::get<1>(test.param)) + "FromByte" +
             std::to_string(std::get<2>(test.param));
    });

/// Buffers of rows of 128 bytes, whose units of 16 bytes are swizzled.
struct alignas(1024) Buffers {
  static constexpr int kRow = 128, kBytes = kRows * kRow;
  unsigned char bytes[2][kBytes] = {};

  /// Writes elements from byte `first` of the first buffer on; they go on in the second one.
  void write(int rows, int firstRow, int first, int depth) {
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < depth; ++k) {
        const int byte = first + k / 2, within = byte % kRow;
        unsigned char &place = bytes[byte / kRow][row * kRow + (within ^ row % 8 << 4)];
        place = static_cast<unsigned char>(place | e2m1(number(firstRow + row, k)) << k % 2 * 4);
      }
  }
  int64_t descriptor(int first) const {
    auto unitOf = [](const void *memory) {
      return (reinterpret_cast<uintptr_t>(memory) & 0x3ffff) >> 4;
    };
    const uint64_t stride = 8 * kRow >> 4, swizzle = 2;
    return static_cast<int64_t>(unitOf(bytes[0] + first) | unitOf(bytes[1]) << 16 | stride << 32 |
                                uint64_t{1} << 46 | uint64_t{1} << 52 | swizzle << 61);
  }
};

struct LongProduct {
  int first;  ///< byte of the row where elements begin
  int vector; ///< elements that share a factor
  int factor; ///< the first factor's place among those of the row
};

class LongProducts : public testing::TestWithParam<LongProduct> {};

TEST_P(LongProducts, GoOnInTheNextBuffer) {
  const auto [first, vector, factor] = GetParam();
  constexpr int kDepth = 96, kSums = 64, kFactorsA = 16, kFactorsB = 24;
  struct {
    Buffers left, right;
    unsigned char factors[4][512] = {};
  } shared;
  shared.left.write(kRows, 0, first, kDepth);
  shared.right.write(kColumns, 1000, first, kDepth);
  const bool areExponents = vector == 32;
  // Four factors of each row are a chunk, which takes four columns.
  for (int chunk = 0; chunk < 4; ++chunk) {
    const int operand = chunk / 2, group = chunk % 2;
    for (int row = 0; row < 128; ++row)
      for (int place = 0; place < 4; ++place) {
        const int power = exponent(operand * 1000 + row, 4 * group + place);
        shared.factors[chunk][16 * (row % 32) + 4 * (row / 32) + place] =
            static_cast<unsigned char>(areExponents ? 127 + power : (7 + power) << 3);
      }
    FairleadCpuTensorMemoryCopy(
        &shared, addressOf(0, (operand ? kFactorsB : kFactorsA) + 4 * group),
        descriptorOf(shared.factors[chunk], 16, 128), kFairleadRows32x128, 0);
  }
  const auto byte = static_cast<uint32_t>(factor);
  FairleadCpuTensorMemoryScaledMma(&shared, addressOf(0, kSums), shared.left.descriptor(first),
                                   shared.right.descriptor(first), addressOf(0, kFactorsA, byte),
                                   addressOf(0, kFactorsB, byte), kRows | kColumns << 16,
                                   both(kFairleadMmaE2M1) | kFairleadScaledMXF4NVF4 << 16 |
                                       areExponents << 24 | kFairleadProductIsLong,
                                   vector << 8);
  for (int m = 0; m < kRows; ++m)
    for (int n = 0; n < kColumns; ++n) {
      double sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum +=
            std::ldexp(number(m, k) * number(1000 + n, k),
                       exponent(m, factor + k / vector) + exponent(1000 + n, factor + k / vector));
      const uint32_t word = cellAt(m, kSums + n);
      float result;
      std::memcpy(&result, &word, sizeof result);
      ASSERT_EQ(result, sum) << m << " " << n;
    }
}

INSTANTIATE_TEST_SUITE_P(Places, LongProducts,
                         testing::Values(LongProduct{0, 16, 0}, LongProduct{48, 32, 1},
                                         LongProduct{96, 16, 2}, LongProduct{112, 32, 3},
                                         LongProduct{16, 16, 2}));

/// The row that a lane has a copy of; -1: none.
struct CopyShape {
  FairleadTensorRows shape;
  int columns;
  int (*row)(int lane);
};

class TensorMemoryRows : public testing::TestWithParam<CopyShape> {};

TEST_P(TensorMemoryRows, HaveTheIsasLanes) {
  const auto &[shape, columns, row] = GetParam();
  alignas(1024) unsigned char shared[4096];
  for (size_t byte = 0; byte < sizeof shared; ++byte)
    shared[byte] = static_cast<unsigned char>(byte * 7 + byte / 256);
  int32_t first = 0;
  FairleadCpuTensorMemoryAlloc(&first, 64);
  const uint32_t none = 0xdecade;
  for (int lane = 0; lane < 128; ++lane)
    for (int column = 32; column < 40; ++column)
      FairleadCpuTensorMemoryStore(&none, addressOf(lane / kWarp * kWarp, column), 1, 32, 32, lane);
  FairleadCpuTensorMemoryCopy(shared, addressOf(0, 32), operandAt(shared), shape, 0);
  for (int lane = 0; lane < 128; ++lane)
    for (int column = 0; column < 8; ++column) {
      uint32_t expected = none;
      const int source = row(lane);
      if (source >= 0 && column < columns)
        std::memcpy(&expected,
                    shared + source / 8 * 256 + source % 8 * 16 + column / 4 * 128 + column % 4 * 4,
                    sizeof expected);
      EXPECT_EQ(cellAt(lane, 32 + column), expected) << lane << " " << column;
    }
  FairleadCpuTensorMemoryFree(first, 64);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TensorMemoryRows,
    testing::Values(
        CopyShape{kFairleadRows128x256, 8, [](int lane) { return lane; }},
        CopyShape{kFairleadRows4x256, 8, [](int lane) { return lane % 32 ? -1 : lane / 32; }},
        CopyShape{kFairleadRows128x128, 4, [](int lane) { return lane; }},
        CopyShape{kFairleadRows64x128Of02, 4, [](int lane) { return lane % 64; }},
        CopyShape{kFairleadRows64x128Of01, 4, [](int lane) { return lane / 64 * 32 + lane % 32; }},
        CopyShape{kFairleadRows32x128, 4, [](int lane) { return lane % 32; }}));

/// A tile of a load that pads elements of fewer bits than a byte.
TEST(PaddedCopies, SixteenElementsTakeSixteenBytes) {
  unsigned char elements[2 * 96];
  for (size_t byte = 0; byte < sizeof elements; ++byte)
    elements[byte] = static_cast<unsigned char>(byte + 1);
  for (int bits : {4, 6}) {
    FairleadTensorMap map{};
    map.address = elements;
    map.rank = 2;
    map.extents[0] = 128, map.extents[1] = 2;
    map.strides[0] = 128 * bits / 8;
    map.box[0] = 128, map.box[1] = 2;
    map.type = bits == 4 ? 14 : 15;
    map.element_size = 1;
    alignas(1024) unsigned char shared[256];
    std::memset(shared, 0xee, sizeof shared);
    FairleadCpuTensorCopy(&map, shared, nullptr, kFairleadBoxLoad, 0, 0, 0, 0, 0);
    for (int byte = 0; byte < 256; ++byte) {
      const int unit = byte / 16, data = 2 * bits;
      EXPECT_EQ(shared[byte], byte % 16 < data ? elements[unit * data + byte % 16] : 0) << byte;
    }
  }
}

} // namespace
} // namespace scaled_products_test
