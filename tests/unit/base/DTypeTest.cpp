#include "fairlead/DType.h"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

std::vector<DType> allTypes() {
  std::vector<DType> types;
  for (int i = 0; i < kNumDTypes; ++i)
    types.push_back(static_cast<DType>(i));
  return types;
}

TEST(DType, NamesAreReadBack) {
  for (DType type : allTypes()) {
    EXPECT_EQ(parseDType(className(type)), type);
    EXPECT_EQ(parseDType(dtypeName(type)), type);
  }
  for (const char *unknown : {"", "float", "FLOAT32", "float32 ", "int256", "Uint8x4"})
    EXPECT_EQ(parseDType(unknown), std::nullopt) << unknown;
}

TEST(DType, DLPackTypesAreReadBack) {
  for (DType type : allTypes()) {
    DLDataType dl = toDLDataType(type);
    EXPECT_EQ(dl.lanes, 1);
    EXPECT_EQ(dl.bits, type == DType::Boolean ? 8 : bitWidth(type)) << className(type);
    // The memory of a TFloat32 is a Float32's.
    EXPECT_EQ(fromDLDataType(dl), type == DType::TFloat32 ? DType::Float32 : type);
    dl.lanes = 4;
    EXPECT_EQ(fromDLDataType(dl), std::nullopt);
  }
  EXPECT_EQ(fromDLDataType({kDLFloat, 8, 1}), std::nullopt);
  EXPECT_EQ(fromDLDataType({kDLComplex, 64, 1}), std::nullopt);
  EXPECT_EQ(fromDLDataType({255, 32, 1}), std::nullopt);
}

TEST(DType, Sizes) {
  EXPECT_EQ(bitWidth(DType::Boolean), 1);
  EXPECT_EQ(byteSize(DType::Boolean), 1);
  EXPECT_EQ(bitWidth(DType::BFloat16), 16);
  EXPECT_EQ(byteSize(DType::Float64), 8);
  EXPECT_EQ(bitWidth(DType::Float4E2M1FN), 4);
  EXPECT_EQ(byteSize(DType::Float6E2M3FN), 1);
  EXPECT_EQ(byteSize(DType::Int128), 16);
}

TEST(DType, EachIsBooleanIntegerOrFloat) {
  for (DType type : allTypes())
    EXPECT_EQ((type == DType::Boolean) + isInteger(type) + isFloat(type), 1) << className(type);
  EXPECT_TRUE(isSigned(DType::Int8) && isSigned(DType::BFloat16));
  EXPECT_FALSE(isSigned(DType::Uint64) || isSigned(DType::Boolean));
  EXPECT_TRUE(isNarrowFloat(DType::Float4E2M1FN) && isNarrowFloat(DType::TFloat32));
  EXPECT_FALSE(isNarrowFloat(DType::BFloat16) || isNarrowFloat(DType::Int4));
  EXPECT_TRUE(isParameterType(DType::Float64) && isParameterType(DType::Boolean));
  EXPECT_FALSE(isParameterType(DType::Int128) || isParameterType(DType::Float8E5M2));
}

} // namespace
} // namespace fairlead
