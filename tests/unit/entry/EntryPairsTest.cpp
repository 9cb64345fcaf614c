/// Tensors of 4-bit elements, which frameworks hand over in pairs: a type of two lanes whose extent
/// along the leading mode, and whose other strides, count pairs.
#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

constexpr DType kFloat4 = DType::Float4E2M1FN;

/// The tensor as torch has it: float4_e2m1fn_x2.
TensorArgument &inPairs(TensorArgument &argument) {
  argument.tensor.dtype.lanes = 2;
  return argument;
}

/// f(a: Tensor([n0, 64], float4_e2m1fn)) with the outer stride n1.
Signature rows(DType dtype = kFloat4) {
  return {"f",
          {tensorParam("a", {symbol(0), fixed(64)}, dtype, {symbol(1), fixed(1)})},
          {{"n0", 32, 1}, {"n1", 64, 1}},
          {}};
}
const char *const kSite = "on argument #0 when calling: `f(a: Tensor([n0, 64], float4_e2m1fn))`";

TEST(EntryPairs, CountAsElements) {
  Entry entry(rows());
  TensorArgument elements({3, 64}, kFloat4, {80, 1}), pairs({3, 32}, kFloat4, {40, 1}),
      compact({3, 32}, kFloat4);
  for (TensorArgument *argument : {&elements, &inPairs(pairs)}) {
    ASSERT_EQ(entry.call({argument->any()}), "");
    EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 3, 80}));
  }
  ASSERT_EQ(entry.call({inPairs(compact).any()}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 3, 64}));
}

TEST(EntryPairs, AlongTheLeadingMode) {
  // Column-major: the first mode is the one in pairs.
  Entry entry(
      Signature{"f",
                {tensorParam("a", {symbol(0), symbol(1)}, DType::Int4, {fixed(1), symbol(0)})},
                {{"n0", 32, 1}, {"n1", 32, 1}},
                {}});
  TensorArgument pairs({8, 5}, DType::Int4, {1, 8});
  ASSERT_EQ(entry.call({inPairs(pairs).any()}), "");
  EXPECT_EQ(entry.host().values, (std::vector<int64_t>{0x10000, 16, 5}));
}

TEST(EntryPairs, Mismatches) {
  Entry entry(rows());
  TensorArgument narrow({3, 31}, kFloat4), apart({3, 32}, kFloat4, {64, 2}), flat({96}, kFloat4),
      bytes({3, 32}, DType::Uint8), quads({3, 16}, kFloat4);
  quads.tensor.dtype.lanes = 4;
  auto text = [](const char *kind, const char *what, const char *rest) {
    return std::string(kind) + ": Mismatched " + what + " " + kSite + rest;
  };
  EXPECT_EQ(entry.call({inPairs(narrow).any()}),
            text("ValueError", "a.shape[1]", ", expected 64, but got 62"));
  EXPECT_EQ(entry.call({inPairs(apart).any()}),
            text("ValueError", "a.strides[1]", ", expected 1, but got 2"));
  EXPECT_EQ(entry.call({inPairs(flat).any()}),
            text("ValueError", "ndim", ", expected 2, but got 1"));
  EXPECT_EQ(entry.call({bytes.any()}),
            text("TypeError", "dtype", ", expected float4_e2m1fn, but got uint8"));
  EXPECT_EQ(entry.call({quads.any()}),
            text("TypeError", "dtype", ", expected float4_e2m1fn, but got float4_e2m1fnx4"));
}

TEST(EntryPairs, OnlyOfHalfBytesWithALeadingMode) {
  Entry wide(rows(DType::Uint8));
  TensorArgument pairs({3, 32}, DType::Uint8);
  EXPECT_NE(wide.call({inPairs(pairs).any()}).find("expected uint8, but got uint8x2"),
            std::string::npos);
  // The mode that would be in pairs is not known.
  Entry strided(Signature{"f",
                          {tensorParam("a", {symbol(0)}, kFloat4, {symbol(1)})},
                          {{"n0", 32, 1}, {"n1", 64, 1}},
                          {}});
  TensorArgument line({32}, kFloat4);
  EXPECT_NE(strided.call({inPairs(line).any()}).find("expected float4_e2m1fn, but got"),
            std::string::npos);
}

} // namespace
} // namespace fairlead::entry
