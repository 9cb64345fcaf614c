/// Tensor memory, as kernels compiled for the CPU call it: where copies and products find their
/// cells, in one block and in a pair.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "fairlead/Runtime.h"
#include "fairlead/TensorMemoryCpu.h"
#include "fairlead/TensorOperandCpu.h"

namespace tensor_memory_test {
namespace {

constexpr int kWarp = 32;

/// Shared memory, as launches have it.
struct alignas(1024) Shared {
  unsigned char bytes[16 * 1024] = {};
};

int32_t addressOf(int lane, int column) { return lane << 16 | column; }

/// Returns a cell, as the thread sees it that reads its lane.
uint32_t cellAt(int lane, int column) {
  uint32_t word = 0;
  FairleadCpuTensorMemoryLoad(&word, addressOf(lane / kWarp * kWarp, column), 1, 32, 32, lane);
  return word;
}

/// Fills the first columns: each cell holds its address.
void fill(int columns) {
  for (int lane = 0; lane < 128; ++lane)
    for (int column = 0; column < columns; ++column) {
      auto word = static_cast<uint32_t>(addressOf(lane, column));
      FairleadCpuTensorMemoryStore(&word, addressOf(lane / kWarp * kWarp, column), 1, 32, 32, lane);
    }
}

struct Shape {
  int lanes, bits, registers;
};

/// The lane and column of a register, by the PTX ISA's figures.
std::pair<int, int> placeOf(const Shape &shape, int thread, int index) {
  const int row = thread / 4, quarter = thread % 4;
  switch (shape.lanes == 32 ? 32 : shape.bits) {
  case 32:
    return {thread, index};
  case 64: // even threads: rows 0-7; odd ones: rows 8-15
    return {row + thread % 2 * 8, index * 2 + quarter / 2};
  case 128: // register 0: rows 0-7, register 1: rows 8-15
    return {row + index % 2 * 8, index / 2 * 4 + quarter};
  default: // registers 0, 1: rows 0-7, registers 2, 3: rows 8-15
    return {row + index / 2 % 2 * 8, index / 4 * 8 + quarter * 2 + index % 2};
  }
}

class TensorMemoryCopies : public testing::TestWithParam<Shape> {};

TEST_P(TensorMemoryCopies, HaveTheIsasPlaces) {
  const Shape shape = GetParam();
  fill(64);
  const int warp = 2, first = shape.lanes == 32 ? 64 : 80;
  std::set<uint32_t> cells;
  for (int thread = 0; thread < kWarp; ++thread) {
    std::vector<uint32_t> words(static_cast<size_t>(shape.registers));
    FairleadCpuTensorMemoryLoad(words.data(), addressOf(first, 16), shape.registers, shape.lanes,
                                shape.bits, warp * kWarp + thread);
    for (int index = 0; index < shape.registers; ++index) {
      auto [lane, column] = placeOf(shape, thread, index);
      EXPECT_EQ(words[static_cast<size_t>(index)],
                static_cast<uint32_t>(addressOf(first + lane, 16 + column)));
      cells.insert(words[static_cast<size_t>(index)]);
    }
  }
  EXPECT_EQ(cells.size(), static_cast<size_t>(kWarp * shape.registers)) << "no cell comes twice";
}

TEST_P(TensorMemoryCopies, StoresAreTheInverseOfLoads) {
  const Shape shape = GetParam();
  fill(64);
  const int first = shape.lanes == 32 ? 32 : 48;
  for (int thread = 0; thread < kWarp; ++thread) {
    std::vector<uint32_t> words(static_cast<size_t>(shape.registers), 7u + thread);
    FairleadCpuTensorMemoryStore(words.data(), addressOf(first, 8), shape.registers, shape.lanes,
                                 shape.bits, kWarp + thread);
    auto [lane, column] = placeOf(shape, thread, shape.registers - 1);
    EXPECT_EQ(cellAt(first + lane, 8 + column), 7u + thread);
  }
  EXPECT_EQ(cellAt(first, 7), static_cast<uint32_t>(addressOf(first, 7)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, TensorMemoryCopies,
                         testing::Values(Shape{32, 32, 1}, Shape{32, 32, 32}, Shape{16, 64, 4},
                                         Shape{16, 128, 8}, Shape{16, 256, 4}, Shape{16, 256, 16}));

//===--- products ------------------------------------------------------------------------------===

constexpr int kDepth = 16; // halves of 32 bytes

float number(int row, int k) { return static_cast<float>((row * 7 + k * 3) % 11 - 5); }

/// Halves of integers from -5 to 5.
uint16_t half(float value) {
  constexpr uint16_t kCodes[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
  const int magnitude = static_cast<int>(value < 0 ? -value : value);
  return static_cast<uint16_t>(kCodes[magnitude] | (value < 0 ? 0x8000 : 0));
}

/// Writes rows of K without a swizzle: units of 8 rows of 16 bytes, the two halves of K apart.
void writeRows(unsigned char *memory, int rows, int firstRow) {
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < kDepth; ++k) {
      const uint16_t code = half(number(firstRow + row, k));
      const int offset = row / 8 * 256 + row % 8 * 16 + k / 8 * 128 + k % 8 * 2;
      std::memcpy(memory + offset, &code, sizeof code);
    }
}

int64_t descriptorOf(const void *memory) {
  constexpr uint64_t kLeading = 128 >> 4, kStride = 256 >> 4;
  const uint64_t start = (reinterpret_cast<uintptr_t>(memory) & 0x3ffff) >> 4;
  return static_cast<int64_t>(start | kLeading << 16 | kStride << 32 | uint64_t{1} << 46);
}

float product(int m, int n) {
  float sum = 0;
  for (int k = 0; k < kDepth; ++k)
    sum += number(m, k) * number(n + 1000, k);
  return sum;
}

float sumAt(int lane, int column) {
  const uint32_t word = cellAt(lane, column);
  float sum;
  std::memcpy(&sum, &word, sizeof sum);
  return sum;
}

constexpr int kTypes = kFairleadMmaF16 | kFairleadMmaF16 << 8 | kFairleadMmaF32 << 16;

class TensorMemoryProducts : public testing::TestWithParam<int> {};

TEST_P(TensorMemoryProducts, OfOneBlock) {
  const int m = GetParam(), n = 24;
  Shared shared;
  unsigned char *right = shared.bytes + 8 * 1024;
  writeRows(shared.bytes, m, 0);
  writeRows(right, n, 1000);
  for (int times = 1; times <= 2; ++times) {
    FairleadCpuTensorMemoryMma(shared.bytes, addressOf(0, 32), descriptorOf(shared.bytes),
                               descriptorOf(right), m, n, kTypes,
                               times == 1 ? 0 : kFairleadProductAdds);
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        // 64 rows: 16 lanes of each warp.
        const int lane = m == 64 ? row / 16 * 32 + row % 16 : row;
        ASSERT_EQ(sumAt(lane, 32 + column), times * product(row, column)) << row << " " << column;
      }
  }
}

TEST_P(TensorMemoryProducts, OfAInTensorMemory) {
  const int m = GetParam(), n = 24;
  constexpr int kWords = kDepth / 2;
  Shared shared;
  writeRows(shared.bytes, n, 1000);
  auto laneOf = [m](int row) { return m == 64 ? row / 16 * 32 + row % 16 : row; };
  for (int row = 0; row < m; ++row)
    for (int word = 0; word < kWords; ++word) {
      const uint32_t pair = static_cast<uint32_t>(half(number(row, 2 * word))) |
                            static_cast<uint32_t>(half(number(row, 2 * word + 1))) << 16;
      const int lane = laneOf(row);
      FairleadCpuTensorMemoryStore(&pair, addressOf(lane / kWarp * kWarp, 8 + word), 1, 32, 32,
                                   lane);
    }
  FairleadCpuTensorMemoryMma(shared.bytes, addressOf(0, 32), addressOf(0, 8),
                             descriptorOf(shared.bytes), m, n, kTypes, kFairleadProductOfTensorA);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      ASSERT_EQ(sumAt(laneOf(row), 32 + column), product(row, column)) << row << " " << column;
}

INSTANTIATE_TEST_SUITE_P(Rows, TensorMemoryProducts, testing::Values(64, 128));

/// What the blocks of a pair do: the first one multiplies, and both look at their sums.
struct Pair {
  int m, n;
  int wrong = 0;
};

void runBlock(void *const *params, const FairleadLaunch *, int32_t x, int32_t, int32_t,
              void *shared) {
  Pair &pair = **static_cast<Pair *const *>(params[0]);
  auto *own = static_cast<unsigned char *>(shared);
  constexpr int kRight = 8 * 1024;
  const int rows = pair.m / 2, columns = pair.n / 2;
  int32_t address = 0;
  FairleadCpuTensorMemoryAlloc(&address, 128);
  if (x == 0) { // the first block has its turn first
    for (int rank = 0; rank < 2; ++rank) {
      auto *memory = static_cast<unsigned char *>(FairleadCpuMapShared(own, rank));
      writeRows(memory, rows, rank * rows);
      writeRows(memory + kRight, columns, 1000 + rank * columns);
    }
    FairleadCpuTensorMemoryMma(own, address, descriptorOf(own), descriptorOf(own + kRight), pair.m,
                               pair.n, kTypes, kFairleadProductOfPair);
  }
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < pair.n; ++column) {
      // 64 rows: the right half of the columns is in the lower half of the lanes.
      const bool isRight = rows == 64 && column >= columns;
      const int lane = isRight ? 64 + row : row;
      const float sum = sumAt(lane, rows == 64 ? column % columns : column);
      pair.wrong += sum != product(x * rows + row, column);
    }
  FairleadCpuTensorMemoryFree(address, 128);
}

class TensorMemoryPairs : public testing::TestWithParam<int> {};

TEST_P(TensorMemoryPairs, HaveTheirHalvesOfTheRows) {
  Pair pair{GetParam(), 64};
  Pair *argument = &pair;
  void *params[] = {&argument};
  FairleadLaunch launch{};
  launch.grid[0] = 2;
  launch.grid[1] = launch.grid[2] = 1;
  launch.block[0] = launch.block[1] = launch.block[2] = 1;
  launch.cluster[0] = 2;
  launch.cluster[1] = launch.cluster[2] = 1;
  launch.shared_bytes = 16 * 1024;
  FairleadCallContext context{0, kDLCPU, 0, 0};
  FairleadCpuLaunch(&context, "pair", runBlock, params, &launch);
  EXPECT_EQ(context.status, 0);
  EXPECT_EQ(pair.wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Rows, TensorMemoryPairs, testing::Values(128, 256));

} // namespace
} // namespace tensor_memory_test
