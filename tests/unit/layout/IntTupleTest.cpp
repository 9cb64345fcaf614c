#include <gtest/gtest.h>

#include "fairlead/layout/IntTuple.h"

namespace fairlead::layout {
namespace int_tuple_test {
namespace {

const char kName = 0;
const Int n = Int::dynamic(&kName, 32, 4);

TEST(IntTuple, Prints) {
  EXPECT_EQ(IntTuple(7).str(), "7");
  EXPECT_EQ(tuple(4, tuple(2, n)).str(), "(4,(2,?{div=4}))");
  EXPECT_EQ(tuple().str(), "()");
  EXPECT_EQ(tuple(3).str(), "(3)");
}

TEST(IntTuple, RankDepthSize) {
  IntTuple nested = tuple(4, tuple(2, tuple(3)));
  EXPECT_EQ(rank(nested), 2);
  EXPECT_EQ(depth(nested), 3);
  EXPECT_EQ(size(nested), Int(24));
  EXPECT_EQ(rank(IntTuple(5)), 1);
  EXPECT_EQ(depth(IntTuple(5)), 0);
  EXPECT_EQ(depth(tuple()), 1);
  EXPECT_EQ(size(tuple()), Int(1));
  EXPECT_EQ(size(tuple(n, 3)).str(), "?{div=12}");
  EXPECT_TRUE(nested.isStatic());
  EXPECT_FALSE(tuple(1, tuple(n)).isStatic());
}

TEST(IntTuple, Congruence) {
  EXPECT_TRUE(congruent(tuple(1, tuple(2, 3)), tuple(9, tuple(n, 7))));
  EXPECT_FALSE(congruent(tuple(1, tuple(2, 3)), tuple(1, 2)));
  EXPECT_FALSE(congruent(tuple(1), IntTuple(1)));
  EXPECT_FALSE(congruent(tuple(1, 2), tuple(1, 2, 3)));
  EXPECT_TRUE(weaklyCongruent(IntTuple(5), tuple(1, tuple(2, 3))));
  EXPECT_TRUE(weaklyCongruent(tuple(5, 6), tuple(1, tuple(2, 3))));
  EXPECT_FALSE(weaklyCongruent(tuple(1, tuple(2, 3)), tuple(5, 6)));
  EXPECT_FALSE(weaklyCongruent(tuple(5), tuple(1, tuple(2, 3))));
}

TEST(IntTuple, FlattenAndBack) {
  IntTuple nested = tuple(tuple(1, 2), 3, tuple(tuple(4), n));
  EXPECT_EQ(flatten(nested), tuple(1, 2, 3, 4, n));
  EXPECT_EQ(flatten(IntTuple(3)), IntTuple(3));
  EXPECT_EQ(unflatten(nested.leaves(), nested), nested);
  EXPECT_NE(nested, flatten(nested));
}

} // namespace
} // namespace int_tuple_test
} // namespace fairlead::layout
