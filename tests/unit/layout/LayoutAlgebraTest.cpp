/// Coalesce and composition on known cases.
#include <gtest/gtest.h>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {
namespace layout_algebra_test {
namespace {

const char kNames[3] = {};
const Int n = Int::dynamic(&kNames[0]), m = Int::dynamic(&kNames[1]), k = Int::dynamic(&kNames[2]);

Layout make(const IntTuple &shape, const IntTuple &stride) { return *Layout::make(shape, stride); }

std::string composed(const Layout &a, const Layout &b) {
  auto result = composition(a, b);
  return result ? result->str() : "none";
}

TEST(Coalesce, Static) {
  EXPECT_EQ(coalesce(make(tuple(2, tuple(1, 6)), tuple(1, tuple(6, 2)))).str(), "12:1");
  EXPECT_EQ(coalesce(make(tuple(tuple(2, tuple(3, 4)), tuple(3, 2), 1),
                          tuple(tuple(4, tuple(8, 24)), tuple(2, 6), 12)))
                .str(),
            "(24,6):(4,2)");
  EXPECT_EQ(coalesce(make(tuple(1, 1), tuple(3, 4))).str(), "1:0");
  EXPECT_EQ(coalesce(make(tuple(3, 4), tuple(0, 0))).str(), "12:0");
  EXPECT_EQ(coalesce(make(tuple(3, 4), tuple(4, 1))).str(), "(3,4):(4,1)");
}

TEST(Coalesce, Dynamic) {
  EXPECT_EQ(coalesce(make(tuple(2, tuple(1, 6)), tuple(1, tuple(n, 2)))).str(), "12:1");
  EXPECT_EQ(coalesce(make(tuple(n, m), tuple(1, n))).str(), "?:1");
  EXPECT_EQ(coalesce(make(tuple(n, m), tuple(1, m))).str(), "(?,?):(1,?)");
  EXPECT_EQ(coalesce(make(tuple(n, m), tuple(k, 1))).str(), "(?,?):(?,1)");
}

TEST(Coalesce, ByMode) {
  Layout layout = make(tuple(2, tuple(1, 6)), tuple(1, tuple(6, 2)));
  EXPECT_EQ(coalesce(layout, tuple(1, 1))->str(), "(2,6):(1,2)");
  // Modes beyond the profile's stay as they are, and a single extent is one mode.
  EXPECT_EQ(coalesce(layout, tuple(1))->str(), layout.str());
  Layout nested = make(tuple(tuple(2, 3), tuple(4, 5)), tuple(tuple(1, 2), tuple(6, 24)));
  EXPECT_EQ(coalesce(nested, tuple(1))->str(), "(6,(4,5)):(1,(6,24))");
  EXPECT_EQ(coalesce(make(tuple(2, 3), tuple(1, 2)), tuple(1, tuple(1)))->str(), "(2,(3)):(1,(2))");
  EXPECT_FALSE(coalesce(layout, tuple(tuple(1, 1), 1)));
  EXPECT_EQ(coalesce(layout, IntTuple(1))->str(), "12:1");
  EXPECT_EQ(coalesce(layout, tuple(1, tuple(1, 1)))->str(), "(2,(1,6)):(1,(0,2))");
  EXPECT_FALSE(coalesce(layout, tuple(1, 1, 1)));
}

TEST(Composition, Static) {
  EXPECT_EQ(composed(make(tuple(10, 2), tuple(16, 4)), make(tuple(5, 4), tuple(1, 5))),
            "(5,(2,2)):(16,(80,4))");
  EXPECT_EQ(composed(make(20, 2), make(tuple(5, 4), tuple(4, 1))), "(5,4):(8,2)");
  EXPECT_EQ(composed(make(tuple(4, 3), tuple(3, 1)), make(12, 1)), "(4,3):(3,1)");
  EXPECT_EQ(
      composed(make(tuple(4, 3), tuple(3, 1)), make(tuple(2, tuple(2, 3)), tuple(2, tuple(1, 4)))),
      "(2,(2,3)):(6,(3,1))");
}

TEST(Composition, DynamicStridesOfTheOuterLayout) {
  EXPECT_EQ(composed(make(tuple(6, 2), tuple(n, 2)), make(tuple(4, 3), tuple(3, 1))),
            "((2,2),3):((?{div=3},2),?)");
}

TEST(Composition, ModesThatDoNotMove) {
  Layout a = make(tuple(4, 3), tuple(3, 1));
  EXPECT_EQ(composed(a, make(tuple(5, 2), tuple(0, 4))), "(5,2):(0,1)");
  EXPECT_EQ(composed(a, make(1, 0)), "1:0");
  EXPECT_EQ(composed(a, make(1, 7)), "1:2") << "its stride counts where the mode goes on";
  EXPECT_EQ(composed(a, make(0, 1)), "0:0");
}

TEST(Composition, TheLastModeGoesOnEvenWithExtent1) {
  EXPECT_EQ(composed(make(tuple(4, 1), tuple(1, 100)), make(8, 1)), "(4,2):(1,100)");
  EXPECT_EQ(composed(make(tuple(4, 1), tuple(1, 4)), make(8, 1)), "8:1");
  EXPECT_EQ(composed(make(1, 7), make(tuple(2, 3), tuple(3, 1))), "(2,3):(21,7)");
  EXPECT_EQ(composed(make(tuple(4, tuple(1, 1)), tuple(1, tuple(100, 9))),
                     make(tuple(2, 4), tuple(4, 1))),
            "(2,4):(9,1)");
}

TEST(Composition, WithinAModeNeedsNoDivisibility) {
  EXPECT_EQ(composed(make(tuple(8, 3), tuple(3, 1)), make(3, 3)), "3:9");
}

TEST(Composition, WithoutResult) {
  Layout a = make(tuple(4, 3), tuple(3, 1));
  EXPECT_EQ(composed(a, make(3, 3)), "none") << "a stride that does not divide the mode";
  EXPECT_EQ(composed(a, make(6, 1)), "none") << "six elements are no whole number of modes";
  EXPECT_EQ(composed(a, make(tuple(3, 3), tuple(1, 1))), "none") << "2 + 2 is in another mode";
  EXPECT_EQ(composed(a, make(n, 6)), "none") << "so, whatever the extent";
  EXPECT_EQ(composed(a, make(2, -1)), "none");
  EXPECT_EQ(composed(make(tuple(4, 0), tuple(3, 1)), make(2, 1)), "none");
}

} // namespace
} // namespace layout_algebra_test
} // namespace fairlead::layout
