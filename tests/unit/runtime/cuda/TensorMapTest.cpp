/// Tensor maps against the fake driver: which are encoded, and which are remembered.
#include "fairlead/TensorMap.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "runtime/cuda/fake/FakeDriver.h"

namespace tensor_map_test {
namespace {

using fairlead::test::FakeDriver;

FakeDriver &fake() {
  static FakeDriver *found = [] {
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    return reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "fairleadFakeDriver"))();
  }();
  return *found;
}

const bool kSelected = [] {
  setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 0);
  return true;
}();

FairleadTensorMap matrixAt(uintptr_t address) {
  FairleadTensorMap fields{};
  fields.address = reinterpret_cast<void *>(address);
  fields.extents[0] = fields.extents[1] = 256;
  fields.strides[0] = 512;
  fields.box[0] = fields.box[1] = 64;
  fields.rank = 2;
  fields.element_size = 2;
  return fields;
}

/// The address that the map of a matrix at `address` holds.
uintptr_t made(uintptr_t address) {
  alignas(64) std::array<unsigned char, 128> map;
  FairleadTensorMap fields = matrixAt(address);
  FairleadCallContext context{0, kDLCUDA, 0, 0};
  FairleadCudaTensorMap(&context, &fields, map.data());
  EXPECT_EQ(context.status, 0);
  uintptr_t found;
  std::memcpy(&found, map.data(), sizeof found);
  return found;
}

TEST(TensorMap, IsEncodedOnce) {
  int before = fake().tensorMaps;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(made(0x1000), 0x1000u);
  EXPECT_EQ(fake().tensorMaps - before, 1);
}

/// Whatever two tensors of a launch are, neither makes the other one forgotten.
TEST(TensorMap, TwoDoNotDisplaceEachOther) {
  for (uintptr_t other = 1; other <= 1000; ++other) {
    uintptr_t first = 0x10000000, second = first + other * 512;
    made(first), made(second);
    int before = fake().tensorMaps;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(made(first), first);
      EXPECT_EQ(made(second), second);
    }
    ASSERT_EQ(fake().tensorMaps, before) << other;
  }
}

/// Frameworks give any stride for one element; the driver takes multiples of 16 bytes.
TEST(TensorMap, DimensionsBeyondTheRankDoNotCount) {
  FairleadTensorMap fields = matrixAt(0x1000);
  alignas(64) std::array<unsigned char, 128> map{};
  FairleadCallContext context{};
  int before = fake().tensorMaps;
  for (int unused = 0; unused < 5; ++unused) {
    for (int d = fields.rank; d < 5; ++d)
      fields.extents[d] = fields.strides[d - 1] = fields.box[d] = unused;
    FairleadCudaTensorMap(&context, &fields, map.data());
    ASSERT_EQ(context.status, 0);
  }
  EXPECT_LE(fake().tensorMaps - before, 1);
}

TEST(TensorMap, StridesOfOneElementDoNotCount) {
  FairleadTensorMap fields = matrixAt(0x2000);
  fields.rank = 3;
  fields.extents[0] = 100, fields.extents[1] = 1, fields.extents[2] = 3;
  fields.strides[0] = 2, fields.strides[1] = 512;
  fields.box[2] = 1;
  alignas(64) std::array<uint64_t, 16> map;
  FairleadCallContext context{0, kDLCUDA, 0, 0};
  FairleadCudaTensorMap(&context, &fields, map.data());
  ASSERT_EQ(context.status, 0);
  EXPECT_EQ(map[1], 208u); // 100 elements in whole steps
  EXPECT_EQ(map[2], 512u);
  fields.extents[2] = 1, fields.strides[1] = 2;
  FairleadCudaTensorMap(&context, &fields, map.data());
  ASSERT_EQ(context.status, 0);
  EXPECT_EQ(map[2], 208u);
}

} // namespace
} // namespace tensor_map_test
