/// Tensors that are declared without aliases.
#include <algorithm>
#include <random>

#include "EntryHarness.h"

namespace fairlead::entry {
namespace {

Signature twoTensors(DType a, DType b, MemoryAccess accessOfB = {.written = true}) {
  auto param = [](const char *name, DType dtype, int first) {
    return tensorParam(name, {symbol(first), symbol(first + 1)}, dtype,
                       {symbol(first + 2), symbol(first + 3)});
  };
  Signature signature{"f", {param("a", a, 0), param("b", b, 4)}, {}, {}};
  for (int i = 0; i < 8; ++i)
    signature.symbols.push_back({std::string("n") + char('0' + i), 64, 1});
  *signature.params[0].access() = {.read = true};
  *signature.params[1].access() = accessOfB;
  std::get<TensorParam>(signature.params[1].type).noAlias = true;
  return signature;
}

/// The addresses of the first byte and of the one behind the last; both 0 for an empty tensor.
std::pair<int64_t, int64_t> bytesOf(const TensorArgument &argument, int bits) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (int64_t i = 0; i < argument.shape[0]; ++i)
    for (int64_t j = 0; j < argument.shape[1]; ++j) {
      const int64_t bit = (i * argument.strides[0] + j * argument.strides[1]) * bits;
      least = std::min(least, bit);
      most = std::max(most, bit + bits);
    }
  if (least > most)
    return {0, 0};
  const auto data = static_cast<int64_t>(reinterpret_cast<uintptr_t>(argument.tensor.data)) +
                    static_cast<int64_t>(argument.tensor.byte_offset);
  return {data + (least >> 3), data + ((most + 7) >> 3)};
}

TEST(EntryAlias, BytesThatOverlapAreFoundAsByCounting) {
  const std::pair<DType, int> types[] = {
      {DType::Float32, 32}, {DType::Boolean, 8}, {DType::Float4E2M1FN, 4}, {DType::Float64, 64}};
  std::mt19937 random(7);
  auto upTo = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  int refused = 0, accepted = 0;
  for (const auto &[dtypeOfA, bitsOfA] : types)
    for (const auto &[dtypeOfB, bitsOfB] : types) {
      Entry entry(twoTensors(dtypeOfA, dtypeOfB));
      for (int n = 0; n < 400; ++n) {
        TensorArgument a({upTo(0, 4), upTo(1, 4)}, dtypeOfA, {upTo(-9, 9), upTo(-3, 3)});
        TensorArgument b({upTo(0, 4), upTo(1, 4)}, dtypeOfB, {upTo(-9, 9), upTo(-3, 3)});
        b.tensor.byte_offset = static_cast<uint64_t>(upTo(0, 100));
        const auto [beginOfA, endOfA] = bytesOf(a, bitsOfA);
        const auto [beginOfB, endOfB] = bytesOf(b, bitsOfB);
        const int64_t begin = std::max(beginOfA, beginOfB), end = std::min(endOfA, endOfB);
        const bool isApart = begin >= end || endOfA == 0 || endOfB == 0;
        const std::string message = entry.call({a.any(), b.any()});
        isApart ? ++accepted : ++refused;
        if (isApart) {
          ASSERT_EQ(message, "");
        } else {
          ASSERT_NE(message.find("to share no bytes with argument #0 (a), but got " +
                                 std::to_string(end - begin) + " bytes in common, from byte " +
                                 std::to_string(begin - beginOfB) + " of b on"),
                    std::string::npos)
              << message;
        }
      }
    }
  EXPECT_GT(refused, 500);
  EXPECT_GT(accepted, 500);
}

TEST(EntryAlias, TheMessageNamesBothArguments) {
  Entry entry(twoTensors(DType::Float32, DType::Float32));
  TensorArgument a({2, 4}, DType::Float32, {4, 1}), b({2, 4}, DType::Float32, {4, 1});
  b.tensor.byte_offset = 16;
  EXPECT_EQ(entry.call({a.any(), b.any()}),
            "ValueError: Overlapping memory on argument #1 when calling: `f(a: Tensor([n0, n1], "
            "float32), b: Tensor([n4, n5], float32))`, expected b, declared no_alias, to share no "
            "bytes with argument #0 (a), but got 16 bytes in common, from byte 0 of b on");
  b.tensor.byte_offset = 32; // begins where `a` ends
  EXPECT_EQ(entry.call({a.any(), b.any()}), "");
}

TEST(EntryAlias, TensorsThatAreOnlyReadMayShareMemory) {
  Entry entry(twoTensors(DType::Float32, DType::Float32, {.read = true}));
  TensorArgument a({2, 4}, DType::Float32, {4, 1}), b({2, 4}, DType::Float32, {4, 1});
  EXPECT_EQ(entry.call({a.any(), b.any()}), "");
}

} // namespace
} // namespace fairlead::entry
