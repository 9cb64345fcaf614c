#include <set>

#include <gtest/gtest.h>

#include "fairlead/layout/Recast.h"
#include "fairlead/layout/Text.h"

namespace fairlead::layout {
namespace {

Layout parse(const char *text) { return *parseLayout(text); }

int64_t at(const ComposedLayout &layout, const IntTuple &coordinate) {
  return layout(coordinate)->leaf().value();
}

TEST(Swizzle, XorsTheBitsAbove) {
  Swizzle swizzle{3, 4, 3};
  EXPECT_EQ(swizzle(0x0AB0), Int(0x0AE0));
  EXPECT_EQ(swizzle.str(), "S<3,4,3>");
  Swizzle down{2, 1, -3};
  for (int64_t number = 0; number < 512; ++number) {
    EXPECT_EQ(swizzle(number), Int(number ^ (((number >> 7) & 7) << 4)));
    EXPECT_EQ(swizzle(swizzle(number)), Int(number));
    EXPECT_EQ(down(number), Int(number ^ (((number >> 1) & 3) << 4)));
  }
  EXPECT_EQ(Swizzle()(77), Int(77));
}

TEST(Swizzle, KeepsTheFactorsBelowItsBase) {
  const char name = 0;
  Arithmetic arithmetic;
  Swizzle swizzle{3, 4, 3};
  EXPECT_EQ(swizzle(Int::dynamic(&name, 64, 8), arithmetic).divisibility(), 8);
  EXPECT_EQ(swizzle(Int::dynamic(&name, 64, 128), arithmetic).divisibility(), 16);
  EXPECT_EQ(swizzle(Int::dynamic(&name, 64, 3), arithmetic).divisibility(), 1);
}

TEST(ComposedLayout, OffsetBetweenTwoFunctions) {
  ComposedLayout composed(Swizzle{2, 0, 3}, 5, parse("(8,8):(8,1)"));
  EXPECT_EQ(composed.str(), "S<2,0,3> o 5 o (8,8):(8,1)");
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(Int(at(composed, tuple(i, j))), (Swizzle{2, 0, 3})(5 + 8 * i + j));
  EXPECT_EQ(at(ComposedLayout(parse("(8,8):(8,1)")), tuple(3, 4)), 28);
  EXPECT_TRUE(ComposedLayout(parse("8:1")).isLayout());
  EXPECT_FALSE(composed.isLayout());
}

TEST(ComposedLayout, SlicesMoveTheOffset) {
  ComposedLayout composed(Swizzle{2, 1, 3}, 0, parse("(16,32):(32,1)"));
  auto row = composed.slice(Coordinate({Coordinate(Int(5)), Coordinate()}));
  ASSERT_TRUE(row);
  for (int64_t j = 0; j < 32; ++j)
    EXPECT_EQ(at(*row, j), at(composed, tuple(5, j)));
  EXPECT_FALSE(composed.slice(Coordinate({Coordinate(Int(5)), Coordinate(), Coordinate()})));
}

TEST(ComposedLayout, Nested) {
  ComposedLayout inner(Swizzle{1, 0, 2}, 3, parse("(4,8):(8,1)"));
  ComposedLayout both = ComposedLayout::make(Swizzle{2, 0, 3}, 8, inner);
  EXPECT_EQ(both.str(), "S<2,0,3> o 8 o S<1,0,2> o 3 o (4,8):(8,1)");
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(Int(at(both, i)), (Swizzle{2, 0, 3})(8 + at(inner, i)));
}

TEST(ComposedLayout, SpansAllThatItYields) {
  for (Swizzle swizzle : {Swizzle{2, 0, 3}, Swizzle{3, 1, 3}, Swizzle{2, 0, -3}}) {
    ComposedLayout composed(swizzle, 3, parse("(5,7):(7,1)"));
    int64_t span = composed.span().value();
    for (int64_t i = 0; i < 35; ++i)
      EXPECT_LT(at(composed, i), span) << composed.str();
  }
  EXPECT_EQ(ComposedLayout(parse("(5,7):(8,1)")).span(), Int(39));
}

TEST(Text, LayoutsAreReadAsTheyPrint) {
  for (const char *text :
       {"8:1", "(4,8):(8,1)", "((4,8),(2,2)):((32,1),(16,8))", "(1,(2,-3)):(0,(5,7))"})
    EXPECT_EQ(parse(text).str(), text);
  for (const char *text : {"", "8", "8:", "(4,8):8", "(4,8:(8,1)", "(4,8):(8,1))", "a:1"})
    EXPECT_FALSE(parseLayout(text)) << text;
}

TEST(Coordinate, WhereALayoutYieldsAnIndex) {
  Layout layout = parse("(2,4):(4,1)");
  EXPECT_EQ(hierarchicalCoordinate(5, layout).str(), "(1,1)");
  Layout threads = parse("((4,8),2):((1,4),32)");
  for (int64_t thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(*crd2idx(hierarchicalCoordinate(thread, threads), threads), Int(thread));
    EXPECT_EQ(*crd2idx(flatCoordinate(thread, threads), threads), Int(thread));
  }
  EXPECT_EQ(flatCoordinate(37, threads).str(), "(5,1)");
  // Modes that do not move are at 0, and numbers beyond the layout begin again.
  EXPECT_EQ(flatCoordinate(70, parse("(4,3,8):(1,0,4)")).str(), "(2,0,1)");
}

TEST(Arithmetic, WideSumsAndProductsOfNarrowNumbers) {
  const char name = 0;
  Int narrow = Int::dynamic(&name);
  Arithmetic wide(64);
  EXPECT_EQ(wide.add(narrow, 1).width(), 64);
  EXPECT_EQ(wide.mul(narrow, 4).str(), "?{i64 div=4}");
  EXPECT_EQ(wide.mod(narrow, 4).width(), 32);
  EXPECT_EQ(wide.floorDiv(narrow, 4).width(), 32);
  EXPECT_EQ(Arithmetic().add(narrow, 1).width(), 32);
}

TEST(Arithmetic, Bits) {
  const char name = 0;
  Arithmetic r;
  Int n = Int::dynamic(&name, 32, 12);
  EXPECT_EQ(r.bitAnd(0b1100, 0b1010), Int(0b1000));
  EXPECT_EQ(r.bitXor(0b1100, 0b1010), Int(0b0110));
  EXPECT_EQ(r.shiftLeft(3, 4), Int(48));
  EXPECT_EQ(r.shiftRight(48, 4), Int(3));
  EXPECT_EQ(r.bitAnd(n, 0), Int(0));
  EXPECT_EQ(r.bitXor(n, 0), n);
  EXPECT_EQ(r.bitAnd(n, 48).divisibility(), 16);
  EXPECT_EQ(r.bitXor(n, 2).divisibility(), 2);
  EXPECT_EQ(r.shiftLeft(n, 1).divisibility(), 24);
  EXPECT_EQ(r.shiftRight(n, 1).divisibility(), 2);
}

TEST(ComposedLayout, ElementsOfAnotherSizeStayWhereTheyAre) {
  const ComposedLayout halves(Swizzle{2, 3, 3}, 0, parse("(64,4):(1,64)"));
  const auto bytes = recast(halves, 8, 16), words = recast(halves, 32, 16);
  ASSERT_TRUE(bytes && words);
  EXPECT_EQ(bytes->str(), "S<2,4,3> o 0 o (128,4):(1,128)");
  EXPECT_EQ(words->str(), "S<2,2,3> o 0 o (32,4):(1,32)");
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 4; ++column) {
      const int64_t half = at(halves, tuple(row, column));
      EXPECT_EQ(at(*bytes, tuple(2 * row + 1, column)), 2 * half + 1);
      EXPECT_EQ(at(*words, tuple(row / 2, column)), half / 2);
    }
  // Swizzles that move elements within new ones, or by no power of two.
  EXPECT_FALSE(recast(ComposedLayout(Swizzle{2, 0, 3}, 0, parse("(64,4):(1,64)")), 32, 16));
  EXPECT_FALSE(recast(ComposedLayout(Swizzle{2, 3, 3}, 0, parse("(48,4):(1,48)")), 24, 8));
}

/// Checks a layout of 16-bit elements as one of bytes and as one of words: the elements of a pair
/// stay side by side.
void expectSameMemory(const ComposedLayout &halves, const std::string &asBytes,
                      const std::string &asWords) {
  const auto bytes = recast(halves, 8, 16), words = recast(halves, 32, 16);
  ASSERT_TRUE(bytes && words) << halves.str();
  EXPECT_EQ(bytes->str(), asBytes);
  EXPECT_EQ(words->str(), asWords);
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 2; ++column) {
      const int64_t half = at(halves, tuple(row, column));
      for (int64_t byte : {0, 1})
        EXPECT_EQ(at(*bytes, tuple(2 * row + byte, column)), 2 * half + byte);
      EXPECT_EQ(at(*words, tuple(row / 2, column)), half / 2);
    }
}

TEST(ComposedLayout, OffsetsAndInnerLayoutsAreCountedInNewElements) {
  const Layout outer = parse("(16,2):(1,16)");
  expectSameMemory(ComposedLayout(Swizzle{2, 3, 3}, 64, outer), "S<2,4,3> o 128 o (32,2):(1,32)",
                   "S<2,2,3> o 32 o (8,2):(1,8)");
  expectSameMemory(ComposedLayout(parse("(16,4):(1,32)"), 16, outer),
                   "(32,4):(1,64) o 32 o (32,2):(1,32)", "(8,4):(1,16) o 8 o (8,2):(1,8)");
  // Offsets within a new element, and inner layouts whose neighbours are apart in memory.
  EXPECT_FALSE(recast(ComposedLayout(Swizzle{2, 3, 3}, 3, outer), 32, 16));
  EXPECT_TRUE(recast(ComposedLayout(Swizzle{2, 3, 3}, 3, outer), 8, 16));
  for (const char *inner : {"(4,16):(16,1)", "64:2", "(8,8):(2,16)"})
    for (int bits : {8, 32})
      EXPECT_FALSE(recast(ComposedLayout(parse(inner), 0, outer), bits, 16)) << inner << bits;
  EXPECT_FALSE(recast(ComposedLayout(parse("(3,24):(1,4)"), 0, outer), 32, 16));
}

} // namespace
} // namespace fairlead::layout
