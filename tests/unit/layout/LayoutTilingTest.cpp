/// Slicing, division, products, complements and inverses: known cases, and random layouts against
/// counting.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "RandomLayouts.h"
#include "fairlead/layout/Algebra.h"
#include "fairlead/layout/Like.h"

namespace fairlead::layout {
namespace layout_tiling_test {
namespace {

const char kName = 0;
const Int n = Int::dynamic(&kName), n4 = Int::dynamic(&kName, 32, 4);

Layout make(const IntTuple &shape, const IntTuple &stride) { return *Layout::make(shape, stride); }
std::string str(const std::optional<Layout> &layout) { return layout ? layout->str() : "none"; }
Coordinate coordinate(std::vector<Coordinate> modes) { return Coordinate(std::move(modes)); }

TEST(LayoutTiling, Divides) {
  EXPECT_EQ(str(logicalDivide(make(tuple(4, 2, 3), tuple(2, 1, 8)), make(4, 2))),
            "((2,2),(2,3)):((4,1),(2,8))");
  Layout layout = make(tuple(9, tuple(4, 8)), tuple(59, tuple(13, 1)));
  Tiler tiler(std::vector<Tiler>{make(3, 3), make(tuple(2, 4), tuple(1, 8))});
  EXPECT_EQ(str(logicalDivide(layout, tiler)), "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(str(zippedDivide(layout, tiler)), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(str(tiledDivide(layout, tiler)), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
  EXPECT_EQ(str(flatDivide(layout, tiler)), "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))");
}

TEST(LayoutTiling, DividesRunTimeExtents) {
  Tiler tiler(std::vector<Tiler>{Layout(8), Tiler()});
  EXPECT_EQ(str(zippedDivide(make(tuple(n, 5), tuple(5, 1)), tiler)), "((8),(?,5)):((5),(40,1))");
  EXPECT_EQ(str(logicalDivide(make(n4, n), Layout(4))), "(4,?):(?,?{div=4})");
  // Rounded up.
  EXPECT_EQ(str(logicalDivide(Layout(10), Layout(4))), "(4,3):(1,4)");
}

TEST(LayoutTiling, Products) {
  EXPECT_EQ(str(logicalProduct(make(tuple(2, 2), tuple(4, 1)), Layout(6))),
            "((2,2),(2,3)):((4,1),(2,8))");
  Layout block = make(tuple(2, 5), tuple(5, 1)), tiler = make(tuple(3, 4), tuple(1, 3));
  EXPECT_EQ(str(blockedProduct(block, tiler)), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(str(rakedProduct(block, tiler)), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(str(zippedProduct(block, tiler)), "((2,5),(3,4)):((5,1),(10,30))");
  EXPECT_EQ(str(tiledProduct(block, tiler)), "((2,5),3,4):((5,1),10,30)");
  EXPECT_EQ(str(flatProduct(block, tiler)), "(2,5,3,4):(5,1,10,30)");
}

TEST(LayoutTiling, CompactModesOfOneElementDoNotMove) {
  EXPECT_EQ(Layout(tuple(1, 8)).str(), "(1,8):(0,1)");
  EXPECT_EQ(Layout(tuple(4, tuple(1, 2), 1)).str(), "(4,(1,2),1):(1,(0,4),0)");
  EXPECT_EQ(compactRowMajor(tuple(4, 1, 8)).str(), "(8,0,1)");
}

TEST(LayoutTiling, CompositionDropsModesBeyondTheTiler) {
  EXPECT_EQ(str(composition(Layout(tuple(4, 16, 4)), Tiler({Layout(2), Layout(2)}))),
            "(2,2):(1,4)");
}

TEST(LayoutTiling, RakedModesAreCoalesced) {
  EXPECT_EQ(str(rakedProduct(Layout(tuple(2, 2)), Layout(16))), "((16,2),2):((4,1),2)");
  EXPECT_EQ(str(rakedProduct(make(tuple(4, 1), tuple(1, 0)), Layout(tuple(2, tuple(8, 4))))),
            "((2,4),32):((4,1),8)");
}

TEST(LayoutLike, KeepsTheOrderOfStrides) {
  EXPECT_EQ(layoutLike(make(tuple(4, 3, 2), tuple(6, 2, 1))).str(), "(4,3,2):(6,2,1)");
  EXPECT_EQ(layoutLike(make(tuple(tuple(2, 2, 2), 4, 4), tuple(tuple(1, 512, 8), 2048, 16))).str(),
            "((2,2,2),4,4):((1,16,2),32,4)");
  EXPECT_EQ(layoutLike(make(tuple(4, 3, 2), tuple(0, 2, 1))).str(), "(4,3,2):(0,2,1)");
  EXPECT_EQ(layoutLike(make(tuple(1, 8), tuple(64, 16))).str(), "(1,8):(0,1)");
  EXPECT_EQ(layoutLike(make(tuple(4, 3, 2), tuple(n, 1, 12))).str(), "(4,3,2):(6,1,3)");
}

TEST(LayoutLike, FragmentsBeginWithTheirValues) {
  EXPECT_EQ(
      fragmentLayout(make(tuple(tuple(2, 2, 2), 4, 4), tuple(tuple(128, 8, 1024), 32, 2048))).str(),
      "((2,2,2),4,4):((1,2,4),8,32)");
  EXPECT_EQ(fragmentLayout(make(tuple(4, 3, 2), tuple(6, 2, 1))).str(), "(4,3,2):(1,8,4)");
  EXPECT_EQ(fragmentLayout(make(tuple(4, 3, 2), tuple(1, 0, 4))).str(), "(4,3,2):(1,4,12)");
  EXPECT_EQ(fragmentLayout(make(8, 4)).str(), "8:1");
}

TEST(LayoutLike, WhatTwoLayoutsShare) {
  EXPECT_EQ(str(maxCommonLayout(Layout(tuple(4, 8)), Layout(tuple(4, 8)))), "32:1");
  EXPECT_EQ(str(maxCommonLayout(Layout(tuple(4, 8)), make(tuple(4, 8), tuple(1, 16)))), "4:1");
  EXPECT_EQ(str(maxCommonLayout(Layout(tuple(4, 8)), make(tuple(4, 8), tuple(8, 1)))), "1:0");
  EXPECT_EQ(str(maxCommonLayout(Layout(tuple(8, 3)), Layout(96))), "24:1");
  EXPECT_EQ(maxCommonVector(Layout(tuple(4, 8)), make(tuple(4, 8), tuple(1, 16)))->value(), 4);
  EXPECT_EQ(maxCommonVector(Layout(tuple(4, 8)), make(tuple(4, 8), tuple(8, 1)))->value(), 1);
}

TEST(LayoutTiling, Complements) {
  EXPECT_EQ(str(complement(make(4, 1), 24)), "6:4");
  EXPECT_EQ(str(complement(make(6, 4), 24)), "4:1");
  EXPECT_EQ(str(complement(make(tuple(4, 6), tuple(1, 4)), 24)), "1:0");
  EXPECT_EQ(str(complement(make(4, 2), 24)), "(2,3):(1,8)");
  EXPECT_EQ(str(complement(make(tuple(2, 4), tuple(1, 6)), 24)), "3:2");
  EXPECT_EQ(str(complement(make(tuple(2, 2), tuple(1, 6)), 24)), "(3,2):(2,12)");
  EXPECT_EQ(str(complement(make(tuple(2, 2), tuple(n, 1)), 24)), "(?,?):(2,?{div=2})");
}

TEST(LayoutTiling, ChoosesModes) {
  Layout layout = make(tuple(2, tuple(3, 4), 5), tuple(1, tuple(2, 6), 24));
  EXPECT_EQ(str(get(layout, {1, 1})), "4:6");
  EXPECT_EQ(str(get(layout, {3})), "none");
  EXPECT_EQ(str(select(layout, {2, 0})), "(5,2):(24,1)");
  EXPECT_EQ(str(groupModes(layout, 1, 3)), "(2,((3,4),5)):(1,((2,6),24))");
  EXPECT_EQ(flatten(layout).str(), "(2,3,4,5):(1,2,6,24)");
  EXPECT_EQ(append(Layout(2), make(3, 7)).str(), "(2,3):(1,7)");
  EXPECT_EQ(prepend(Layout(2), make(3, 7)).str(), "(3,2):(7,1)");
  EXPECT_EQ(filter(make(tuple(2, 3, 4), tuple(1, 0, 2))).str(), "8:1");
  EXPECT_EQ(cosize(make(tuple(2, 3), tuple(10, 1))).str(), "13");
}

TEST(LayoutTiling, Slices) {
  Layout layout = make(tuple(2, tuple(3, 4), 5), tuple(1, tuple(2, 6), 24));
  Coordinate open;
  auto part = slice(layout, coordinate({Int(1), open, Int(3)}));
  ASSERT_TRUE(part);
  EXPECT_EQ(part->layout.str(), "((3,4)):((2,6))");
  EXPECT_EQ(part->offset, Int(73));
  part = slice(layout, coordinate({open, coordinate({Int(2), open}), Int(0)}));
  EXPECT_EQ(part->layout.str(), "(2,4):(1,6)");
  EXPECT_EQ(part->offset, Int(4));
  EXPECT_FALSE(slice(layout, coordinate({open, Int(0)})));
  // A mode for each open entry: a lone one is not unwrapped, and nested ones are not kept together.
  part = slice(layout, coordinate({Int(1), open, Int(0)}));
  EXPECT_EQ(part->layout.str(), "((3,4)):((2,6))");
  part = slice(layout, coordinate({Int(0), coordinate({open, open}), Int(0)}));
  EXPECT_EQ(part->layout.str(), "(3,4):(2,6)");
  part = slice(layout, coordinate({open, coordinate({open, open}), open}));
  EXPECT_EQ(part->layout.str(), "(2,3,4,5):(1,2,6,24)");
  EXPECT_EQ(str(dice(layout, coordinate({open, Int(0), open}))), "((3,4)):((2,6))");
  EXPECT_EQ(str(dice(layout, coordinate({Int(1), open, Int(3)}))), "(2,5):(1,24)");
}

TEST(LayoutTiling, InversesUndo) {
  Random random(6);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    auto right = rightInverse(layout);
    ASSERT_TRUE(right);
    std::vector<int64_t> forward = indices(layout), back = indices(*right);
    for (size_t i = 0; i < back.size(); ++i)
      ASSERT_EQ(forward.at(back[i]), static_cast<int64_t>(i)) << layout.str();
    if (auto left = leftInverse(layout)) {
      std::set<int64_t> distinct(forward.begin(), forward.end());
      for (size_t c = 0; c < forward.size() && distinct.size() == forward.size(); ++c)
        ASSERT_EQ(*crd2idx(Int(forward[c]), *left), Int(static_cast<int64_t>(c)))
            << layout.str() << " by " << left->str();
    }
  }
}

TEST(LayoutTiling, ComplementsFillUp) {
  Random random(7);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(l % 2 == 0);
    int64_t target = cosize(layout).value() * (1 + random.below(3));
    auto rest = complement(layout, target);
    std::vector<int64_t> own = indices(filter(layout));
    if (!rest || std::set<int64_t>(own.begin(), own.end()).size() != own.size())
      continue;
    ++found;
    // Every index is one of the layout plus one of its complement, in one way.
    std::set<int64_t> sums;
    for (int64_t a : own)
      for (int64_t b : indices(*rest))
        ASSERT_TRUE(sums.insert(a + b).second) << layout.str() << " and " << rest->str();
    for (int64_t i = 0; i < target; ++i)
      ASSERT_TRUE(sums.count(i)) << i << " for " << layout.str() << " and " << rest->str();
  }
  EXPECT_GT(found, kLayouts / 10);
}

TEST(LayoutTiling, DivisionKeepsTheElements) {
  Random random(8);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(true);
    int64_t tile = int64_t{1} << random.below(5);
    auto divided = logicalDivide(layout, Layout(tile));
    if (!divided || size(layout).value() % tile != 0)
      continue;
    ++found;
    std::vector<int64_t> before = indices(layout), after = indices(*divided);
    ASSERT_EQ(before, after) << layout.str() << " by " << tile << " is " << divided->str();
  }
  EXPECT_GT(found, kLayouts / 4);
}

TEST(LayoutTiling, SlicesAreTheLayout) {
  Random random(9);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    if (layout.shape().isLeaf())
      continue;
    // Some modes open, the others at a random place.
    std::vector<Coordinate> entries;
    std::vector<int64_t> fixed;
    for (const IntTuple &mode : layout.shape().modes()) {
      bool open = random.below(2) == 0;
      fixed.push_back(open ? -1 : random.below(size(mode).value()));
      entries.push_back(open ? Coordinate() : Coordinate(Int(fixed.back())));
    }
    auto part = slice(layout, Coordinate(entries));
    ASSERT_TRUE(part);
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < size(layout).value(); ++i) {
      IntTuple full = *idx2crd(i, layout.shape());
      bool inside = true;
      for (size_t mode = 0; mode < fixed.size(); ++mode)
        inside &= fixed[mode] < 0 ||
                  *crd2idx(full[mode], Layout(layout.shape()[mode])) == Int(fixed[mode]);
      if (inside)
        expected.push_back(crd2idx(i, layout)->value());
    }
    std::vector<int64_t> got = indices(part->layout);
    for (int64_t &index : got)
      index += part->offset.value();
    ASSERT_EQ(got, expected) << layout.str() << " sliced to " << part->layout.str();
  }
}

} // namespace
} // namespace layout_tiling_test
} // namespace fairlead::layout
