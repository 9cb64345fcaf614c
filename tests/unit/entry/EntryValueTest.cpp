/// Arguments passed by value: scalars of every type, and streams.
#include <cmath>
#include <limits>

#include "EntryHarness.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::entry {
namespace {

TEST(EntryValue, ScalarsOfEveryType) {
  Signature signature{"f", {}, {}, {}};
  std::vector<TVMFFIAny> arguments;
  std::vector<DType> types;
  for (int i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    if (!isParameterType(dtype))
      continue;
    types.push_back(dtype);
    signature.params.push_back({"p" + std::to_string(i), ScalarParam{dtype}});
    arguments.push_back(isFloat(dtype)            ? anyFloat(2.5)
                        : dtype == DType::Boolean ? anyBool(true)
                                                  : anyInt(100));
  }
  ASSERT_GE(types.size(), 13u);
  Entry entry(signature);
  ASSERT_EQ(entry.call(arguments), "");
  for (size_t i = 0; i < types.size(); ++i) {
    if (isFloat(types[i]))
      EXPECT_EQ(entry.host().asDouble(i), 2.5) << className(types[i]);
    else
      EXPECT_EQ(entry.host().values[i], types[i] == DType::Boolean ? 1 : 100)
          << className(types[i]);
  }
}

TEST(EntryValue, FloatsTakeIntegersAndBooleans) {
  Entry entry(Signature{
      "f", {{"x", ScalarParam{DType::Float32}}, {"y", ScalarParam{DType::Float64}}}, {}, {}});
  ASSERT_EQ(entry.call({anyInt(-3), anyBool(true)}), "");
  EXPECT_EQ(entry.host().asDouble(0), -3.0);
  EXPECT_EQ(entry.host().asDouble(1), 1.0);
}

TEST(EntryValue, LimitsOfEveryIntegerType) {
  for (int i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    if (!isInteger(dtype) || !isParameterType(dtype))
      continue;
    std::string name(dtypeName(dtype));
    Entry entry(Signature{"f", {{"x", ScalarParam{dtype}}}, {}, {}});
    bool wide = bitWidth(dtype) == 64;
    int64_t most = wide ? INT64_MAX : (int64_t{1} << (bitWidth(dtype) - isSigned(dtype))) - 1;
    int64_t least = isSigned(dtype) ? -most - 1 : 0;
    for (int64_t inside : {least, most}) {
      EXPECT_EQ(entry.call({anyInt(inside)}), "") << name;
      EXPECT_EQ(entry.host().values[0], inside) << name;
    }
    std::vector<int64_t> outside;
    if (!wide)
      outside.push_back(most + 1);
    if (least != INT64_MIN)
      outside.push_back(least - 1);
    for (int64_t value : outside)
      EXPECT_EQ(entry.call({anyInt(value)}),
                "ValueError: Invalid value on argument #0 when calling: `f(x: " + name +
                    ")`, expected an integer in the range of " + name + ", but got " +
                    std::to_string(value));
  }
}

/// An unsigned number from 2^63 on is an integer of any size, of two words.
TEST(EntryValue, LargeUnsignedIntegers) {
  Entry entry(Signature{"f", {{"x", ScalarParam{DType::Uint64}}}, {}, {}});
  Entry other(Signature{"f", {{"x", ScalarParam{DType::Int64}}}, {}, {}});
  auto call = [](Entry &entry, std::vector<int64_t> words) {
    TVMFFIByteArray bytes{reinterpret_cast<const char *>(words.data()), 8 * words.size()};
    TVMFFIAny value{};
    EXPECT_EQ(TVMFFIBigIntFromByteArray(&bytes, &value), 0);
    std::string message = entry.call({value});
    if (value.type_index == kTVMFFIBigInt)
      TVMFFIObjectDecRef(value.v_obj);
    return message;
  };
  for (int64_t word : {INT64_MIN, INT64_MIN + 1, int64_t{-1}}) {
    EXPECT_EQ(call(entry, {word, 0}), "");
    EXPECT_EQ(entry.host().values[0], word);
  }
  std::string rest = " on argument #0 when calling: `f(x: uint64)`, ";
  for (const std::vector<int64_t> &words : // 2^64, -2^63 - 1, 2^128
       {std::vector<int64_t>{0, 1}, {INT64_MAX, -1}, {0, 0, 1}})
    EXPECT_EQ(call(entry, words),
              "TypeError: Mismatched type" + rest + "expected int, but got ffi.BigInt");
  EXPECT_EQ(call(entry, {-5}), "ValueError: Invalid value" + rest +
                                   "expected an integer in the range of uint64, but got -5");
  EXPECT_NE(call(other, {-1, 0}).find("expected int, but got ffi.BigInt"), std::string::npos);
}

TEST(EntryValue, FloatsRoundOnce) {
  Signature signature{"f", {}, {}, {}};
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
    signature.params.push_back({std::string(dtypeName(dtype)), ScalarParam{dtype}});
  Entry entry(signature);
  auto call = [&](double x) {
    return entry.call({anyFloat(x), anyFloat(x), anyFloat(x), anyFloat(x)});
  };
  ASSERT_EQ(call(1.0 / 3), "");
  EXPECT_EQ(entry.host().asDouble(0), 0x1.554p-2);
  EXPECT_EQ(entry.host().asDouble(1), 0x1.56p-2);
  EXPECT_EQ(entry.host().asDouble(2), static_cast<double>(1.0f / 3));
  EXPECT_EQ(entry.host().asDouble(3), 1.0 / 3);
  // Just above a tie of both half types: through a float, it would round down to even.
  double aboveTies = 1 + 0x1p-11 + 0x1p-40;
  ASSERT_EQ(call(aboveTies), "");
  EXPECT_EQ(entry.host().asDouble(0), 1 + 0x1p-10);
  ASSERT_EQ(call(1 + 0x1p-8 + 0x1p-40), "");
  EXPECT_EQ(entry.host().asDouble(1), 1 + 0x1p-7);
  ASSERT_EQ(call(1e300), "");
  EXPECT_EQ(entry.host().asDouble(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(entry.host().asDouble(1), std::numeric_limits<double>::infinity());
  ASSERT_EQ(call(std::nan("")), "");
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(std::isnan(entry.host().asDouble(i)));
}

TEST(EntryValue, BooleansTakeIntegers) {
  Entry entry(Signature{"f", {{"x", ScalarParam{DType::Boolean}}}, {}, {}});
  for (int64_t value : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{1} << 40}) {
    ASSERT_EQ(entry.call({anyInt(value)}), "");
    EXPECT_EQ(entry.host().values[0], value != 0);
  }
  EXPECT_EQ(entry.call({anyFloat(1)}), "TypeError: Mismatched type on argument #0 when calling: "
                                       "`f(x: bool)`, expected bool, but got float");
}

TEST(EntryValue, TypesThatNoScalarTakes) {
  Entry number(Signature{"f", {{"x", ScalarParam{DType::Float16}}}, {}, {}}),
      stream(Signature{"f", {{"s", StreamParam{}}}, {}, {}});
  EXPECT_EQ(number.call({anyNone()}), "TypeError: Mismatched type on argument #0 when calling: "
                                      "`f(x: float16)`, expected float, but got None");
  TensorArgument tensor({4});
  EXPECT_EQ(number.call({tensor.any()}), "TypeError: Mismatched type on argument #0 when calling: "
                                         "`f(x: float16)`, expected float, but got Tensor");
  EXPECT_EQ(stream.call({anyFloat(1)}), "TypeError: Mismatched type on argument #0 when calling: "
                                        "`f(s: Stream)`, expected Stream, but got float");
}

TEST(EntryValue, StreamsOfEveryForm) {
  Entry entry(Signature{"f", {{"s", StreamParam{false}}, {"e", StreamParam{true}}}, {}, {}});
  ASSERT_EQ(entry.call({anyPointer(reinterpret_cast<void *>(0x1234))}), "");
  EXPECT_EQ(entry.host().values[0], 0x1234);
  ASSERT_EQ(entry.call({anyInt(0x77)}), "");
  EXPECT_EQ(entry.host().values[0], 0x77);
  ASSERT_EQ(entry.call({anyNone()}), "");
  EXPECT_EQ(entry.host().values[0], 0);
}

TEST(EntryValue, NoneIsTheDefaultStreamWhateverItsPayload) {
  Entry entry(Signature{"f", {{"s", StreamParam{}}}, {}, {}});
  TVMFFIAny none = anyNone();
  none.v_int64 = 99;
  ASSERT_EQ(entry.call({none}), "");
  EXPECT_EQ(entry.host().values[0], 0);
}

TEST(EntryValue, EnvironmentStreamOfTheTensorsDevice) {
  Signature signature{
      "f", {tensorParam("a", {symbol(0)}), {"e", StreamParam{true}}}, {{"n0", 32, 1}}, {}};
  Entry entry(signature, kDLCUDA, "cuda:sm_90a");
  ASSERT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, reinterpret_cast<void *>(0x4321), nullptr), 0);
  TensorArgument a({4});
  a.tensor.device = {kDLCUDA, 3};
  ASSERT_EQ(entry.call({a.any()}), "");
  EXPECT_EQ(entry.host().values[1], 0x4321);
  a.tensor.device = {kDLCUDA, 2};
  ASSERT_EQ(entry.call({a.any()}), "");
  EXPECT_EQ(entry.host().values[1], 0);
  TVMFFIEnvSetStream(kDLCUDA, 3, nullptr, nullptr);
}

} // namespace
} // namespace fairlead::entry
