/// Integers beyond 64 bits: canonical form, content, and the hooks that hash and compare them.
#include <gtest/gtest.h>

#include <vector>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
Any bigInt(std::vector<uint64_t> words) {
  TVMFFIByteArray bytes{reinterpret_cast<const char *>(words.data()), words.size() * 8};
  TVMFFIAny out = {};
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&bytes, &out), 0);
  return detail::AnyUnsafe::MoveTVMFFIAnyToAny(&out);
}

std::vector<uint64_t> wordsOf(const Any &value) {
  TVMFFIByteArray bytes =
      TVMFFIBigIntGetContentByteArray(detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value));
  std::vector<uint64_t> words(bytes.size / 8);
  std::memcpy(words.data(), bytes.data, bytes.size);
  return words;
}

constexpr uint64_t kSign = uint64_t(1) << 63, kOnes = ~uint64_t(0);
} // namespace

TEST(BigInt, SmallValuesAreInts) {
  EXPECT_EQ(bigInt({}).cast<int64_t>(), 0);
  EXPECT_EQ(bigInt({5, 0, 0}).cast<int64_t>(), 5);
  EXPECT_EQ(bigInt({kOnes, kOnes}).cast<int64_t>(), -1);
  EXPECT_EQ(bigInt({kSign, kOnes}).cast<int64_t>(), INT64_MIN);
}

TEST(BigInt, LargeValuesAreCanonical) {
  EXPECT_EQ(wordsOf(bigInt({kSign, 0, 0})), (std::vector<uint64_t>{kSign, 0}));
  EXPECT_EQ(wordsOf(bigInt({0, 1})), (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(wordsOf(bigInt({0, kOnes, kOnes})), (std::vector<uint64_t>{0, kOnes}));
  EXPECT_EQ(wordsOf(Any(7)), std::vector<uint64_t>{7});
  Any value = bigInt({0, 1});
  EXPECT_EQ(value.type_index(), kTVMFFIBigInt);
  EXPECT_EQ(value.GetTypeKey(), "ffi.BigInt");
  EXPECT_FALSE(value.try_cast<int64_t>());
  EXPECT_FALSE(value.try_cast<double>());
}

TEST(BigInt, RefusesPartsOfWords) {
  TVMFFIByteArray bytes{"12345", 5};
  TVMFFIAny out = AnyView(3).CopyToTVMFFIAny();
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&bytes, &out), -1);
  EXPECT_EQ(out.type_index, kTVMFFINone);
  Error error = detail::MoveFromSafeCallRaised();
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_EQ(error.message(), "BigInt content must contain whole 64-bit words");
}

TEST(BigInt, HooksAreFunctions) {
  auto hook = [](std::string name) {
    TVMFFIByteArray bytes{name.data(), name.size()};
    const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&bytes);
    return Any(AnyView::CopyFromTVMFFIAny(column->data[kTVMFFIBigInt - column->begin_index]))
        .cast<Function>();
  };
  Function hash = hook("__any_hash__"), equal = hook("__any_equal__");
  Any a = bigInt({0, 1}), b = bigInt({0, 1}), c = bigInt({1, 1});
  EXPECT_TRUE(equal(a, b).cast<bool>());
  EXPECT_FALSE(equal(a, c).cast<bool>());
  // h = ((0 * P + 0) mod M * P + 1) mod M
  EXPECT_EQ(hash(a).cast<int64_t>(), 1);
  EXPECT_NE(hash(a).cast<int64_t>(), hash(c).cast<int64_t>());
}
