/// Random static layouts against counting through their coordinates.
#include <algorithm>

#include <gtest/gtest.h>

#include "RandomLayouts.h"

namespace fairlead::layout {
namespace {

TEST(LayoutRandom, CoordinatesAndIndices) {
  Random random(1);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    Counter counter(layout);
    for (int64_t i = 0; i < size(layout).value(); ++i, counter.advance()) {
      IntTuple full = unflatten(counter.leaves(), layout.shape());
      ASSERT_EQ(idx2crd(i, layout.shape()), full) << layout.str() << " at " << i;
      ASSERT_EQ(crd2idx(i, layout), Int(counter.index())) << layout.str() << " at " << i;
      ASSERT_EQ(crd2idx(full, layout), Int(counter.index()))
          << layout.str() << " at " << full.str();
      if (layout.shape().isLeaf())
        continue;
      // A flat coordinate: each mode's own linear index.
      std::vector<IntTuple> flat;
      for (size_t mode = 0; mode < full.modes().size(); ++mode)
        flat.push_back(*crd2idx(full[mode], Layout(layout.shape()[mode])));
      ASSERT_EQ(crd2idx(IntTuple(flat), layout), Int(counter.index()))
          << layout.str() << " at " << IntTuple(flat).str();
    }
  }
}

TEST(LayoutRandom, CompactLayoutsHitEveryIndexOnce) {
  Random random(2);
  for (int l = 0; l < kLayouts; ++l) {
    IntTuple shape = random.smallShape();
    std::vector<Int> order;
    for (size_t i = 0; i < shape.leaves().size(); ++i)
      order.push_back(random.below(4));
    for (const Layout &layout : {Layout(shape), *Layout::make(shape, compactRowMajor(shape)),
                                 *Layout::ordered(shape, unflatten(order, shape))}) {
      std::vector<int64_t> found = indices(layout);
      std::sort(found.begin(), found.end());
      for (size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i], static_cast<int64_t>(i)) << layout.str();
    }
    ASSERT_EQ(indices(Layout(shape)).back(), size(shape).value() - 1);
  }
}

TEST(LayoutRandom, CoalesceKeepsTheFunction) {
  Random random(3);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(), result = coalesce(layout);
    ASSERT_EQ(indices(result), indices(layout)) << layout.str() << " became " << result.str();
    ASSERT_LE(depth(result), 1);
    std::vector<Int> extents = result.shape().leaves(), strides = result.stride().leaves();
    for (size_t i = 0; i < extents.size(); ++i) {
      ASSERT_TRUE(extents.size() == 1 || !extents[i].is(1)) << result.str();
      if (i) {
        ASSERT_NE(extents[i - 1].value() * strides[i - 1].value(), strides[i].value())
            << result.str();
      }
    }
    IntTuple profile = layout.shape().isLeaf()
                           ? IntTuple(1)
                           : IntTuple(std::vector<IntTuple>(layout.shape().modes().size(), 1));
    auto byMode = coalesce(layout, profile);
    ASSERT_TRUE(byMode);
    ASSERT_EQ(indices(*byMode), indices(layout)) << layout.str() << " became " << byMode->str();
    ASSERT_EQ(rank(*byMode), rank(layout));
  }
}

/// Checks that result(c) == a(b(c)) wherever that is defined, and returns at how many places.
int64_t checkComposition(const Layout &a, const Layout &b, const Layout &result) {
  EXPECT_TRUE(weaklyCongruent(b.shape(), result.shape())) << result.str() << " for " << b.str();
  std::vector<int64_t> outer = indices(a), inner = indices(b), composed = indices(result);
  EXPECT_EQ(composed.size(), inner.size());
  int64_t checked = 0;
  for (size_t i = 0; i < inner.size() && i < composed.size(); ++i)
    if (inner[i] < static_cast<int64_t>(outer.size())) {
      EXPECT_EQ(composed[i], outer[inner[i]])
          << a.str() << " o " << b.str() << " = " << result.str() << " at " << i;
      ++checked;
    }
  return checked;
}

TEST(LayoutRandom, CompositionIsTheComposedFunction) {
  Random random(4);
  int found = 0;
  int64_t checked = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout a = random.layout(), b = random.layout();
    if (auto result = composition(a, b)) {
      ++found;
      checked += checkComposition(a, b, *result);
    }
  }
  EXPECT_GT(found, kLayouts / 20);
  EXPECT_GT(checked, kLayouts);
}

/// A compact inner layout of powers of two divides into everything, and its modes never overlap.
TEST(LayoutRandom, CompactPowersOfTwoAlwaysCompose) {
  Random random(5);
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout a = random.layout(true);
    IntTuple shape = random.smallShape(true);
    std::vector<Int> order;
    for (size_t i = 0; i < shape.leaves().size(); ++i)
      order.push_back(random.below(4));
    Layout b = *Layout::ordered(shape, unflatten(order, shape));
    auto result = composition(a, b);
    ASSERT_TRUE(result) << a.str() << " o " << b.str();
    checkComposition(a, b, *result);
  }
}

} // namespace
} // namespace fairlead::layout
