/// Making layouts.
#include <gtest/gtest.h>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {
namespace layout_test {
namespace {

const char kNames[2] = {};
const Int n = Int::dynamic(&kNames[0]), m = Int::dynamic(&kNames[1], 64, 4);

TEST(Layout, Prints) {
  EXPECT_EQ(Layout::make(tuple(4, 8), tuple(8, 1))->str(), "(4,8):(8,1)");
  EXPECT_EQ(Layout::make(tuple(n, 2), tuple(1, n))->str(), "(?,2):(1,?)");
  EXPECT_EQ(Layout::make(m, n)->str(), "?{i64 div=4}:?");
}

TEST(Layout, CompactByDefault) {
  EXPECT_EQ(Layout(IntTuple(6)).str(), "6:1");
  EXPECT_EQ(Layout(tuple(2, tuple(3, 4), 5)).str(), "(2,(3,4),5):(1,(2,6),24)");
  EXPECT_EQ(compactRowMajor(tuple(2, tuple(3, 4), 5)), tuple(60, tuple(20, 5), 1));
}

TEST(Layout, CompactOfDynamicExtents) {
  EXPECT_EQ(Layout(tuple(n, 2, m)).str(), "(?,2,?{i64 div=4}):(1,?,?{div=2})");
  EXPECT_EQ(compactRowMajor(tuple(3, m, 2)).str(), "(?{i64 div=8},2,1)");
  EXPECT_EQ(compactColMajor(tuple(n, 2))[1].leaf(), n);
}

TEST(Layout, Ordered) {
  EXPECT_EQ(Layout::ordered(tuple(2, 3, 4), tuple(1, 2, 0))->str(), "(2,3,4):(4,8,1)");
  EXPECT_EQ(Layout::ordered(tuple(2, 3, 4), tuple(0, 0, 0))->stride(),
            compactColMajor(tuple(2, 3, 4)));
  EXPECT_EQ(Layout::ordered(tuple(2, 3, 4), tuple(7, 3, -1))->stride(),
            compactRowMajor(tuple(2, 3, 4)));
  EXPECT_EQ(Layout::ordered(tuple(tuple(2, 3), 4), tuple(1, 0))->str(), "((2,3),4):((4,8),1)");
  EXPECT_EQ(Layout::ordered(tuple(tuple(2, 3), 4), tuple(tuple(2, 0), 1))->str(),
            "((2,3),4):((12,1),3)");
  EXPECT_FALSE(Layout::ordered(tuple(2, 3), tuple(0, 1, 2)));
  EXPECT_FALSE(Layout::ordered(tuple(2, 3), tuple(tuple(0, 1), 2)));
  EXPECT_FALSE(Layout::ordered(tuple(2, 3), tuple(0, n)));
}

TEST(Layout, ShapeAndStrideAreCongruent) {
  EXPECT_FALSE(Layout::make(tuple(4, 8), IntTuple(1)));
  EXPECT_FALSE(Layout::make(tuple(4, tuple(2, 2)), tuple(1, 4)));
}

TEST(Layout, RankDepthSize) {
  Layout layout(tuple(2, tuple(3, 4)));
  EXPECT_EQ(rank(layout), 2);
  EXPECT_EQ(depth(layout), 2);
  EXPECT_EQ(size(layout), Int(24));
}

} // namespace
} // namespace layout_test
} // namespace fairlead::layout
