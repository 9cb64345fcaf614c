/// Every message of the entry, exactly.
#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

const char *const kAddOne = "`add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))`";

Signature addOne(int64_t divisibility = 1, int64_t alignment = 1, int width = 32) {
  return {"add_one",
          {tensorParam("a", {symbol(0)}, DType::Float32, {}, alignment),
           tensorParam("b", {symbol(0)}, DType::Float32, {}, alignment)},
          {{"n0", width, divisibility}},
          {}};
}

std::string on(int argument, const std::string &signature = kAddOne) {
  return "on argument #" + std::to_string(argument) + " when calling: " + signature;
}

TEST(EntryError, Count) {
  Entry entry(addOne());
  TensorArgument a({4});
  std::string prefix = std::string("TypeError: Mismatched number of arguments when calling: ") +
                       kAddOne + ", expected 2, but got ";
  EXPECT_EQ(entry.call({a.any()}), prefix + "1");
  EXPECT_EQ(entry.call({}), prefix + "0");
  EXPECT_EQ(entry.call({a.any(), a.any(), a.any()}), prefix + "3");
}

TEST(EntryError, Type) {
  Entry entry(addOne());
  TensorArgument a({4});
  EXPECT_EQ(entry.call({a.any(), anyInt(1)}),
            "TypeError: Mismatched type " + on(1) + ", expected Tensor, but got int");
  EXPECT_EQ(entry.call({anyNone(), a.any()}),
            "TypeError: Mismatched type " + on(0) + ", expected Tensor, but got None");
  EXPECT_EQ(entry.call({a.any(), anyFloat(1)}),
            "TypeError: Mismatched type " + on(1) + ", expected Tensor, but got float");
  TVMFFIAny null = a.any();
  null.v_ptr = nullptr;
  EXPECT_EQ(entry.call({null, a.any()}),
            "TypeError: Mismatched type " + on(0) + ", expected Tensor, but got None");
  null.type_index = kTVMFFITensor;
  EXPECT_EQ(entry.call({null, a.any()}),
            "TypeError: Mismatched type " + on(0) + ", expected Tensor, but got None");
  EXPECT_EQ(entry.call({a.any(), anyPointer(&a)}),
            "TypeError: Mismatched type " + on(1) + ", expected Tensor, but got void*");
}

TEST(EntryError, ScalarType) {
  Entry entry(Signature{"f", {{"x", ScalarParam{DType::Int32}}}, {}, {}});
  EXPECT_EQ(entry.call({anyFloat(1)}), "TypeError: Mismatched type " + on(0, "`f(x: int32)`") +
                                           ", expected int, but got float");
}

TEST(EntryError, TypesComeBeforeShapes) {
  Entry entry(addOne(16));
  TensorArgument a({3});
  EXPECT_EQ(entry.call({a.any(), anyInt(1)}),
            "TypeError: Mismatched type " + on(1) + ", expected Tensor, but got int");
}

TEST(EntryError, DTypeAndNdim) {
  Entry entry(addOne());
  TensorArgument a({4}), half({4}, DType::Float16), square({2, 2});
  EXPECT_EQ(entry.call({a.any(), half.any()}),
            "TypeError: Mismatched dtype " + on(1) + ", expected float32, but got float16");
  EXPECT_EQ(entry.call({square.any(), a.any()}),
            "ValueError: Mismatched ndim " + on(0) + ", expected 1, but got 2");
}

TEST(EntryError, Device) {
  Entry entry(addOne(), kDLCUDA, "cuda:sm_90a");
  TensorArgument a({4}), b({4}), cpu({4});
  a.tensor.device = {kDLCUDA, 0};
  b.tensor.device = {kDLCUDA, 1};
  EXPECT_EQ(entry.call({a.any(), cpu.any()}),
            "ValueError: Mismatched device " + on(1) +
                ", expected device_type=cuda, this function was compiled for cuda:sm_90a, "
                "but the tensor is on cpu:0");
  EXPECT_EQ(entry.call({a.any(), b.any()}),
            "ValueError: Mismatched device " + on(1) +
                ", expected the device of a, cuda:0, but got cuda:1");
}

TEST(EntryError, SymbolAndDivisibility) {
  Entry entry(addOne(16));
  TensorArgument a({128}), b({126}), c({126});
  EXPECT_EQ(entry.call({a.any(), b.any()}),
            "ValueError: Mismatched b.shape[0] " + on(1) +
                ", symbolic constraint violated: expected to match a.shape[0] = 128, but got 126");
  EXPECT_EQ(entry.call({b.any(), c.any()}), "ValueError: Invalid a.shape[0] " + on(0) +
                                                ", expected to be divisible by 16, but got 126");
}

TEST(EntryError, DivisibilityThatIsNoPowerOfTwo) {
  Entry entry(addOne(12));
  TensorArgument good({24}), bad({16});
  EXPECT_EQ(entry.call({good.any(), good.any()}), "");
  EXPECT_EQ(entry.call({bad.any(), bad.any()}), "ValueError: Invalid a.shape[0] " + on(0) +
                                                    ", expected to be divisible by 12, but got 16");
}

TEST(EntryError, StaticExtent) {
  std::string signature = "`f(a: Tensor([4, 256], float32))`";
  Entry entry(Signature{"f", {tensorParam("a", {fixed(4), fixed(256)})}, {}, {}});
  TensorArgument a({4, 255});
  EXPECT_EQ(entry.call({a.any()}), "ValueError: Mismatched a.shape[1] " + on(0, signature) +
                                       ", expected 256, but got 255");
}

TEST(EntryError, Stride) {
  std::string signature = "`f(a: Tensor([n0, n1], float32))`";
  Entry entry(Signature{
      "f", {tensorParam("a", {symbol(0), symbol(1)})}, {{"n0", 32, 1}, {"n1", 32, 1}}, {}});
  TensorArgument transposed({4, 3}, DType::Float32, {1, 4});
  EXPECT_EQ(entry.call({transposed.any()}),
            "ValueError: Mismatched a.strides[0] " + on(0, signature) +
                ", symbolic constraint violated: expected to match a.shape[1] = 3, but got 1");
}

TEST(EntryError, RangeOfNarrowSymbols) {
  TensorArgument huge({int64_t{1} << 32});
  Entry narrow(addOne());
  EXPECT_EQ(narrow.call({huge.any(), huge.any()}),
            "ValueError: Invalid a.shape[0] " + on(0) +
                ", expected an integer from 0 to 2147483647, but got 4294967296");
  Entry wide(addOne(1, 1, 64));
  EXPECT_EQ(wide.call({huge.any(), huge.any()}), "");
}

TEST(EntryError, NegativeExtents) {
  TensorArgument negative({-4});
  Entry narrow(addOne());
  EXPECT_EQ(narrow.call({negative.any(), negative.any()}),
            "ValueError: Invalid a.shape[0] " + on(0) +
                ", expected an integer from 0 to 2147483647, but got -4");
  Entry wide(addOne(1, 1, 64));
  EXPECT_EQ(wide.call({negative.any(), negative.any()}),
            "ValueError: Invalid a.shape[0] " + on(0) +
                ", expected an integer from 0 to 9223372036854775807, but got -4");
  TensorArgument scalar({});
  scalar.tensor.ndim = -1;
  EXPECT_EQ(narrow.call({scalar.any(), scalar.any()}),
            "ValueError: Mismatched ndim " + on(0) + ", expected 1, but got -1");
}

TEST(EntryError, LargestNarrowExtent) {
  TensorArgument largest({INT32_MAX}), larger({int64_t{INT32_MAX} + 1});
  Entry entry(addOne());
  EXPECT_EQ(entry.call({largest.any(), largest.any()}), "");
  EXPECT_EQ(entry.host().values.back(), INT32_MAX);
  EXPECT_NE(entry.call({larger.any(), larger.any()}), "");
}

TEST(EntryError, ProductExtentsMayComeBeforeTheirSymbols) {
  Signature signature{
      "f", {tensorParam("a", {symbol(0, 2)}), tensorParam("b", {symbol(0)})}, {{"n0", 32, 1}}, {}};
  Entry entry(signature);
  TensorArgument a({8}), b({4}), c({5});
  EXPECT_EQ(entry.call({a.any(), b.any()}), "");
  EXPECT_EQ(entry.call({a.any(), c.any()}),
            "ValueError: Mismatched a.shape[0] " +
                on(0, "`f(a: Tensor([2*n0], float32), b: Tensor([n0], float32))`") +
                ", expected 10, but got 8");
}

TEST(EntryError, HostProgramFails) {
  Entry entry(addOne());
  entry.hostFails = true;
  TensorArgument a({4});
  EXPECT_EQ(entry.call({a.any(), a.any()}), "RuntimeError: the launch failed");
  entry.hostFails = false;
  EXPECT_EQ(entry.call({a.any(), a.any()}), "");
}

TEST(EntryError, Alignment) {
  Entry entry(addOne(1, 16));
  TensorArgument a({4}), b({4});
  b.tensor.data = reinterpret_cast<void *>(0x10004);
  EXPECT_EQ(
      entry.call({a.any(), b.any()}),
      "ValueError: Misaligned Tensor data " + on(1) +
          ", expected data alignment=16 bytes, but the address is 4 bytes past a multiple of it");
  TensorArgument empty({0}), alsoEmpty({0});
  alsoEmpty.tensor.data = nullptr;
  alsoEmpty.tensor.byte_offset = 4;
  EXPECT_EQ(entry.call({empty.any(), alsoEmpty.any()}), "");
}

TEST(EntryError, Equalities) {
  Signature signature{"f",
                      {tensorParam("a", {symbol(0)}), tensorParam("b", {symbol(1)})},
                      {{"n0", 32, 1}, {"n1", 32, 1}},
                      {{1, 0, 0, 0}}};
  Entry entry(signature);
  TensorArgument a({4}), b({5});
  EXPECT_EQ(entry.call({a.any(), b.any()}),
            "ValueError: Mismatched b.shape[0] " +
                on(1, "`f(a: Tensor([n0], float32), b: Tensor([n1], float32))`") +
                ", symbolic constraint violated: expected to match a.shape[0] = 4, but got 5");
  EXPECT_EQ(entry.call({a.any(), a.any()}), "");
}

TEST(EntryError, ScalarRange) {
  std::string signature = "`f(x: int8, y: uint64)`";
  Entry entry(
      Signature{"f", {{"x", ScalarParam{DType::Int8}}, {"y", ScalarParam{DType::Uint64}}}, {}, {}});
  EXPECT_EQ(entry.call({anyInt(128), anyInt(0)}),
            "ValueError: Invalid value " + on(0, signature) +
                ", expected an integer in the range of int8, but got 128");
  EXPECT_EQ(entry.call({anyInt(-128), anyInt(-1)}),
            "ValueError: Invalid value " + on(1, signature) +
                ", expected an integer in the range of uint64, but got -1");
}

} // namespace
} // namespace fairlead::entry
