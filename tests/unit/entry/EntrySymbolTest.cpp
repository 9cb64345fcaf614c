/// Integers whose value a symbol is, and pointers.
#include "EntryHarness.h"
#include "fairlead/Error.h"

namespace fairlead::entry {
namespace {

Param symbolParam(std::string name, int symbol, DType dtype = DType::Int32) {
  return {std::move(name), ScalarParam{dtype, -1, symbol}};
}

TEST(EntrySymbol, AnIntegerMatchesAnExtent) {
  Entry entry(
      Signature{"f", {symbolParam("n", 0), tensorParam("a", {symbol(0)})}, {{"n0", 32, 4}}, {}});
  TensorArgument a({8});
  ASSERT_EQ(entry.call({anyInt(8), a.any()}), "");
  EXPECT_EQ(entry.host().values[0], 8);
  EXPECT_EQ(entry.call({anyInt(12), a.any()}),
            "ValueError: Mismatched n on argument #0 when calling: `f(n: int32, a: Tensor([n0], "
            "float32))`, symbolic constraint violated: expected to match a.shape[0] = 8, but got "
            "12");
}

TEST(EntrySymbol, IntegersMatchEachOther) {
  Entry entry(Signature{"f", {symbolParam("x", 0), symbolParam("y", 0)}, {{"n0", 32, 16}}, {}});
  ASSERT_EQ(entry.call({anyInt(-32), anyInt(-32)}), "");
  EXPECT_EQ(entry.host().values[1], -32);
  EXPECT_EQ(entry.call({anyInt(32), anyInt(48)}),
            "ValueError: Mismatched y on argument #1 when calling: `f(x: int32, y: int32)`, "
            "symbolic constraint violated: expected to match x = 32, but got 48");
  EXPECT_EQ(entry.call({anyInt(7), anyInt(7)}),
            "ValueError: Invalid x on argument #0 when calling: `f(x: int32, y: int32)`, expected "
            "to be divisible by 16, but got 7");
  EXPECT_EQ(entry.call({anyInt(int64_t{1} << 40), anyInt(0)}),
            "ValueError: Invalid x on argument #0 when calling: `f(x: int32, y: int32)`, expected "
            "an integer from -2147483648 to 2147483647, but got 1099511627776");
}

TEST(EntrySymbol, AProductNeedsValues) {
  const Extent six{6, {0}};
  const auto errorOf = [](const Signature &signature) -> std::string {
    try {
      Entry entry(signature);
    } catch (const fairlead::Error &error) {
      EXPECT_EQ(error.id(), "SymbolUnbound");
      return error.what();
    }
    return "";
  };
  const std::string expected = "no argument, extent or stride of `f` gives the symbol `n0` its "
                               "value before a product needs it";
  EXPECT_EQ(errorOf({"f", {tensorParam("a", {six})}, {{"n0", 32, 1}}, {}}), expected);
  EXPECT_EQ(errorOf({"f", {{"x", ScalarParam{}}}, {{"n0", 32, 1}}, {}}), expected) << "no product";
  Entry entry(Signature{"f", {tensorParam("a", {six}), symbolParam("n", 0)}, {{"n0", 32, 1}}, {}});
  TensorArgument a({18});
  EXPECT_EQ(entry.call({a.any(), anyInt(3)}), "");
}

TEST(EntrySymbol, AStrideMatchesAnInteger) {
  Entry entry(Signature{"f",
                        {tensorParam("a", {fixed(4)}, DType::Float32, {symbol(0)}),
                         symbolParam("pitch", 0, DType::Int64)},
                        {{"n0", 64, 1}},
                        {}});
  TensorArgument a({4}, DType::Float32, {3});
  ASSERT_EQ(entry.call({a.any(), anyInt(3)}), "");
  EXPECT_EQ(
      entry.call({a.any(), anyInt(5)}),
      "ValueError: Mismatched a.strides[0] on argument #0 when calling: `f(a: Tensor([4], "
      "float32), pitch: int64)`, symbolic constraint violated: expected to match pitch = 5, but "
      "got 3");
}

TEST(EntrySymbol, PointersArePassedAndChecked) {
  Entry entry(
      Signature{"f", {{"p", PointerParam{DType::Float32, 16, AddressSpace::Generic}}}, {}, {}});
  ASSERT_EQ(entry.call({anyPointer(reinterpret_cast<void *>(0x1230))}), "");
  EXPECT_EQ(entry.host().values[0], 0x1230);
  ASSERT_EQ(entry.call({anyInt(0x4560)}), "");
  EXPECT_EQ(entry.host().values[0], 0x4560);
  const std::string site = " on argument #0 when calling: `f(p: Pointer(float32))`";
  EXPECT_EQ(entry.call({anyPointer(reinterpret_cast<void *>(0x1238))}),
            "ValueError: Misaligned pointer" + site +
                ", expected alignment=16 bytes, but the address is 8 bytes past a multiple of it");
  for (TVMFFIAny null : {anyPointer(nullptr), anyInt(0), anyNone()})
    EXPECT_EQ(entry.call({null}),
              "ValueError: Null pointer" + site + ", expected the address of elements of float32");
  EXPECT_EQ(entry.call({anyFloat(1.0)}),
            "TypeError: Mismatched type" + site + ", expected Pointer, but got float");
}

/// Without tensors a call runs on the current device of the thread, which the launch asks for.
TEST(EntrySymbol, CallsWithoutTensorsLeaveTheDeviceOpen) {
  Signature signature{"f", {{"p", PointerParam{}}}, {}, {}};
  Entry cuda(signature, kDLCUDA, "cuda:sm_90a"), cpu(signature);
  ASSERT_EQ(cuda.call({anyPointer(&signature)}), "");
  EXPECT_EQ(cuda.host().context.device_id, -1);
  ASSERT_EQ(cpu.call({anyPointer(&signature)}), "");
  EXPECT_EQ(cpu.host().context.device_id, 0);
}

} // namespace
} // namespace fairlead::entry
