/// Element types as text: round trips, short forms and bad text.
#include <gtest/gtest.h>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
std::string errorOf(const std::string &text) {
  try {
    StringToDLDataType(text);
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "ValueError");
    return error.message();
  }
  return "no error";
}
} // namespace

TEST(DType, TextRoundTrip) {
  for (const char *text :
       {"int8", "int64", "uint16", "float32", "float64x4", "bfloat16", "bool", "boolx8", "handle",
        "float8_e4m3fn", "float8_e4m3fnx4", "float8_e8m0fnu", "float8_e4m3b11fnuz", "float6_e2m3fn",
        "float4_e2m1fn", "float4_e2m1fnx2", "int32xvscalex4", "int4x8", ""})
    EXPECT_EQ(DLDataTypeToString(StringToDLDataType(text)), text);
}

TEST(DType, EveryCodeRoundTrips) {
  for (int code = kDLInt; code <= kDLFloat4_e2m1fn; ++code) {
    uint8_t bits = code == kDLBool            ? 8
                   : code >= kDLFloat6_e2m3fn ? (code == kDLFloat4_e2m1fn ? 4 : 6)
                   : code >= kDLFloat8_e3m4   ? 8
                                              : 64;
    DLDataType dtype{static_cast<uint8_t>(code), bits, 3};
    EXPECT_EQ(StringToDLDataType(DLDataTypeToString(dtype)), dtype) << DLDataTypeToString(dtype);
  }
}

TEST(DType, ReadsShortForms) {
  EXPECT_EQ(StringToDLDataType("i8"), (DLDataType{kDLInt, 8, 1}));
  EXPECT_EQ(StringToDLDataType("u16x2"), (DLDataType{kDLUInt, 16, 2}));
  EXPECT_EQ(StringToDLDataType("f32"), (DLDataType{kDLFloat, 32, 1}));
  EXPECT_EQ(StringToDLDataType("bf16"), (DLDataType{kDLBfloat, 16, 1}));
  EXPECT_EQ(StringToDLDataType("f8_e5m2"), (DLDataType{kDLFloat8_e5m2, 8, 1}));
  EXPECT_EQ(StringToDLDataType("fp4_e2m1fn_x2"), (DLDataType{kDLFloat4_e2m1fn, 4, 2}));
  EXPECT_EQ(StringToDLDataType("float"), (DLDataType{kDLFloat, 32, 1}));
  EXPECT_EQ(StringToDLDataType("bfloat"), (DLDataType{kDLBfloat, 16, 1}));
  EXPECT_EQ(StringToDLDataType("handle"), (DLDataType{kDLOpaqueHandle, 64, 1}));
  EXPECT_EQ(StringToDLDataType("void"), (DLDataType{kDLOpaqueHandle, 0, 0}));
}

TEST(DType, RefusesBadText) {
  for (const char *text : {"flot32", "float32 ", "i", "f", "int8y", "x4", "intx4x4", "int-8"})
    EXPECT_EQ(errorOf(text), "unknown dtype `" + std::string(text) + "`");
  EXPECT_EQ(errorOf("custom[q"), "expected closing brace after 'custom' type incustom[q");
  EXPECT_EQ(errorOf("float8_e9m9"), "unknown float8 type `float8_e9m9`");
  EXPECT_EQ(errorOf("float8_e4m3fn8"), "unknown float8 type `float8_e4m3fn8`");
  EXPECT_EQ(errorOf("float6_"), "unknown float6 type `float6_`");
  EXPECT_EQ(errorOf("int256"), "Bits value 256 is out of range for uint8_t in dtype 'int256'");
  EXPECT_EQ(errorOf("int8x65536"),
            "Lanes value 65536 is out of range for uint16_t in dtype 'int8x65536'");
  for (const char *text : {"int8x0", "int8x", "int8xvscalex"})
    EXPECT_EQ(errorOf(text), "Invalid lanes specification in dtype '" + std::string(text) +
                                 "'. Lanes must be a positive integer.");
  EXPECT_EQ(errorOf("int99999999999x2"),
            "Integer value in dtype string '99999999999' is out of range for uint32_t");
  EXPECT_EQ(errorOf(std::string("int8\0x", 6)), std::string("unknown dtype `int8\0x`", 22));
}

TEST(DType, ReadsNoFurtherThanItsSize) {
  TVMFFIByteArray text{"int8x4", 4};
  DLDataType dtype;
  ASSERT_EQ(TVMFFIDataTypeFromString(&text, &dtype), 0);
  EXPECT_EQ(dtype, (DLDataType{kDLInt, 8, 1}));
}

TEST(DType, UnknownCodeIsAnError) {
  DLDataType dtype{100, 8, 1};
  TVMFFIAny out = {};
  EXPECT_EQ(TVMFFIDataTypeToString(&dtype, &out), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(),
            "DLDataType contains unknown type_code=100");
}

TEST(DType, CustomTypesAskTheProgram) {
  Function::SetGlobal("dtype.get_custom_type_code",
                      Function::FromTyped([](String name) { return name == "mine" ? 131 : 0; }));
  Function::SetGlobal("dtype.get_custom_type_name",
                      Function::FromTyped([](int) { return String("mine"); }));
  DLDataType dtype = StringToDLDataType("custom[mine]16x2");
  EXPECT_EQ(dtype, (DLDataType{131, 16, 2}));
  EXPECT_EQ(DLDataTypeToString(dtype), "custom[mine]16x2");
  Function::RemoveGlobal("dtype.get_custom_type_code");
  Function::RemoveGlobal("dtype.get_custom_type_name");
}

TEST(DType, Abbreviations) {
  EXPECT_EQ(DTypeAbbrev({kDLInt, 32, 1}), "i32");
  EXPECT_EQ(DTypeAbbrev({kDLBfloat, 16, 1}), "bf16");
  EXPECT_EQ(DTypeAbbrev({kDLFloat8_e4m3fn, 8, 1}), "f8_e4m3fn");
  EXPECT_EQ(DTypeAbbrev({kDLBool, 8, 1}), "bool");
  EXPECT_EQ(DTypeAbbrev({kDLOpaqueHandle, 0, 0}), "void");
}

TEST(DType, ReadFromTextAndBytes) {
  const DLDataType half{kDLFloat, 16, 1};
  EXPECT_EQ(Any(String("float16")).cast<DLDataType>(), half);
  EXPECT_EQ(Any(Bytes("float16", 7)).cast<DLDataType>(), half);
}
