/// Strides: compact ones, symbols of their own, and unused ones.
#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

TEST(EntryStride, StridesOfUnusedExtentsAreFree) {
  Signature signature{"f",
                      {tensorParam("a", {symbol(0), fixed(1), symbol(1)})},
                      {{"n0", 32, 1}, {"n1", 32, 1}},
                      {}};
  Entry entry(signature);
  TensorArgument a({2, 1, 3}, DType::Float32, {3, 77, 1});
  EXPECT_EQ(entry.call({a.any()}), "");
  TensorArgument empty({0, 1, 3}, DType::Float32, {9, 9, 9});
  EXPECT_EQ(entry.call({empty.any()}), "");
}

TEST(EntryStride, ColumnMajorProducts) {
  Signature signature{"f",
                      {tensorParam("a", {symbol(0), symbol(1), fixed(2)}, DType::Float32,
                                   {fixed(1), symbol(0), {1, {0, 1}}})},
                      {{"n0", 32, 1}, {"n1", 32, 1}},
                      {}};
  Entry entry(signature);
  TensorArgument a({4, 3, 2}, DType::Float32, {1, 4, 12});
  EXPECT_EQ(entry.call({a.any()}), "");
}

TEST(EntryStride, StrideSymbolsBind) {
  Signature signature{
      "f",
      {tensorParam("a", {symbol(0), fixed(4)}, DType::Float32, {symbol(1), fixed(1)})},
      {{"n0", 32, 1}, {"n1", 64, 4}},
      {}};
  Entry entry(signature);
  TensorArgument a({3, 4}, DType::Float32, {8, 1});
  ASSERT_EQ(entry.call({a.any()}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 3, 8}));
}

/// f(a: 2-D, b: 2-D) whose outer strides are one symbol.
Signature sharedStride(int width = 32, int64_t divisibility = 1) {
  auto tensor = [](const char *name, int extent) {
    return tensorParam(name, {symbol(extent), fixed(4)}, DType::Float32, {symbol(2), fixed(1)});
  };
  return {"f",
          {tensor("a", 0), tensor("b", 1)},
          {{"n0", 32, 1}, {"n1", 32, 1}, {"n2", width, divisibility}},
          {}};
}
const char *const kShared =
    "when calling: `f(a: Tensor([n0, 4], float32), b: Tensor([n1, 4], float32))`";

TEST(EntryStride, SharedSymbol) {
  Entry entry(sharedStride());
  TensorArgument a({3, 4}, DType::Float32, {8, 1}), b({5, 4}, DType::Float32, {8, 1}),
      c({5, 4}, DType::Float32, {9, 1});
  ASSERT_EQ(entry.call({a.any(), b.any()}), "");
  EXPECT_EQ(entry.host().values.back(), 8);
  EXPECT_EQ(entry.call({a.any(), c.any()}),
            std::string("ValueError: Mismatched b.strides[0] on argument #1 ") + kShared +
                ", symbolic constraint violated: expected to match a.strides[0] = 8, but got 9");
}

TEST(EntryStride, UnusedPlacesDoNotBind) {
  Entry entry(sharedStride(32, 4));
  TensorArgument one({1, 4}, DType::Float32, {int64_t{1} << 40, 1}),
      none({0, 4}, DType::Float32, {7, 3});
  TensorArgument a({3, 4}, DType::Float32, {8, 1}), odd({3, 4}, DType::Float32, {6, 1});
  // The other tensor's stride counts.
  for (TensorArgument *unused : {&one, &none}) {
    ASSERT_EQ(entry.call({unused->any(), a.any()}), "");
    EXPECT_EQ(entry.host().values.back(), 8);
    ASSERT_EQ(entry.call({a.any(), unused->any()}), "");
    EXPECT_EQ(entry.host().values.back(), 8);
  }
  EXPECT_EQ(entry.call({one.any(), odd.any()}),
            std::string("ValueError: Invalid b.strides[0] on argument #1 ") + kShared +
                ", expected to be divisible by 4, but got 6");
  // Nothing uses it, so it gets a value that keeps the constraints.
  ASSERT_EQ(entry.call({one.any(), none.any()}), "");
  EXPECT_EQ(entry.host().values.back(), 0);
}

TEST(EntryStride, Range) {
  TensorArgument far({2, 4}, DType::Float32, {int64_t{1} << 31, 1}),
      reversed({2, 4}, DType::Float32, {-4, 1});
  Entry narrow(sharedStride()), wide(sharedStride(64));
  EXPECT_EQ(narrow.call({far.any(), far.any()}),
            std::string("ValueError: Invalid a.strides[0] on argument #0 ") + kShared +
                ", expected an integer from -2147483648 to 2147483647, but got 2147483648");
  ASSERT_EQ(wide.call({far.any(), far.any()}), "");
  EXPECT_EQ(wide.host().values.back(), int64_t{1} << 31);
  ASSERT_EQ(narrow.call({reversed.any(), reversed.any()}), "");
  EXPECT_EQ(narrow.host().values.back(), -4);
}

TEST(EntryStride, AbsentStridesAreRowMajor) {
  auto extents = [] { return std::vector<Extent>{symbol(0), symbol(1), fixed(2)}; };
  std::vector<Symbol> symbols{{"n0", 32, 1}, {"n1", 32, 1}};
  Entry rowMajor(Signature{"f", {tensorParam("a", extents())}, symbols, {}});
  Entry columnMajor(
      Signature{"f",
                {tensorParam("a", extents(), DType::Float32, {fixed(1), symbol(0), {1, {0, 1}}})},
                symbols,
                {}});
  TensorArgument a({4, 3, 2}), line({4, 1, 2}), column({4, 1, 1});
  EXPECT_EQ(rowMajor.call({a.any()}), "");
  EXPECT_EQ(
      columnMajor.call({a.any()}),
      "ValueError: Mismatched a.strides[0] on argument #0 when calling: `f(a: Tensor([n0, "
      "n1, 2], float32, strides=[1, n0, n0*n1]))`, expected 1, but got 6: the first mode is the "
      "contiguous one here; for row-major tensors compile with stride_order=(2, 1, 0)");
  EXPECT_EQ(
      columnMajor.call({line.any()}),
      "ValueError: Mismatched a.strides[0] on argument #0 when calling: `f(a: Tensor([n0, "
      "n1, 2], float32, strides=[1, n0, n0*n1]))`, expected 1, but got 2: the first mode is the "
      "contiguous one here; for row-major tensors compile with stride_order=(2, 1, 0)");
  EXPECT_EQ(rowMajor.call({line.any()}), "");
}

TEST(EntryStride, AbsentStridesBindSymbols) {
  Entry entry(sharedStride());
  TensorArgument a({3, 4}), b({5, 4});
  ASSERT_EQ(entry.call({a.any(), b.any()}), "");
  EXPECT_EQ(entry.host().values.back(), 4);
}

/// A stride that is an extent names it.
TEST(EntryStride, ExtentsAsStrides) {
  Entry entry(Signature{"f",
                        {tensorParam("a", {symbol(0), symbol(1)}), // row-major: strides n1 and 1
                         tensorParam("b", {symbol(1)}, DType::Float32, {symbol(2)})},
                        {{"n0", 32, 1}, {"n1", 32, 1}, {"n2", 32, 1}},
                        {}});
  TensorArgument a({3, 4}), wide({3, 4}, DType::Float32, {6, 1}), b({4}, DType::Float32, {2}),
      line({1, 4}, DType::Float32, {9, 1});
  EXPECT_EQ(entry.call({a.any(), b.any()}), "");
  EXPECT_EQ(entry.call({line.any(), b.any()}), "");
  EXPECT_EQ(entry.call({wide.any(), b.any()}),
            "ValueError: Mismatched a.strides[0] on argument #0 when calling: `f(a: Tensor([n0, "
            "n1], float32), b: Tensor([n1], float32))`, symbolic constraint violated: expected to "
            "match a.shape[1] = 4, but got 6");
}

TEST(EntryStride, BroadcastStride) {
  Entry entry(Signature{
      "f", {tensorParam("a", {symbol(0)}, DType::Float32, {fixed(0)})}, {{"n0", 32, 1}}, {}});
  TensorArgument broadcast({4}, DType::Float32, {0}), dense({4});
  EXPECT_EQ(entry.call({broadcast.any()}), "");
  EXPECT_EQ(entry.call({dense.any()}),
            "ValueError: Mismatched a.strides[0] on argument #0 when calling: `f(a: Tensor([n0], "
            "float32, strides=[0]))`, expected 0, but got 1");
}

} // namespace
} // namespace fairlead::entry
