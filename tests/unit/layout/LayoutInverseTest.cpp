/// Complements, inverses, products and thread-value layouts where strides are known only when the
/// program runs, against counting.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "Evaluating.h"
#include "RandomLayouts.h"
#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {
namespace layout_inverse_test {
namespace {

Layout make(const IntTuple &shape, const IntTuple &stride) { return *Layout::make(shape, stride); }

bool oneToOne(const Layout &layout) {
  std::vector<int64_t> own = indices(layout);
  return std::set<int64_t>(own.begin(), own.end()).size() == own.size();
}
bool anyZero(const Layout &layout) {
  std::vector<Int> strides = layout.stride().leaves();
  return std::any_of(strides.begin(), strides.end(), [](const Int &leaf) { return leaf.is(0); });
}
/// A mode of one element that the program computes is not known to overlap nothing.
bool anyOne(const Layout &layout) {
  std::vector<Int> leaves = layout.shape().leaves();
  return std::any_of(leaves.begin(), leaves.end(), [](const Int &leaf) { return leaf.is(1); });
}

class RunTimeOrder : public testing::Test {
protected:
  Int hidden(int64_t value) { return program.hide(value); }
  std::string filled(const Layout &layout, int64_t target) {
    auto rest = complement(layout, target, program);
    return rest ? program.known(*rest).str() : "none";
  }
  Evaluating program;
};

TEST_F(RunTimeOrder, ComplementsOfCompactLayoutsKeepTheirForm) {
  Int m = hidden(4), n = hidden(6);
  // By rows: the stride of the rows is the extent of the columns.
  Layout rows = make(tuple(m, n), tuple(n, 1));
  auto rest = complement(rows, 48, program);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->shape().str(), "?{i64}");
  EXPECT_EQ(program.known(*rest).str(), "2:24");
  // Three modes, in an order of their own: the last is known to be last.
  auto mixed = Layout::ordered(tuple(m, n, hidden(2)), tuple(1, 0, 2), program);
  ASSERT_TRUE(mixed);
  EXPECT_EQ(filled(*mixed, 96), "2:48");
}

TEST_F(RunTimeOrder, ComplementsSortWhatIsNotKnown) {
  EXPECT_EQ(filled(make(tuple(2, 2), tuple(hidden(1), 6)), 24), "(1,3,2):(1,2,12)");
  EXPECT_EQ(filled(make(tuple(2, 2), tuple(hidden(6), hidden(1))), 24), "(1,3,2):(1,2,12)");
  EXPECT_EQ(filled(make(tuple(2, 2, 2), tuple(hidden(32), hidden(2), hidden(8))), 128),
            "(2,2,2,2):(1,4,16,64)");
  EXPECT_TRUE(program.holds());
  // A mode of one element lies nowhere.
  EXPECT_EQ(filled(make(tuple(hidden(1), 4), tuple(hidden(7), hidden(1))), 24), "(1,1,6):(1,1,4)");
  EXPECT_TRUE(program.holds());
  filled(make(tuple(hidden(4), 2), tuple(hidden(1), hidden(6))), 24);
  EXPECT_FALSE(program.holds()) << "4 does not divide 6";
  EXPECT_EQ(filled(make(tuple(2, hidden(2)), tuple(-1, hidden(6))), 24), "none");
}

TEST_F(RunTimeOrder, RightInversesGoOnAsFarAsIsKnown) {
  Int m = hidden(4), n = hidden(6), k = hidden(3);
  auto inverse = [&](const Layout &layout) {
    auto found = rightInverse(layout, program);
    return found ? program.known(*found).str() : "none";
  };
  EXPECT_EQ(inverse(make(tuple(m, n), tuple(n, 1))), "(6,4):(4,1)");
  EXPECT_EQ(inverse(*Layout::ordered(tuple(m, n, k), tuple(2, 0, 1), program)), "(18,4):(4,1)");
  EXPECT_EQ(inverse(make(tuple(8, m), tuple(1, hidden(8)))), "8:1") << "8 is not known to follow";
  EXPECT_EQ(inverse(make(tuple(8, m), tuple(hidden(1), 8))), "1:0");
}

TEST_F(RunTimeOrder, ThreadsByRows) {
  Int m = hidden(4), n = hidden(32);
  Layout threads = make(tuple(m, n), tuple(n, 1)), values = make(tuple(4, 8), tuple(8, 1));
  auto made = threadValues(threads, values, program);
  ASSERT_TRUE(made);
  auto expected = threadValues(make(tuple(4, 32), tuple(32, 1)), values);
  EXPECT_EQ(program.known(Layout(made->tile)).shape(), expected->tile);
  EXPECT_EQ(indices(program.known(made->elements)), indices(expected->elements));
  EXPECT_TRUE(made->elements.shape()[1].isStatic()) << made->elements.str();
  EXPECT_TRUE(program.holds());
  EXPECT_FALSE(threadValues(make(tuple(4, 8), tuple(hidden(8), hidden(1))), values, program))
      << "not known to be one-to-one";
}

TEST_F(RunTimeOrder, ProductsOfALoneModeKeepAllOfIt) {
  // The repetitions fill the gaps of the block, and go on behind it: two leaves of one mode.
  Layout block = make(4, 2), tiler(4);
  EXPECT_EQ(rakedProduct(block, tiler)->str(), "((2,2,4)):((1,8,2))");
  EXPECT_EQ(blockedProduct(block, tiler)->str(), "((4,(2,2))):((2,(1,8)))");
  auto raked = rakedProduct(make(4, hidden(2)), tiler, program);
  ASSERT_TRUE(raked);
  EXPECT_EQ(program.known(*raked).str(), "((2,2,4)):((1,8,2))");
}

TEST(RunTimeOrderRandom, ComplementsFillUp) {
  Random random(41);
  int found = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout layout = random.layout(l % 2 == 0);
    int64_t target = cosize(layout).value() * (1 + random.below(3));
    auto expected = complement(layout, target);
    if (!expected || !oneToOne(layout) || anyZero(layout))
      continue;
    Evaluating program;
    Layout hidden = program.hideSome(layout, random);
    auto rest = complement(hidden, program.hide(target), program);
    std::string what = layout.str() + ", traced as " + hidden.str();
    EXPECT_TRUE((rest && program.holds()) || anyOne(layout)) << what;
    if (!rest || !program.holds())
      continue;
    ++found;
    Layout known = program.known(*rest);
    std::set<int64_t> sums;
    for (int64_t a : indices(layout))
      for (int64_t b : indices(known))
        EXPECT_TRUE(sums.insert(a + b).second) << what << " and " << known.str();
    for (int64_t i = 0; i < target; ++i)
      EXPECT_TRUE(sums.count(i)) << i << " for " << what << " and " << known.str();
  }
  EXPECT_GT(found, kLayouts / 8);
}

TEST(RunTimeOrderRandom, InversesUndo) {
  Random random(42);
  int left = 0, longest = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout layout = random.layout(l % 2 == 0);
    Evaluating program;
    Layout hidden = program.hideSome(layout, random);
    std::string what = layout.str() + ", traced as " + hidden.str();
    std::vector<int64_t> forward = indices(layout);
    auto right = rightInverse(hidden, program);
    ASSERT_TRUE(right) << what;
    std::vector<int64_t> back = indices(program.known(*right));
    longest += back.size() > 1 && back.size() == indices(*rightInverse(layout)).size();
    for (size_t i = 0; i < back.size(); ++i)
      EXPECT_EQ(forward.at(back[i]), static_cast<int64_t>(i)) << what << " by " << right->str();
    auto inverse = anyZero(layout) ? std::nullopt : leftInverse(hidden, program);
    if (!inverse || !program.holds() || !oneToOne(layout))
      continue;
    ++left;
    Layout known = program.known(*inverse);
    for (size_t c = 0; c < forward.size(); ++c)
      EXPECT_EQ(*crd2idx(Int(forward[c]), known), Int(static_cast<int64_t>(c)))
          << what << " by " << known.str();
  }
  EXPECT_GT(left, kLayouts / 8);
  EXPECT_GT(longest, kLayouts / 50);
}

TEST(RunTimeOrderRandom, ProductsRepeatBlocksOfAnyStrides) {
  Random random(43);
  int found = 0;
  for (int l = 0; l < kLayouts && !testing::Test::HasFailure(); ++l) {
    Layout block = random.layout(true), tiler(random.smallShape(true));
    auto expected = logicalProduct(block, tiler);
    if (!expected || anyOne(block) || anyZero(block) || !oneToOne(block))
      continue;
    Evaluating program;
    Layout hiddenBlock = program.hideSome(block, random),
           hiddenTiler = program.hideSome(tiler, random);
    auto result = logicalProduct(hiddenBlock, hiddenTiler, program);
    std::string what = block.str() + " times " + tiler.str() + ", traced as " + hiddenBlock.str() +
                       " times " + hiddenTiler.str();
    EXPECT_TRUE((result && program.holds()) || anyOne(tiler)) << what;
    if (!result || !program.holds())
      continue;
    ++found;
    EXPECT_EQ(indices(program.known(*result)), indices(*expected))
        << what << " = " << program.known(*result).str();
    auto raked = rakedProduct(hiddenBlock, hiddenTiler, program),
         known = rakedProduct(block, tiler);
    if (raked && program.holds() && known) {
      EXPECT_EQ(indices(program.known(*raked)), indices(*known)) << what;
    }
  }
  EXPECT_GT(found, kLayouts / 20);
}

TEST(RunTimeOrderRandom, ThreadsReachEveryElementOnce) {
  Random random(44);
  int found = 0;
  for (int l = 0; l < kLayouts / 4 && !testing::Test::HasFailure(); ++l) {
    Evaluating program;
    // Compact, of hidden extents: what goes on where the last mode ends is known.
    auto layout = [&] {
      IntTuple shape = tuple(program.hide(2 + random.below(3)), program.hide(2 + random.below(3)));
      return *Layout::ordered(shape, random.below(2) ? tuple(0, 1) : tuple(1, 0), program);
    };
    Layout threads = layout(), values = layout();
    auto made = threadValues(threads, values, program);
    std::string what = program.known(threads).str() + " and " + program.known(values).str();
    if (!made)
      continue;
    ++found;
    auto expected = threadValues(program.known(threads), program.known(values));
    EXPECT_EQ(indices(program.known(made->elements)), indices(expected->elements)) << what;
    EXPECT_EQ(program.known(Layout(made->tile)).shape(), expected->tile) << what;
    EXPECT_TRUE(program.holds()) << what;
  }
  EXPECT_GT(found, kLayouts / 32);
}

} // namespace
} // namespace layout_inverse_test
} // namespace fairlead::layout
