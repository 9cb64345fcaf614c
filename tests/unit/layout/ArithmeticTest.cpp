#include <random>

#include <gtest/gtest.h>

#include "fairlead/layout/Int.h"

namespace fairlead::layout {
namespace {

const char kNames[4] = {};
const Int n = Int::dynamic(&kNames[0]), m = Int::dynamic(&kNames[1], 32, 4),
          wide = Int::dynamic(&kNames[2], 64, 6);

/// Records the emitted operations, and names each result anew.
class Recorder : public Arithmetic {
public:
  mutable std::string log;

protected:
  const void *emit(Op op, const Int &a, const Int &b, int width) const override {
    log += a.str() + " " + "+*/%<>"[static_cast<int>(op)] + " " + b.str() + " i" +
           std::to_string(width) + "; ";
    return &log[0] + log.size();
  }
};

TEST(Int, Prints) {
  EXPECT_EQ(Int(-3).str(), "-3");
  EXPECT_EQ(n.str(), "?");
  EXPECT_EQ(m.str(), "?{div=4}");
  EXPECT_EQ(Int::dynamic(nullptr, 64).str(), "?{i64}");
  EXPECT_EQ(wide.str(), "?{i64 div=6}");
}

TEST(Int, EqualsOnlyWhatIsKnownToBeEqual) {
  EXPECT_EQ(Int(4), Int(4));
  EXPECT_NE(Int(4), Int(5));
  EXPECT_EQ(n, n);
  EXPECT_NE(n, m);
  EXPECT_NE(Int::dynamic(nullptr), Int::dynamic(nullptr));
  EXPECT_NE(Int(1), n);
}

TEST(Int, WidthAndFactorsOfStaticIntegers) {
  EXPECT_EQ(Int(int64_t{1} << 31).width(), 64);
  EXPECT_EQ(Int(INT32_MIN).width(), 32);
  EXPECT_EQ(Int(-12).divisibility(), 12);
  EXPECT_EQ(Int(0).divisibility(), 0);
}

TEST(Arithmetic, StaticOperandsFold) {
  Recorder r;
  EXPECT_EQ(r.add(2, 3), Int(5));
  EXPECT_EQ(r.mul(-2, 3), Int(-6));
  EXPECT_EQ(r.floorDiv(-7, 2), Int(-4));
  EXPECT_EQ(r.mod(-7, 2), Int(1));
  EXPECT_EQ(r.add(n, 0), n);
  EXPECT_EQ(r.add(0, n), n);
  EXPECT_EQ(r.mul(n, 1), n);
  EXPECT_EQ(r.mul(1, n), n);
  EXPECT_EQ(r.mul(n, 0), Int(0));
  EXPECT_EQ(r.floorDiv(n, 1), n);
  EXPECT_EQ(r.floorDiv(n, n), Int(1));
  EXPECT_EQ(r.floorDiv(0, n), Int(0));
  EXPECT_EQ(r.mod(n, 1), Int(0));
  EXPECT_EQ(r.mod(n, n), Int(0));
  EXPECT_EQ(r.mod(m, 2), Int(0));
  EXPECT_EQ(r.log, "");
}

TEST(Arithmetic, NothingIsDividedByZero) {
  Arithmetic r;
  for (const Int &number : {Int(7), Int(0), n}) {
    EXPECT_EQ(r.floorDiv(number, 0), Int(0));
    EXPECT_EQ(r.mod(number, 0), Int(0));
  }
}

TEST(Arithmetic, LeastAndGreatest) {
  Arithmetic r;
  EXPECT_EQ(r.min(3, -2), Int(-2));
  EXPECT_EQ(r.max(3, -2), Int(3));
  EXPECT_EQ(r.min(n, n), n);
  EXPECT_EQ(r.max(Int::dynamic(nullptr, 64, 12), 8).str(), "?{i64 div=4}");
}

TEST(Arithmetic, EmitsTheRest) {
  Recorder r;
  Int product = r.mul(m, 3), sum = r.add(product, wide);
  EXPECT_EQ(product.str(), "?{div=12}");
  EXPECT_EQ(sum.str(), "?{i64 div=6}");
  EXPECT_EQ(r.floorDiv(m, 2).str(), "?{div=2}");
  EXPECT_EQ(r.floorDiv(m, 8).str(), "?");
  EXPECT_EQ(r.mod(m, 6).str(), "?{div=2}");
  EXPECT_EQ(r.log, "?{div=4} * 3 i32; ?{div=12} + ?{i64 div=6} i64; ?{div=4} / 2 i32; ?{div=4} / 8 "
                   "i32; ?{div=4} % 6 i32; ");
}

TEST(Arithmetic, FactorsThatLeave64BitsStayFactors) {
  Int big = Int::dynamic(nullptr, 64, int64_t{1} << 40);
  EXPECT_EQ(Arithmetic().mul(big, big).divisibility(), int64_t{1} << 40);
}

/// Known factors of a result divide it, for any values of dynamic operands.
TEST(Arithmetic, FactorsAreTrue) {
  std::mt19937_64 random(1);
  Arithmetic arithmetic;
  for (int i = 0; i < 20000; ++i) {
    int64_t da = 1 + random() % 12, db = 1 + random() % 12;
    int64_t a = da * static_cast<int64_t>(random() % 9),
            b = db * static_cast<int64_t>(1 + random() % 9);
    Int x = random() % 3 ? Int::dynamic(nullptr, 32, da) : Int(a),
        y = random() % 3 ? Int::dynamic(nullptr, 32, db) : Int(b);
    auto expect = [&](const Int &result, int64_t value) {
      if (result.isStatic()) {
        ASSERT_EQ(result.value(), value) << a << " " << b;
        return;
      }
      ASSERT_EQ(value % result.divisibility(), 0) << a << " " << b << " " << result.str();
    };
    expect(arithmetic.add(x, y), a + b);
    expect(arithmetic.mul(x, y), a * b);
    expect(arithmetic.floorDiv(x, y), a / b);
    expect(arithmetic.mod(x, y), a % b);
  }
}

} // namespace
} // namespace fairlead::layout
