/// Random arguments against a plain model of the checks: the host program runs exactly when every constraint holds.
#include <initializer_list>
#include <random>

#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

constexpr int kCalls = 20000;
constexpr int64_t kDivisibility = 4, kAlignment = 16;

struct Draw {
  std::mt19937_64 random{20260811};
  /// One of the values; the first most of the time, so that many calls pass.
  template <typename T> T mostly(std::initializer_list<T> values) {
    return random() % 8 ? *values.begin() : *(values.begin() + random() % values.size());
  }
};

/// f(a: Tensor([n0, 8], float32), b: Tensor([n0], float32), k: int32), a compact row-major and aligned.
bool expectedToPass(const TensorArgument &a, const TensorArgument &b, const TVMFFIAny &k) {
  auto isTensor = [](const DLTensor &t, int ndim) {
    return t.dtype.code == kDLFloat && t.dtype.bits == 32 && t.dtype.lanes == 1 && t.ndim == ndim && t.device.device_type == kDLCPU;
  };
  if (!isTensor(a.tensor, 2) || !isTensor(b.tensor, 1))
    return false;
  int64_t n = a.shape[0];
  if (n != static_cast<int32_t>(n) || n % kDivisibility || a.shape[1] != 8 || b.shape[0] != n)
    return false;
  if (!a.strides.empty() && n != 0 && ((n != 1 && a.strides[0] != 8) || a.strides[1] != 1))
    return false;
  if (!b.strides.empty() && n > 1 && b.strides[0] != 1)
    return false;
  auto address = reinterpret_cast<uintptr_t>(a.tensor.data) + a.tensor.byte_offset;
  if (n != 0 && address % kAlignment)
    return false;
  return (k.type_index == kTVMFFIInt && k.v_int64 == static_cast<int32_t>(k.v_int64)) || k.type_index == kTVMFFIBool;
}

TEST(EntryRandom, HostRunsExactlyWhenEveryConstraintHolds) {
  Signature signature{"f",
                      {tensorParam("a", {symbol(0), fixed(8)}, DType::Float32, {}, kAlignment), tensorParam("b", {symbol(0)}),
                       {"k", ScalarParam{DType::Int32}}},
                      {{"n0", 32, kDivisibility}},
                      {}};
  Entry entry(signature);
  Draw draw;
  int passed = 0;
  for (int i = 0; i < kCalls; ++i) {
    auto n = draw.mostly<int64_t>({16, 0, 1, 3, 4, int64_t{1} << 33});
    auto dtype = draw.mostly({DType::Float32, DType::Float16, DType::Int32});
    std::vector<int64_t> strides = draw.mostly({std::vector<int64_t>{8, 1}, {}, {9, 1}, {8, 2}});
    TensorArgument a({n, draw.mostly<int64_t>({8, 7})}, dtype, strides);
    TensorArgument b({draw.mostly<int64_t>({n, 16, 5})}, draw.mostly({DType::Float32, DType::Float64}), draw.mostly({std::vector<int64_t>{1}, {}, {2}}));
    a.tensor.byte_offset = draw.mostly<uint64_t>({0, 16, 4});
    b.tensor.device.device_type = draw.mostly({kDLCPU, kDLCUDA, kDLVulkan});
    a.tensor.ndim = draw.mostly({2, 1, 0});
    TVMFFIAny k = draw.mostly({anyInt(7), anyBool(true), anyInt(int64_t{1} << 31), anyFloat(1), anyNone()});
    bool expected = expectedToPass(a, b, k);
    std::string message = entry.call({a.any(), b.any(), k});
    ASSERT_EQ(message.empty(), expected) << "call " << i << ": " << message;
    passed += expected;
  }
  // Both outcomes were exercised.
  EXPECT_GT(passed, kCalls / 20);
  EXPECT_LT(passed, kCalls * 19 / 20);
}

} // namespace
} // namespace fairlead::entry
