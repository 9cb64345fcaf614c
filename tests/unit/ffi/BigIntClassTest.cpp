/// The class BigInt: against __int128, against the identities of arithmetic, and at its edges.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <unordered_set>

#include "tvm/ffi/big_int.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
__extension__ using Wide = __int128;

std::string textOf(const BigInt &value) {
  std::ostringstream os;
  os << value;
  return os.str();
}
BigInt parse(const std::string &text) {
  std::istringstream is(text);
  BigInt value;
  is >> value;
  EXPECT_FALSE(is.fail()) << text;
  return value;
}
BigInt fromWide(Wide value) {
  return (BigInt(static_cast<int64_t>(value >> 64)) << 64) | BigInt(static_cast<uint64_t>(value));
}

/// Integers whose bits come in runs, so that carries and sign words are met; of up to `words`
/// words.
class RandomInts {
public:
  BigInt next(int words) {
    BigInt value(word());
    for (int count = pick(words); count > 0; --count)
      value = (value << 64) | BigInt(static_cast<uint64_t>(word()));
    return value >> pick(64);
  }
  Wide wide() {
    uint64_t low = static_cast<uint64_t>(word());
    Wide value = static_cast<Wide>(word()) * (Wide(1) << 64) + low;
    return value >> pick(127);
  }
  int pick(int limit) { return static_cast<int>(bits() % static_cast<uint64_t>(limit)); }

private:
  int64_t word() {
    static constexpr uint64_t kEdges[] = {0,
                                          1,
                                          ~uint64_t(0),
                                          uint64_t(1) << 63,
                                          ~uint64_t(0) >> 1,
                                          0xFFFFFFFF00000000,
                                          0x00000000FFFFFFFF,
                                          0x80000000};
    return static_cast<int64_t>(pick(3) ? bits() : kEdges[pick(8)]);
  }
  std::mt19937_64 bits{20260815};
};

template <typename F> Error errorOf(F &&function) {
  try {
    function();
  } catch (const Error &error) {
    return error;
  }
  return Error("None", "nothing was thrown", "");
}
#define EXPECT_ERROR(statement, wantedKind, wantedMessage)                                         \
  {                                                                                                \
    Error error = errorOf([&] { (void)(statement); });                                             \
    EXPECT_EQ(error.kind(), wantedKind);                                                           \
    EXPECT_EQ(error.message(), wantedMessage);                                                     \
  }
} // namespace

TEST(BigIntClass, AgreesWithInt128) {
  RandomInts random;
  for (int i = 0; i < 20000; ++i) {
    Wide x = random.wide(), y = random.wide();
    BigInt a = fromWide(x), b = fromWide(y);
    Wide sum, product;
    if (!__builtin_add_overflow(x, y, &sum)) {
      ASSERT_EQ(a + b, fromWide(sum)) << a << " " << b;
    }
    if (!__builtin_sub_overflow(x, y, &sum)) {
      ASSERT_EQ(a - b, fromWide(sum)) << a << " " << b;
    }
    if (!__builtin_mul_overflow(x, y, &product)) {
      ASSERT_EQ(a * b, fromWide(product)) << a << " " << b;
    }
    if (y != 0 && y != -1) {
      ASSERT_EQ(a / b, fromWide(x / y)) << a << " " << b;
      ASSERT_EQ(a % b, fromWide(x % y)) << a << " " << b;
    }
    ASSERT_EQ(a & b, fromWide(x & y));
    ASSERT_EQ(a | b, fromWide(x | y));
    ASSERT_EQ(a ^ b, fromWide(x ^ y));
    ASSERT_EQ(~a, fromWide(~x));
    int shift = random.pick(127);
    ASSERT_EQ(a >> shift, fromWide(x >> shift));
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a <= b, x <= y);
    ASSERT_EQ(a == b, x == y);
    ASSERT_EQ(static_cast<double>(a), static_cast<double>(x)) << a;
  }
}

TEST(BigIntClass, KeepsTheIdentitiesOfArithmetic) {
  RandomInts random;
  for (int i = 0; i < 4000; ++i) {
    BigInt a = random.next(12), b = random.next(8), c = random.next(4);
    ASSERT_EQ((a + b) - b, a);
    ASSERT_EQ((a + b) * c, a * c + b * c);
    ASSERT_EQ((a - b) * (a + b), a * a - b * b);
    ASSERT_EQ((a & b) + (a | b), a + b);
    ASSERT_EQ((a ^ b) + ((a & b) << 1), a + b);
    ASSERT_EQ(-a, ~a + 1);
    ASSERT_EQ(parse(textOf(a)), a);
    int shift = random.pick(300);
    ASSERT_EQ(a << shift >> shift, a);
    ASSERT_EQ(a >> shift, floordiv(a, BigInt(1) << shift));
    if (!b)
      continue;
    BigInt q = a / b, r = a % b;
    ASSERT_EQ(q * b + r, a) << a << " " << b;
    ASSERT_LT(r < 0 ? -r : r, b < 0 ? -b : b) << a << " " << b;
    ASSERT_TRUE(!r || (r < 0) == (a < 0)) << a << " " << b;
    q = floordiv(a, b), r = floormod(a, b);
    ASSERT_EQ(q * b + r, a) << a << " " << b;
    ASSERT_LT(r < 0 ? -r : r, b < 0 ? -b : b) << a << " " << b;
    ASSERT_TRUE(!r || (r < 0) == (b < 0)) << a << " " << b;
  }
}

TEST(BigIntClass, LongDivisionCorrectsItsGuess) {
  // The guess of the quotient's digit is one too many here, after the test of the second digit.
  BigInt a = parse("170141183420855150474555134919112130560"); // 0x7fffffff80000000 << 64
  BigInt b = parse("39614081257132168796771975168");           // 2^95
  EXPECT_EQ(a / b * b + a % b, a);
  BigInt u = (BigInt(0x7fff) << 112) | (BigInt(0x8000) << 96);
  BigInt v = (BigInt(0x8000) << 64) | BigInt(1);
  EXPECT_EQ(u / v * v + u % v, u);
  BigInt top = (BigInt(0x80000000u) << 96) | (BigInt(0xfffffffeu) << 32);
  BigInt divisor = (BigInt(0x80000000u) << 64) | BigInt(0xffffffffu);
  EXPECT_EQ(top / divisor, BigInt(0xffffffffu));
  EXPECT_EQ(top / divisor * divisor + top % divisor, top);
}

TEST(BigIntClass, RangeOfInt64IsInPlace) {
  EXPECT_EQ(Any(BigInt(5)).type_index(), kTVMFFIInt);
  EXPECT_EQ(Any(BigInt(INT64_MAX)).type_index(), kTVMFFIInt);
  BigInt above = BigInt(INT64_MAX) + 1;
  EXPECT_EQ(Any(above).type_index(), kTVMFFIBigInt);
  EXPECT_EQ(above, BigInt(uint64_t(1) << 63));
  EXPECT_EQ(Any(above - 1).type_index(), kTVMFFIInt);
  EXPECT_EQ(BigInt(INT64_MIN) / -1, above);
  EXPECT_EQ(BigInt(INT64_MIN) % -1, 0);
  EXPECT_EQ(-above, BigInt(INT64_MIN));
  EXPECT_EQ(textOf(BigInt(UINT64_MAX)), "18446744073709551615");
  BigInt moved(std::move(above));
  EXPECT_EQ(above, 0); // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(textOf(moved), "9223372036854775808");
  EXPECT_FALSE(BigInt());
  EXPECT_EQ(++moved, (BigInt(1) << 63) + 1);
  EXPECT_EQ(moved--, (BigInt(1) << 63) + 1);
  EXPECT_EQ(moved, BigInt(1) << 63);
}

TEST(BigIntClass, Errors) {
  BigInt big = BigInt(1) << 100, huge = BigInt(1) << 1024;
  EXPECT_ERROR(static_cast<int64_t>(big), "OverflowError", "BigInt does not fit int64_t");
  EXPECT_ERROR(static_cast<double>(huge), "OverflowError", "BigInt does not fit finite double");
  EXPECT_ERROR(static_cast<double>(-huge), "OverflowError", "BigInt does not fit finite double");
  EXPECT_ERROR(BigInt(std::nan("")), "ValueError", "Cannot convert NaN to BigInt");
  EXPECT_ERROR(BigInt(-INFINITY), "OverflowError", "Cannot convert infinity to BigInt");
  EXPECT_ERROR(big / 0, "ZeroDivisionError", "Division by zero");
  EXPECT_ERROR(big % 0, "ZeroDivisionError", "Division by zero");
  EXPECT_ERROR(floordiv(big, 0), "ZeroDivisionError", "Division by zero");
  EXPECT_ERROR(floormod(big, 0), "ZeroDivisionError", "Division by zero");
  EXPECT_ERROR(big << -1, "ValueError", "Negative BigInt shift count");
  EXPECT_ERROR(big >> -big, "ValueError", "Negative BigInt shift count");
  EXPECT_ERROR(big << big, "OverflowError", "BigInt shift count is too large");
  EXPECT_ERROR(big << INT64_MAX, "OverflowError", "BigInt shift count is too large");
  EXPECT_EQ(BigInt(0) << big, 0);
  EXPECT_EQ(big >> big, 0);
  EXPECT_EQ(-big >> big, -1);
  EXPECT_EQ(-big >> 1000, -1);
}

TEST(BigIntClass, RoundsToTheNearestDouble) {
  EXPECT_EQ(BigInt(-1.9), -1);
  EXPECT_EQ(textOf(BigInt(1e30)), "1000000000000000019884624838656");
  EXPECT_EQ(BigInt(-0x1p63), BigInt(INT64_MIN));
  EXPECT_EQ(BigInt(0x1p63), BigInt(1) << 63);
  BigInt half = (BigInt(1) << 70) + (BigInt(1) << 17);
  EXPECT_EQ(static_cast<double>(half), 0x1p70);
  EXPECT_EQ(static_cast<double>(half + 1), 0x1p70 + 0x1p18);
  EXPECT_EQ(static_cast<double>(half + (BigInt(1) << 18)), 0x1p70 + 0x1p19);
  EXPECT_EQ(static_cast<double>((half << 200) + 1), std::ldexp(0x1p70 + 0x1p18, 200));
  BigInt limit = (BigInt(1) << 1024) - (BigInt(1) << 970);
  EXPECT_EQ(static_cast<double>(limit - 1), std::numeric_limits<double>::max());
  EXPECT_THROW((void)static_cast<double>(limit), Error);
  EXPECT_EQ(BigInt(std::numeric_limits<double>::max()), (BigInt(1) << 1024) - (BigInt(1) << 971));
  std::mt19937_64 bits(7);
  for (int i = 0; i < 2000; ++i) {
    double value = std::ldexp(static_cast<double>(static_cast<int64_t>(bits())),
                              static_cast<int>(bits() % 900));
    ASSERT_EQ(static_cast<double>(BigInt(value)), value);
  }
}

TEST(BigIntClass, ComparesWithFloatsExactly) {
  BigInt big = BigInt(1) << 63;
  EXPECT_TRUE(big == 0x1p63 && big + 1 > 0x1p63 && big - 1 < 0x1p63);
  EXPECT_TRUE(BigInt(5) < 5.5 && BigInt(5) != 5.5 && 5.5 > BigInt(5) && BigInt(-5) > -5.5);
  EXPECT_TRUE((big << 2000) < INFINITY && -(big << 2000) > -INFINITY);
  EXPECT_FALSE(big < NAN || big > NAN || big == NAN || NAN <= big);
  EXPECT_TRUE(big != NAN);
  EXPECT_EQ(BigInt(5) + 1.5, 6);
}

TEST(BigIntClass, ReadsAndWritesText) {
  EXPECT_EQ(parse(" +0010"), 10);
  EXPECT_EQ(parse("-0"), 0);
  EXPECT_EQ(parse("-340282366920938463463374607431768211456"), -(BigInt(1) << 128));
  EXPECT_EQ(textOf(BigInt(1000000000) * 1000000000 * 1000000000), "1000000000000000000000000000");
  for (std::string bad : {"abc", "-", "", "+-1"}) {
    std::istringstream is(bad);
    BigInt value(42);
    EXPECT_TRUE((is >> value).fail()) << bad;
    EXPECT_EQ(value, 42);
  }
  std::istringstream rest("12x");
  BigInt value;
  EXPECT_FALSE((rest >> value).fail());
  EXPECT_EQ(rest.get(), 'x');
  std::ostringstream wide;
  wide.width(6);
  wide.fill('*');
  wide << std::hex << BigInt(-17);
  EXPECT_EQ(wide.str(), "***-17");
}

TEST(BigIntClass, HashesAndIsAKey) {
  BigInt big = BigInt(1) << 63;
  EXPECT_EQ(std::hash<BigInt>()(BigInt(5)), std::hash<int64_t>()(5));
  EXPECT_EQ(std::hash<BigInt>()(big), 1894u); // as the peer has it
  std::unordered_set<BigInt> set{big, BigInt(1), (BigInt(1) << 64) >> 1};
  EXPECT_EQ(set.size(), 2u);
  Map<BigInt, String> map{{big, "large"}, {1, "small"}};
  for (int i = 2; i < 20; ++i)
    map.Set(big + i, "more");
  EXPECT_EQ(map.at((BigInt(1) << 64) - big), "large");
  EXPECT_EQ(map.at(big + 7), "more");
  EXPECT_EQ(map.count(big + 40), 0u);
}

TEST(BigIntClass, CrossesTheAbi) {
  BigInt big = BigInt(1) << 63;
  auto same = Function::FromTyped([](BigInt x) { return x; });
  EXPECT_EQ(same(true).type_index(), kTVMFFIInt);
  EXPECT_EQ(same(big).cast<BigInt>(), big);
  EXPECT_EQ(same(-3).cast<int>(), -3);
  EXPECT_ERROR(same(1.5), "TypeError",
               "Mismatched type on argument #0 when calling: `(0: BigInt) -> BigInt`. Expected "
               "`BigInt` but got `float`");
  auto narrow = Function::FromTyped([](Array<int> x) { return x.size(); });
  EXPECT_ERROR(narrow(Array<Any>{1, big}), "TypeError",
               "Mismatched type on argument #0 when calling: `(0: Array<int>) -> int`. Expected "
               "`Array<int>` but got `Array[index 1: ffi.BigInt]`");
  EXPECT_FALSE(Any(true).as<BigInt>().has_value());
  EXPECT_TRUE(Any(true).try_cast<BigInt>().has_value());
  EXPECT_TRUE(Any(big).as<ObjectRef>().has_value());
  EXPECT_EQ((Array<BigInt>{5, big})[1], big);
  EXPECT_EQ(sizeof(Optional<BigInt>), 16u);
  EXPECT_EQ(TypeTraits<BigInt>::TypeSchema(), R"({"type":"ffi.BigInt"})");
}
