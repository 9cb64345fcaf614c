#include <limits>

#include "Tracing.h"

namespace fairlead::dsl {
namespace {

Scalar typed(DType type) { return constant(type, int64_t{1}); }

TEST(Scalar, LiteralsAdoptTheOtherType) {
  Tracing tracing(
      {FakeScalar{DType::Float16}, FakeScalar{DType::Int64}, FakeScalar{DType::Boolean}});
  EXPECT_EQ(promote(tracing.scalar(0), 1), DType::Float16);
  EXPECT_EQ(promote(2.5, tracing.scalar(0)), DType::Float16);
  EXPECT_EQ(promote(tracing.scalar(1), 1), DType::Int64);
  EXPECT_EQ(promote(tracing.scalar(1), 0.5), DType::Float32);
  EXPECT_EQ(promote(tracing.scalar(2), true), DType::Boolean);
  EXPECT_EQ(promote(tracing.scalar(2), 3), DType::Int32);
}

TEST(Scalar, TypedPromotion) {
  Tracing tracing;
  EXPECT_EQ(promote(typed(DType::Int8), typed(DType::Int32)), DType::Int32);
  EXPECT_EQ(promote(typed(DType::Int32), typed(DType::Uint32)), DType::Uint32);
  EXPECT_EQ(promote(typed(DType::Int64), typed(DType::Float16)), DType::Float16);
  EXPECT_EQ(promote(typed(DType::Float16), typed(DType::BFloat16)), DType::Float32);
  EXPECT_EQ(promote(typed(DType::Float32), typed(DType::Float64)), DType::Float64);
}

TEST(Scalar, LiteralOutsideInt32IsInt64) {
  EXPECT_EQ(Scalar(int64_t{1} << 40).dtype(), DType::Int64);
  EXPECT_EQ(Scalar(7).dtype(), DType::Int32);
  EXPECT_EQ(Scalar(true).dtype(), DType::Boolean);
  EXPECT_EQ(Scalar(0.5).dtype(), DType::Float32);
}

/// The error for a literal that a type does not hold.
std::string rejected(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing";
}

TEST(Scalar, LiteralsKeepTheirBits) {
  Tracing tracing({FakeScalar{DType::Int32}, FakeScalar{DType::Uint8}, FakeScalar{DType::Int64}});
  Scalar i = tracing.scalar(0), u = tracing.scalar(1);
  EXPECT_EQ(cast(Scalar(-1), DType::Uint8).staticInt(), 255);
  EXPECT_EQ(cast(Scalar(int64_t{0xffffffff}), DType::Int32).staticInt(), -1);
  EXPECT_EQ(cast(Scalar(256), DType::Boolean).staticInt(), 1);
  EXPECT_EQ((i & int64_t{0xffffffff}).dtype(), DType::Int32);
  EXPECT_EQ((u ^ -1).dtype(), DType::Uint8);
  EXPECT_EQ((i == int64_t{0xffffffff}).dtype(), DType::Boolean);
  EXPECT_EQ((tracing.scalar(2) < std::numeric_limits<int64_t>::max()).dtype(), DType::Boolean);
}

TEST(Scalar, LiteralsBeyondTheirType) {
  Tracing tracing({FakeScalar{DType::Int32}, FakeScalar{DType::Uint8}});
  Scalar i = tracing.scalar(0), u = tracing.scalar(1);
  auto expectRejected = [](const std::function<void()> &body, const char *type, const char *got) {
    EXPECT_EQ(rejected(body), std::string("Invalid value written in a program, expected an integer "
                                          "in the range of ") +
                                  type + ", but got " + got);
  };
  expectRejected([&] { i + (int64_t{1} << 40); }, "Int32", "1099511627776");
  expectRejected([&] { u + 256; }, "Uint8", "256");
  expectRejected([&] { u - Scalar(-129); }, "Uint8", "-129");
  expectRejected([&] { cast(Scalar(300), DType::Int8); }, "Int8", "300");
  // If the size counts, the sign has to fit too.
  expectRejected([&] { u < -1; }, "Uint8", "-1");
  expectRejected([&] { i < int64_t{0x80000000}; }, "Int32", "2147483648");
  expectRejected([&] { max(i, int64_t{0x80000000}); }, "Int32", "2147483648");
  expectRejected([&] { binary(BinaryOp::FloorDiv, u, -2); }, "Uint8", "-2");
}

TEST(Scalar, ConstantsFold) {
  Tracing tracing;
  auto fold = [](BinaryOp op, int64_t a, int64_t b) {
    return binary(op, constant(DType::Int32, a), constant(DType::Int32, b)).staticInt();
  };
  EXPECT_EQ(fold(BinaryOp::Add, 2, 3), 5);
  EXPECT_EQ(fold(BinaryOp::FloorDiv, -7, 2), -4);
  EXPECT_EQ(fold(BinaryOp::TruncDiv, -7, 2), -3);
  EXPECT_EQ(fold(BinaryOp::Mod, -7, 2), 1);
  EXPECT_EQ(fold(BinaryOp::Mod, 7, -2), -1);
  EXPECT_EQ(fold(BinaryOp::Rem, -7, 2), -1);
  EXPECT_EQ(fold(BinaryOp::Pow, 3, 4), 81);
  EXPECT_EQ(fold(BinaryOp::Min, -3, 4), -3);
  EXPECT_EQ(fold(BinaryOp::Shr, -8, 1), -4);
}

TEST(Scalar, CeilDivOfLiterals) {
  EXPECT_EQ(ceilDiv(10, 4).staticInt(), 3);
  EXPECT_EQ(ceilDiv(8, 4).staticInt(), 2);
  EXPECT_EQ(ceilDiv(0, 4).staticInt(), 0);
  EXPECT_EQ(ceilDiv(-7, 4).staticInt(), -1);
}

TEST(Scalar, DivisibilityFollowsArithmetic) {
  Tracing tracing({fakeTensor(DType::Float32, {SymInt::multipleOf(16)})});
  Scalar n = tracing.tensor(0).shape(0);
  EXPECT_EQ(n.divisibility(), 16);
  EXPECT_EQ((n * 4).divisibility(), 64);
  EXPECT_EQ((n + 8).divisibility(), 8);
  EXPECT_EQ((n + 1).divisibility(), 1);
  EXPECT_EQ(cast(n, DType::Int64).divisibility(), 16);
  EXPECT_EQ(cast(n, DType::Int8).divisibility(), 1);
  // The magnitude of the least number is none of 64 bits.
  Scalar least = constant(DType::Int64, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(least.divisibility(), int64_t(1) << 62);
  EXPECT_EQ((cast(n, DType::Int64) + least).divisibility(), 16);
}

TEST(Scalar, ComparisonsAreBoolean) {
  Tracing tracing({FakeScalar{DType::Float32}});
  EXPECT_EQ((tracing.scalar(0) < 1).dtype(), DType::Boolean);
  EXPECT_EQ(((tracing.scalar(0) < 1) & (tracing.scalar(0) > 0)).dtype(), DType::Boolean);
}

TEST(Scalar, RejectsOperands) {
  Tracing tracing({FakeScalar{DType::Float32}});
  EXPECT_EQ(errorOf([&] { tracing.scalar(0) & 1; }),
            "TypeError: unsupported operands for &: Float32 and int");
  EXPECT_EQ(errorOf([&] { ~tracing.scalar(0); }), "TypeError: unsupported operand for ~: Float32");
}

TEST(Scalar, NeedsATracedProgram) {
  EXPECT_EQ(errorOf([] { constant(DType::Int32, int64_t{1}); }),
            "RuntimeError: a constant needs a program being traced: call it in a function "
            "decorated with @jit or @kernel");
}

} // namespace
} // namespace fairlead::dsl
