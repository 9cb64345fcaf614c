/// What the host program receives from calls that pass the checks.
#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

TEST(EntryCall, NoArguments) {
  Entry entry(Signature{"nothing", {}, {}, {}});
  EXPECT_EQ(entry.call({}), "");
  EXPECT_EQ(entry.host().context.device_type, kDLCPU);
}

TEST(EntryCall, PointersSymbolsAndByteOffset) {
  Signature signature{"f", {tensorParam("a", {symbol(0), symbol(1)}), tensorParam("b", {symbol(1)})}, {{"n0", 32, 1}, {"n1", 64, 1}}, {}};
  Entry entry(signature);
  TensorArgument a({3, 5}), b({5});
  a.tensor.byte_offset = 256;
  ASSERT_EQ(entry.call({a.any(), b.any()}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000 + 256, 0x10000, 3, 5}));
}

TEST(EntryCall, TensorObjects) {
  // An ffi.Tensor: the object header, then the DLTensor.
  struct {
    TVMFFIObject header{};
    DLTensor tensor{};
  } object;
  TensorArgument a({4});
  object.tensor = a.tensor;
  TVMFFIAny any{};
  any.type_index = kTVMFFITensor;
  any.v_obj = &object.header;
  Entry entry(Signature{"f", {tensorParam("a", {symbol(0)})}, {{"n0", 32, 1}}, {}});
  ASSERT_EQ(entry.call({any}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 4}));
}

TEST(EntryCall, ScalarsOfEveryType) {
  Signature signature{"f", {}, {}, {}};
  std::vector<TVMFFIAny> arguments;
  for (int i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    signature.params.push_back({"p" + std::to_string(i), ScalarParam{dtype}});
    arguments.push_back(isFloat(dtype) ? anyFloat(2.5) : dtype == DType::Boolean ? anyBool(true) : anyInt(100));
  }
  Entry entry(signature);
  ASSERT_EQ(entry.call(arguments), "");
  for (int i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    if (isFloat(dtype))
      EXPECT_EQ(entry.host().asDouble(i), 2.5) << className(dtype);
    else
      EXPECT_EQ(entry.host().values[i], dtype == DType::Boolean ? 1 : 100) << className(dtype);
  }
}

TEST(EntryCall, FloatsTakeIntegersAndBooleans) {
  Entry entry(Signature{"f", {{"x", ScalarParam{DType::Float32}}, {"y", ScalarParam{DType::Float64}}}, {}, {}});
  ASSERT_EQ(entry.call({anyInt(-3), anyBool(true)}), "");
  EXPECT_EQ(entry.host().asDouble(0), -3.0);
  EXPECT_EQ(entry.host().asDouble(1), 1.0);
}

TEST(EntryCall, StreamsOfEveryForm) {
  Entry entry(Signature{"f", {{"s", StreamParam{false}}, {"e", StreamParam{true}}}, {}, {}});
  ASSERT_EQ(entry.call({anyPointer(reinterpret_cast<void *>(0x1234))}), "");
  EXPECT_EQ(entry.host().values[0], 0x1234);
  ASSERT_EQ(entry.call({anyInt(0x77)}), "");
  EXPECT_EQ(entry.host().values[0], 0x77);
  ASSERT_EQ(entry.call({anyNone()}), "");
  EXPECT_EQ(entry.host().values[0], 0);
}

TEST(EntryCall, StridesOfUnusedExtentsAreFree) {
  Signature signature{"f", {tensorParam("a", {symbol(0), fixed(1), symbol(1)})}, {{"n0", 32, 1}, {"n1", 32, 1}}, {}};
  Entry entry(signature);
  TensorArgument a({2, 1, 3}, DType::Float32, {3, 77, 1});
  EXPECT_EQ(entry.call({a.any()}), "");
  TensorArgument empty({0, 1, 3}, DType::Float32, {9, 9, 9});
  EXPECT_EQ(entry.call({empty.any()}), "");
}

TEST(EntryCall, ColumnMajorProducts) {
  Signature signature{"f", {tensorParam("a", {symbol(0), symbol(1), fixed(2)}, DType::Float32, {fixed(1), symbol(0), {1, {0, 1}}})},
                      {{"n0", 32, 1}, {"n1", 32, 1}}, {}};
  Entry entry(signature);
  TensorArgument a({4, 3, 2}, DType::Float32, {1, 4, 12});
  EXPECT_EQ(entry.call({a.any()}), "");
}

TEST(EntryCall, StrideSymbolsBind) {
  Signature signature{"f", {tensorParam("a", {symbol(0), fixed(4)}, DType::Float32, {symbol(1), fixed(1)})}, {{"n0", 32, 1}, {"n1", 64, 4}}, {}};
  Entry entry(signature);
  TensorArgument a({3, 4}, DType::Float32, {8, 1});
  ASSERT_EQ(entry.call({a.any()}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 3, 8}));
}

TEST(EntryCall, ScalarTensor) {
  Entry entry(Signature{"f", {tensorParam("a", {})}, {}, {}});
  TensorArgument a({});
  a.tensor.shape = nullptr;
  EXPECT_EQ(entry.call({a.any()}), "");
}

TEST(EntryCall, CudaContextNamesTheDevice) {
  Entry entry(Signature{"f", {{"x", ScalarParam{}}, tensorParam("a", {symbol(0)})}, {{"n0", 32, 1}}, {}}, kDLCUDA, "cuda:sm_90a");
  TensorArgument a({4});
  a.tensor.device = {kDLCUDA, 3};
  ASSERT_EQ(entry.call({anyInt(1), a.any()}), "");
  EXPECT_EQ(entry.host().context.device_type, kDLCUDA);
  EXPECT_EQ(entry.host().context.device_id, 3);
}

} // namespace
} // namespace fairlead::entry
