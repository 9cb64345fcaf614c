/// The algebra of layouts some of whose integers are known only when a program runs, against the
/// static one: the reference vectors, and random layouts.
#include <algorithm>

#include <gtest/gtest.h>

#include "Evaluating.h"
#include "RandomLayouts.h"
#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {
namespace layout_dynamic_test {
namespace {

Layout make(const IntTuple &shape, const IntTuple &stride) { return *Layout::make(shape, stride); }

class DynamicLayouts : public testing::Test {
protected:
  Int hidden(int64_t value, int64_t divisibility = 1) { return program.hide(value, divisibility); }
  Evaluating program;
};

TEST_F(DynamicLayouts, StridesOfNoKnownValue) {
  Layout a = make(tuple(6, 2), tuple(hidden(40), 2)), b = make(tuple(4, 3), tuple(3, 1));
  auto result = composition(a, b, program);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->str(), "((2,2),3):((?{i64 div=3},2),?{i64})");
  EXPECT_EQ(program.known(*result).str(), "((2,2),3):((120,2),40)");
}

TEST_F(DynamicLayouts, NothingKnown) {
  Layout a = make(tuple(10, 2), tuple(16, 4)), b = make(tuple(5, 4), tuple(1, 5));
  auto result = composition(program.hideAll(a), program.hideAll(b), program);
  ASSERT_TRUE(result);
  EXPECT_EQ(program.known(*result).str(), "((5,1),(2,2)):((16,4),(80,4))");
  EXPECT_TRUE(program.holds());
}

TEST_F(DynamicLayouts, ModeByMode) {
  Layout a = make(tuple(12, tuple(4, 8)), tuple(59, tuple(13, 1)));
  Tiler tiler(std::vector<Tiler>{Tiler(make(3, 1)), Tiler(make(8, 1))});
  auto result = composition(program.hideAll(a), tiler, program);
  ASSERT_TRUE(result);
  EXPECT_EQ(program.known(*result).str(), "(3,(4,2)):(59,(13,1))");
}

TEST_F(DynamicLayouts, KnownMultiplesKeepTheStaticForm) {
  // Tiles of 8 of a mode of 24 elements, known to be a multiple of 8.
  Layout a = make(tuple(hidden(24, 8), hidden(5)), tuple(hidden(100), hidden(1)));
  auto tile = composition(a, Tiler(make(8, 1)), program);
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->shape().str(), "8");
  // A stride that is a known multiple of a mode passes over it.
  auto over = composition(make(tuple(4, hidden(9)), tuple(1, 50)), make(3, hidden(12, 4)), program);
  ASSERT_TRUE(over);
  EXPECT_EQ(program.known(*over).str(), "3:150");
  EXPECT_EQ(over->shape().str(), "3");
}

TEST_F(DynamicLayouts, WhatDoesNotDivideIsToldWhenTheProgramRuns) {
  Layout a = make(tuple(4, 3), tuple(3, 1));
  auto composed = [&](const Layout &inner) {
    program.forget();
    return composition(program.hideAll(a), inner, program).has_value() && program.holds();
  };
  EXPECT_TRUE(composed(make(8, 1)));
  EXPECT_TRUE(composed(make(3, 1))) << "stays inside";
  EXPECT_FALSE(composed(make(3, 3))) << "a stride that does not divide the mode";
  EXPECT_FALSE(composed(make(6, 1))) << "six elements are no whole number of modes";
  EXPECT_FALSE(composed(make(tuple(3, 3), tuple(1, 1)))) << "2 + 2 is in another mode";
  EXPECT_FALSE(composition(a, make(hidden(2), 6), program)) << "known before";
}

TEST_F(DynamicLayouts, ComplementsOfOneModeAndOfKnownStrides) {
  auto filled = [&](const Layout &layout) {
    auto rest = complement(layout, 24, program);
    return rest ? program.known(*rest).str() : "none";
  };
  EXPECT_EQ(filled(make(hidden(4), 1)), "6:4");
  EXPECT_EQ(filled(make(hidden(4), hidden(2))), "(2,3):(1,8)");
  EXPECT_EQ(filled(make(tuple(hidden(2), 2), tuple(1, 6))), "(3,2):(2,12)");
  EXPECT_TRUE(program.holds());
  filled(make(tuple(hidden(4), 2), tuple(1, 6)));
  EXPECT_FALSE(program.holds()) << "4 does not divide 6";
}

/// True where result(c) == a(b(c)) wherever b(c) is below the size of `a`.
bool isComposition(const Layout &a, const Layout &b, const Layout &result) {
  std::vector<int64_t> outer = indices(a), inner = indices(b), composed = indices(result);
  bool right = composed.size() == inner.size();
  for (size_t i = 0; right && i < inner.size(); ++i)
    right = inner[i] >= static_cast<int64_t>(outer.size()) || composed[i] == outer[inner[i]];
  return right;
}

bool anyOne(const Layout &layout) {
  std::vector<Int> leaves = layout.shape().leaves();
  return std::any_of(leaves.begin(), leaves.end(), [](const Int &leaf) { return leaf.is(1); });
}

TEST(LayoutDynamicRandom, Compositions) {
  Random random(21);
  int composed = 0, refused = 0, sure = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout a = random.layout(l % 2), b = random.layout(l % 2);
    Evaluating program;
    Layout hiddenA = program.hideSome(a, random), hiddenB = program.hideSome(b, random);
    auto expected = composition(a, b), result = composition(hiddenA, hiddenB, program);
    std::string what = a.str() + " o " + b.str() + ", traced as " + hiddenA.str() + " o " +
                       hiddenB.str() + (result ? " = " + result->str() : "");
    // An extent of 1 is not known to move no further; modes that make one are not known to.
    std::vector<int64_t> inner = indices(b);
    if (expected && !anyOne(b) && rank(coalesce(hiddenA, program)) == rank(coalesce(a)) &&
        *std::max_element(inner.begin(), inner.end()) < size(a).value()) {
      ++sure;
      EXPECT_TRUE(result && program.holds()) << what;
    }
    if (!result || !program.holds()) {
      ++refused;
      continue;
    }
    ++composed;
    EXPECT_TRUE(weaklyCongruent(b.shape(), result->shape())) << what;
    EXPECT_TRUE(isComposition(a, b, program.known(*result)))
        << what << ", as the program runs " << program.known(*result).str();
  }
  EXPECT_GT(composed, kLayouts / 8);
  EXPECT_GT(refused, kLayouts / 100);
  EXPECT_GT(sure, kLayouts / 50);
}

TEST(LayoutDynamicRandom, DivisionsKeepTheElements) {
  Random random(22);
  int found = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout layout = random.layout(true);
    int64_t tile = int64_t{2} << random.below(4);
    Tiler tiler(make(tile, int64_t{1} << random.below(3)));
    auto expected = logicalDivide(layout, tiler);
    if (!expected || size(*expected).value() != size(layout).value())
      continue;
    Evaluating program;
    Layout hidden = program.hideSome(layout, random);
    Tiler hiddenTiler(program.hideSome(tiler.layout(), random));
    auto result = logicalDivide(hidden, hiddenTiler, program);
    std::string what = layout.str() + " by " + tiler.layout().str() + ", traced as " +
                       hidden.str() + " by " + hiddenTiler.layout().str();
    if (!result) {
      // The strides of layouts with several modes have to be known.
      ADD_FAILURE() << what;
      continue;
    }
    ++found;
    EXPECT_TRUE(program.holds()) << what;
    Layout known = program.known(*result);
    std::string got = what + " = " + known.str();
    EXPECT_EQ(indices(known), indices(*expected)) << got;
    EXPECT_EQ(size(known.shape()[0]).value(), tile) << got;
    auto zipped = zippedDivide(hidden, hiddenTiler, program);
    ASSERT_TRUE(zipped) << what;
    EXPECT_EQ(indices(program.known(*zipped)), indices(*expected)) << got;
  }
  EXPECT_GT(found, kLayouts / 10);
}

TEST(LayoutDynamicRandom, ProductsRepeat) {
  Random random(23);
  int found = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout block = random.layout(true), tiler(random.smallShape(true));
    auto expected = logicalProduct(block, tiler);
    if (!expected)
      continue;
    Evaluating program;
    Layout hiddenBlock = program.hideSome(block, random, /*strides=*/false),
           hiddenTiler = program.hideSome(tiler, random);
    auto result = logicalProduct(hiddenBlock, hiddenTiler, program);
    std::string what = block.str() + " times " + tiler.str() + ", traced as " + hiddenBlock.str() +
                       " times " + hiddenTiler.str();
    // Extents of 1 that only the program knows seem to reach beyond other modes.
    EXPECT_TRUE((result && program.holds()) || anyOne(block) || anyOne(tiler)) << what;
    if (!result || !program.holds())
      continue;
    ++found;
    EXPECT_EQ(indices(program.known(*result)), indices(*expected))
        << what << " = " << program.known(*result).str();
  }
  EXPECT_GT(found, kLayouts / 10);
}

TEST(LayoutDynamicRandom, CoalesceFilterAndFlattenKeepTheFunction) {
  Random random(24);
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout layout = random.layout(l % 2);
    Evaluating program;
    Layout hidden = program.hideSome(layout, random);
    std::string what = layout.str() + ", traced as " + hidden.str();
    EXPECT_EQ(indices(program.known(coalesce(hidden, program))), indices(layout)) << what;
    EXPECT_EQ(indices(program.known(flatten(hidden))), indices(layout)) << what;
    EXPECT_EQ(program.known(cosize(hidden, program)), cosize(layout).value()) << what;
    EXPECT_EQ(program.known(size(hidden, program)), size(layout).value()) << what;
    IntTuple profile = layout.shape().isLeaf()
                           ? IntTuple(1)
                           : IntTuple(std::vector<IntTuple>(layout.shape().modes().size(), 1));
    auto byMode = coalesce(hidden, profile, program);
    ASSERT_TRUE(byMode) << what;
    EXPECT_EQ(indices(program.known(*byMode)), indices(layout)) << what;
    int64_t place = random.below(size(layout).value());
    auto index =
        crd2idx(hidden.shape().isLeaf() ? Int(place) : program.hide(place), hidden, program);
    ASSERT_TRUE(index) << what;
    EXPECT_EQ(program.known(*index), indices(layout)[place]) << what << " at " << place;
  }
}

/// Nothing is divided by 0 (Evaluating checks that), and the result is as empty.
TEST(LayoutDynamicRandom, EmptyLayouts) {
  Random random(25);
  for (int l = 0; l < kLayouts / 4 && !testing::Test::HasFailure(); ++l) {
    Layout layout = random.layout(l % 2);
    std::vector<Int> extents = layout.shape().leaves();
    Evaluating program;
    for (Int &extent : extents)
      extent = program.hide(random.below(3) ? extent.value() : 0);
    size_t empty = random.below(extents.size());
    extents[empty] = program.hide(0);
    Layout hidden = make(unflatten(extents, layout.shape()), layout.stride());
    Layout inner = random.layout(l % 2);
    for (const Layout &b : {inner, program.hideAll(inner)}) {
      composition(hidden, b, program);
      EXPECT_TRUE(program.holds()) << hidden.str() << " o " << inner.str();
    }
    // An empty inner layout.
    if (auto result = composition(program.hideAll(inner), hidden, program)) {
      EXPECT_EQ(size(program.known(*result)).value(), 0) << inner.str() << " o " << layout.str();
    }
    program.forget();
    if (auto tiles = zippedDivide(hidden, Tiler(make(4, 1)), program)) {
      EXPECT_EQ(size(program.known(*tiles)).value(), 0) << layout.str();
    }
  }
}

} // namespace
} // namespace layout_dynamic_test
} // namespace fairlead::layout
