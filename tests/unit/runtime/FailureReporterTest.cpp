#include <gtest/gtest.h>

#include <cstring>

#include "fairlead/Runtime.h"
#include "runtime/RaisedError.h"

namespace {

using fairlead::test::takeRaised;

std::string raised(const char *message, int64_t expected, int64_t got) {
  FairleadFailure failure{"ValueError", message};
  FairleadCallContext context{0, kDLCPU, 0, 0};
  FairleadRaise(&context, &failure, expected, got);
  EXPECT_EQ(context.status, -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "ValueError");
  return error.message;
}

int64_t device(int32_t type, int32_t id) {
  return int64_t(uint64_t(uint32_t(id)) << 32 | uint32_t(type));
}

int64_t dtype(uint8_t code, uint8_t bits, uint16_t lanes) {
  DLDataType type{code, bits, lanes};
  int64_t value = 0;
  std::memcpy(&value, &type, sizeof(type));
  return value;
}

TEST(FailureReporter, KeepsTheFirstOfACall) {
  FairleadFailure first{"ValueError", "the cause"}, second{"TypeError", "what followed"};
  FairleadCallContext context{0, kDLCPU, 0, 0};
  FairleadRaise(&context, &first, 0, 0);
  FairleadRaise(&context, &second, 0, 0);
  EXPECT_EQ(context.status, -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "ValueError");
  EXPECT_EQ(error.message, "the cause");
}

TEST(FailureReporter, PrintsIntegers) {
  EXPECT_EQ(raised("expected {expected}, but got {got}", 3, -7), "expected 3, but got -7");
  EXPECT_EQ(raised("{got}{got}{expected}", INT64_MIN, INT64_MAX),
            "92233720368547758079223372036854775807-9223372036854775808");
}

TEST(FailureReporter, LeavesOtherTextAlone) {
  EXPECT_EQ(raised("", 1, 2), "");
  EXPECT_EQ(raised("no places", 1, 2), "no places");
  EXPECT_EQ(raised("{unknown} {} { {got} } {got", 1, 2), "{unknown} {} { 2 } {got");
  EXPECT_EQ(raised("{{got}}", 1, 2), "{2}");
}

TEST(FailureReporter, PrintsTextBeforeTheMessage) {
  const char texts[] = " of {got}\0It has {expected}{@10}, {@x} {@}";
  EXPECT_EQ(raised(texts + 10, 3, 4), "It has 3 of {got}, {@x} {@}");
}

TEST(FailureReporter, PrintsTypes) {
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFINone), "None");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFIInt), "int");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFIFloat), "float");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFIDLTensorPtr), "Tensor");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFITensor), "Tensor");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFISmallStr), "ffi.String");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFIStr), "ffi.String");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFISmallBytes), "ffi.Bytes");
  EXPECT_EQ(raised("{got:type}", 0, kTVMFFIFunction), "ffi.Function");
}

TEST(FailureReporter, NumbersWhatIsNoType) {
  for (int64_t index : {int64_t(-5), int64_t(13), int64_t(63), int64_t(1) << 40, INT64_MIN})
    EXPECT_EQ(raised("{got:type}", 0, index), "type index " + std::to_string(index));
}

TEST(FailureReporter, PrintsDTypes) {
  EXPECT_EQ(raised("{got:dtype}", 0, dtype(kDLFloat, 32, 1)), "float32");
  EXPECT_EQ(raised("{got:dtype}", 0, dtype(kDLInt, 64, 1)), "int64");
  EXPECT_EQ(raised("{got:dtype}", 0, dtype(kDLFloat, 16, 4)), "float16x4");
  EXPECT_EQ(raised("{got:dtype}", 0, dtype(kDLFloat8_e4m3b11fnuz, 8, 1)), "float8_e4m3b11fnuz");
  // The high half is not part of the type.
  EXPECT_EQ(raised("{got:dtype}", 0, dtype(kDLBfloat, 16, 1) | (int64_t(7) << 32)), "bfloat16");
}

TEST(FailureReporter, DescribesUnknownDTypes) {
  std::string text = raised("{got:dtype}", 0, dtype(200, 3, 1));
  EXPECT_NE(text.find("200"), std::string::npos) << text;
  EXPECT_EQ(takeRaised().kind, ""); // no second error is left behind
}

TEST(FailureReporter, PrintsDevices) {
  EXPECT_EQ(raised("{got:device}", 0, device(kDLCPU, 0)), "cpu:0");
  EXPECT_EQ(raised("{got:device}", 0, device(kDLCUDA, 3)), "cuda:3");
  EXPECT_EQ(raised("{got:device}", 0, device(kDLROCM, -1)), "rocm:-1");
  EXPECT_EQ(raised("{got:device}", 0, device(99, 2)), "device type 99:2");
}

TEST(FailureReporter, TakesNoContext) {
  FairleadFailure failure{"TypeError", "expected {expected}"};
  FairleadRaise(nullptr, &failure, 4, 0);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "TypeError");
  EXPECT_EQ(error.message, "expected 4");
}

TEST(FailureReporter, TextsAreUnbounded) {
  std::string message(100000, 'x');
  message += "{got}";
  EXPECT_EQ(raised(message.c_str(), 0, 5), std::string(100000, 'x') + "5");
}

} // namespace
