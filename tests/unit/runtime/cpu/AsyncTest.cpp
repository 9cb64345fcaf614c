/// Barriers of asynchronous copies, boxes of tensors and products of warpgroups, as kernels
/// compiled for the CPU call them.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/Mbarrier.h"
#include "runtime/cpu/NarrowNumbers.h"

using namespace fairlead::cpu;

namespace {

/// Shared memory, as launches have it.
struct alignas(1024) Shared {
  unsigned char bytes[64 * 1024] = {};
};

TEST(Mbarrier, PhasesEndWithTheLastArrivalAndByte) {
  Mbarrier barrier;
  barrier.init(2);
  EXPECT_TRUE(barrier.hasEnded(1));
  EXPECT_FALSE(barrier.hasEnded(0));
  barrier.arrive(1);
  EXPECT_FALSE(barrier.hasEnded(0));
  FairleadCpuMbarrier(&barrier, kFairleadMbarrierArriveExpect, 16);
  EXPECT_FALSE(barrier.hasEnded(0)); // the bytes are missing
  barrier.complete(16);
  EXPECT_TRUE(barrier.hasEnded(0));
  EXPECT_FALSE(barrier.hasEnded(1));
  // Bytes may come before they are announced.
  barrier.complete(16);
  barrier.arrive(1);
  EXPECT_FALSE(barrier.hasEnded(1));
  FairleadCpuMbarrier(&barrier, kFairleadMbarrierArriveExpect, 16);
  EXPECT_TRUE(barrier.hasEnded(1));
}

TEST(NarrowNumbers, HalvesGoThereAndBack) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    if ((code & 0x7fff) > 0x7c00)
      continue; // NaN
    EXPECT_EQ(halfOfFloat(floatOfHalf(static_cast<uint16_t>(code))), code);
  }
  EXPECT_EQ(floatOfHalf(0x3c00), 1.0f);
  EXPECT_EQ(halfOfFloat(65520.0f), 0x7c00); // the tie above the largest
  EXPECT_EQ(halfOfFloat(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(halfOfFloat(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(floatOfE4M3(0x7e), 448.0f);
  EXPECT_EQ(floatOfE4M3(0x01), 0x1p-9f);
  EXPECT_EQ(floatOfE5M2(0x7b), 57344.0f);
  EXPECT_EQ(brainOfFloat(1.0f + 0x1p-8f), 0x3f80);
}

/// A map of 16-bit numbers (rows, columns), columns contiguous, with boxes of 64 by 64.
FairleadTensorMap mapOf(std::vector<uint16_t> &data, int64_t columns, int64_t rows,
                        int32_t swizzle) {
  FairleadTensorMap map{};
  map.address = data.data();
  map.extents[0] = columns;
  map.extents[1] = rows;
  map.strides[0] = columns * 2;
  map.box[0] = 16 << swizzle >> 1;
  map.box[1] = 64;
  map.rank = 2;
  map.type = 6;
  map.element_size = 2;
  map.swizzle = swizzle;
  return map;
}

/// A product reads the elements that a copy wrote: for all swizzles, with A rows of K or columns of
/// it.
class BoxesAndProducts : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(BoxesAndProducts, Agree) {
  auto [swizzle, transposed] = GetParam();
  constexpr int kRows = 64, kColumns = 8, kDepth = 16;
  const int width = 16 << swizzle >> 1; // elements of a row of a box
  // A: 64 rows and 16 columns; in memory perhaps transposed.
  const int fast = transposed ? kRows : kDepth, slow = transposed ? kDepth : kRows;
  std::vector<uint16_t> a(static_cast<size_t>(fast) * slow), b(kColumns * kDepth);
  auto value = [](int m, int k) { return static_cast<float>((m * 7 + k * 3) % 11 - 5); };
  for (int m = 0; m < kRows; ++m)
    for (int k = 0; k < kDepth; ++k)
      a[transposed ? k * fast + m : m * fast + k] = halfOfFloat(value(m, k));
  for (int n = 0; n < kColumns; ++n)
    for (int k = 0; k < kDepth; ++k)
      b[n * kDepth + k] = halfOfFloat(value(n + 100, k));
  Shared shared;
  Mbarrier barrier;
  barrier.init(1);
  FairleadTensorMap map = mapOf(a, fast, slow, swizzle);
  map.box[1] = slow;
  int bytes = 0;
  for (int first = 0; first < fast; first += width) {
    FairleadCpuTensorCopy(&map, shared.bytes + bytes, &barrier, kFairleadBoxLoad, first, 0, 0, 0,
                          0);
    bytes += width * slow * 2;
  }
  constexpr int kB = 32 * 1024;
  FairleadTensorMap rightMap = mapOf(b, kDepth, kColumns, 1);
  rightMap.box[1] = kColumns;
  FairleadCpuTensorCopy(&rightMap, shared.bytes + kB, &barrier, kFairleadBoxLoad, 0, 0, 0, 0, 0);
  FairleadCpuMbarrier(&barrier, kFairleadMbarrierArriveExpect, bytes + kColumns * kDepth * 2);
  EXPECT_TRUE(barrier.hasEnded(0));

  auto descriptor = [&](int offset, int leading, int stride, int rows) {
    constexpr uint64_t kTypes[] = {0, 3, 2, 1};
    auto start = (reinterpret_cast<uintptr_t>(shared.bytes) + offset) & 0x3ffff;
    return static_cast<int64_t>(start >> 4 | uint64_t(leading >> 4) << 16 |
                                uint64_t(stride >> 4) << 32 | kTypes[rows] << 62);
  };
  const int group = 8 * (16 << swizzle), chunk = width * slow * 2;
  int64_t left = swizzle      ? descriptor(0, chunk, group, swizzle)
                 : transposed ? descriptor(0, group, chunk, 0)
                              : descriptor(0, chunk, group, 0);
  int64_t right = descriptor(kB, 16, 256, 1);
  int types = kFairleadMmaF16 | kFairleadMmaF16 << 8 | kFairleadMmaF32 << 16;
  for (int thread = 0; thread < 128; ++thread) {
    float sums[kColumns / 2];
    FairleadCpuWarpgroupMma(sums, shared.bytes, left, right, kColumns, types, transposed ? 2 : 0,
                            thread);
    for (int v = 0; v < kColumns / 2; ++v) {
      int m = thread / 32 * 16 + thread % 32 / 4 + v / 2 * 8, n = thread % 4 * 2 + v % 2;
      float expected = 0;
      for (int k = 0; k < kDepth; ++k)
        expected += value(m, k) * value(n + 100, k);
      ASSERT_EQ(sums[v], expected) << thread << " " << v;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Swizzles, BoxesAndProducts,
                         testing::Values(std::tuple(1, false), std::tuple(0, false),
                                         std::tuple(0, true), std::tuple(1, true),
                                         std::tuple(2, true), std::tuple(3, true)));

/// Blocks on several threads add boxes to the same elements of a tensor: no addition is lost.
template <typename T> void addFromThreads(int32_t type, T one, T (*scaled)(int)) {
  constexpr int kThreads = 4, kTimes = 400, kColumns = 16, kRows = 2;
  std::vector<T> data(kRows * kColumns);
  FairleadTensorMap map{};
  map.address = data.data();
  map.extents[0] = map.box[0] = kColumns;
  map.extents[1] = map.box[1] = kRows;
  map.strides[0] = kColumns * sizeof(T);
  map.rank = 2;
  map.type = type;
  map.element_size = sizeof(T);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        auto shared = std::make_unique<Shared>();
        std::fill_n(reinterpret_cast<T *>(shared->bytes), data.size(), one);
        for (int time = 0; time < kTimes; ++time)
          FairleadCpuTensorCopy(&map, shared->bytes, nullptr, kFairleadBoxReduce, 0, 0, 0, 0, 0);
      });
  }
  for (T element : data)
    EXPECT_EQ(element, scaled(kThreads * kTimes));
}

TEST(TensorCopy, BoxesAreAddedInOneStep) {
  addFromThreads<float>(7, 1.0f, [](int times) { return static_cast<float>(times); });
  addFromThreads<double>(8, 1.0, [](int times) { return static_cast<double>(times); });
  addFromThreads<int32_t>(3, 1, [](int times) { return times; });
  addFromThreads<uint64_t>(4, 1, [](int times) { return static_cast<uint64_t>(times); });
  addFromThreads<uint16_t>(6, halfOfFloat(1.0f),
                           [](int times) { return halfOfFloat(static_cast<float>(times)); });
}

TEST(TensorCopy, WhatLiesOutsideIsZeroAndIsNotStored) {
  std::vector<uint16_t> data(20 * 8, 7);
  FairleadTensorMap map = mapOf(data, 20, 7, 1); // the last row is not the tensor's
  map.box[1] = 4;
  map.strides[0] = 48; // 24 elements
  data.assign(24 * 8, 7);
  map.address = data.data();
  Shared shared;
  FairleadCpuTensorCopy(&map, shared.bytes, nullptr, kFairleadBoxLoad, 8, 5, 0, 0, 0);
  auto at = [&](int row, int column) {
    size_t offset = static_cast<size_t>(row * 32 + column * 2);
    offset ^= (offset >> 7 & 1) << 4;
    uint16_t value;
    std::memcpy(&value, shared.bytes + offset, 2);
    return value;
  };
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 16; ++column)
      EXPECT_EQ(at(row, column), row < 2 && column < 12 ? 7 : 0) << row << " " << column;
  std::fill(std::begin(shared.bytes), std::end(shared.bytes), 0x11);
  FairleadCpuTensorCopy(&map, shared.bytes, nullptr, kFairleadBoxStore, 8, -2, 0, 0, 0);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 24; ++column)
      EXPECT_EQ(data[row * 24 + column], row < 2 && column >= 8 && column < 20 ? 0x1111 : 7);
}

} // namespace
