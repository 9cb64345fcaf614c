/// Layouts that yield coordinates, tiles divided among threads, elements of other sizes.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "RandomLayouts.h"
#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {
namespace layout_coordinates_test {
namespace {

const char kName = 0;
const Int n = Int::dynamic(&kName), n8 = Int::dynamic(&kName, 32, 8);

Layout make(const IntTuple &shape, const IntTuple &stride) { return *Layout::make(shape, stride); }
std::string str(const std::optional<Layout> &layout) { return layout ? layout->str() : "none"; }

TEST(LayoutIdentity, Prints) {
  EXPECT_EQ(identityLayout(tuple(4, 8)).str(), "(4,8):(1@0,1@1)");
  EXPECT_EQ(identityLayout(tuple(4, tuple(2, n))).str(), "(4,(2,?)):(1@0,(1@0@1,1@1@1))");
  EXPECT_EQ(identityLayout(7).str(), "7:1");
  EXPECT_EQ(Int::along({2}, n8).str(), "?{div=8}@2");
  EXPECT_EQ(Int::along({2}, 0), Int(0));
}

TEST(LayoutIdentity, StepsAreNoNumbers) {
  Arithmetic arithmetic;
  EXPECT_NE(Int::along({0}), Int(1));
  EXPECT_NE(Int::along({0}), Int::along({1}));
  EXPECT_EQ(arithmetic.mul(3, Int::along({1}, 2)), Int::along({1}, 6));
  EXPECT_EQ(arithmetic.mul(Int::along({1}, 2), 0), Int(0));
  EXPECT_EQ(Int::along({1, 0}).path(), (std::vector<int>{1, 0}));
  // Neighbours in different modes are not one mode; what goes on in the same one is.
  EXPECT_EQ(coalesce(identityLayout(tuple(4, 8))).str(), "(4,8):(1@0,1@1)");
  EXPECT_EQ(coalesce(make(tuple(4, 2), tuple(Int::along({1}), Int::along({1}, 4)))).str(), "8:1@1");
  EXPECT_EQ(str(complement(identityLayout(tuple(4, 8)), 64)), "none");
  EXPECT_EQ(str(rightInverse(identityLayout(tuple(4, 8)))), "none");
  EXPECT_EQ(str(composition(Layout(8), identityLayout(tuple(4, 2)))), "none");
}

TEST(LayoutIdentity, TilesBeyondTheEdge) {
  Tiler tiler(std::vector<Tiler>{Layout(4), Layout(8)});
  auto divided = zippedDivide(identityLayout(tuple(10, 20)), tiler);
  EXPECT_EQ(str(divided), "((4,8),(3,3)):((1@0,1@1),(4@0,8@1))");
  EXPECT_EQ(coordinateAt(tuple(tuple(3, 7), tuple(2, 2)), *divided, tuple(0, 0)), tuple(11, 23));
  EXPECT_EQ(coordinateAt(tuple(0, tuple(1, 0)), *divided, tuple(100, 7)), tuple(104, 7));
  EXPECT_EQ(coordinateAt(tuple(0, tuple(1, 0)), *divided, 0), std::nullopt);
  // Plain strides move the first number.
  EXPECT_EQ(coordinateAt(tuple(1, 2), *Layout::make(tuple(2, 3), tuple(8, 1)), tuple(100, 7)),
            tuple(110, 7));
  EXPECT_EQ(str(zippedDivide(identityLayout(tuple(n, 20)), tiler)),
            "((4,8),(?,3)):((1@0,1@1),(4@0,8@1))");
}

/// Each element of a divided identity layout is where the same element of a divided index layout
/// is.
TEST(LayoutIdentity, RandomTiles) {
  Random random(21);
  int divided = 0;
  for (int l = 0; l < kLayouts; ++l) {
    IntTuple shape = random.smallShape();
    Int total = size(shape);
    Tiler tiler(Layout(random.below(static_cast<int>(total.value())) + 1));
    auto numbers = logicalDivide(Layout(shape), tiler),
         places = logicalDivide(identityLayout(shape), tiler);
    // Tiles that end inside a mode cannot go on in another mode's steps.
    if (!numbers || !places)
      continue;
    ++divided;
    IntTuple origin = *idx2crd(0, shape);
    for (int64_t i = 0; i < size(*numbers).value(); ++i) {
      int64_t index = crd2idx(i, *numbers)->value();
      auto place = coordinateAt(i, *places, origin);
      ASSERT_TRUE(place.has_value());
      ASSERT_EQ(crd2idx(*place, Layout(shape)), Int(index)) << places->str() << " at " << i;
    }
  }
  EXPECT_GT(divided, kLayouts / 10);
}

TEST(ThreadValues, KnownCases) {
  auto made = threadValues(make(tuple(4, 32), tuple(32, 1)), make(tuple(4, 8), tuple(8, 1)));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->tile, tuple(16, 256));
  EXPECT_EQ(made->elements.str(), "((32,4),(8,4)):((128,4),(16,1))");
  made = threadValues(make(tuple(4, 64), tuple(64, 1)), make(tuple(16, 8), tuple(8, 1)));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->tile, tuple(64, 512));
  EXPECT_EQ(made->elements.str(), "((64,4),(8,16)):((512,16),(64,1))");
  EXPECT_FALSE(threadValues(make(4, 0), Layout(2)).has_value());
  EXPECT_FALSE(threadValues(make(4, n), Layout(2)).has_value()) << "which elements are these?";
}

TEST(ThreadValues, ReachEveryElementOnce) {
  Random random(22);
  for (int l = 0; l < kLayouts; ++l) {
    int64_t most = l < 300 ? 8 : 3;
    auto layout = [&] {
      IntTuple shape = tuple(1 + random.below(most), 1 + random.below(most));
      return random.below(2) ? Layout(shape) : make(shape, compactRowMajor(shape));
    };
    Layout threads = layout(), values = layout();
    auto made = threadValues(threads, values);
    ASSERT_TRUE(made.has_value()) << threads.str() << " " << values.str();
    EXPECT_EQ(size(made->tile), Int(size(threads).value() * size(values).value()));
    std::vector<int64_t> found = indices(made->elements);
    EXPECT_EQ(std::set<int64_t>(found.begin(), found.end()).size(), found.size());
    EXPECT_EQ(*std::max_element(found.begin(), found.end()), size(made->tile).value() - 1);
  }
}

TEST(LayoutComposition, StepsGoAlongTheModesThatTheyName) {
  auto along = [](std::vector<int> path, int64_t steps = 1) { return Int::along(path, steps); };
  Layout a = make(tuple(8, 6), tuple(6, 1));
  EXPECT_EQ(str(composition(a, make(tuple(3, 4), tuple(along({1}), along({0}, 2))))),
            "(3,4):(1,12)");
  EXPECT_EQ(str(composition(a, identityLayout(tuple(8, 6)))), "(8,6):(6,1)");
  EXPECT_EQ(str(composition(a, make(tuple(2, 3), tuple(0, along({1}, 2))))), "(2,3):(0,2)");
  EXPECT_EQ(str(composition(a, make(2, along({2})))), "none") << "there is no such mode";
  EXPECT_EQ(str(composition(a, make(tuple(2, 2), tuple(1, along({1}))))), "none")
      << "a step through the whole";
  // Nested modes: through one as a whole, and into it.
  Layout nested = make(tuple(4, tuple(2, 3)), tuple(100, tuple(10, 1)));
  EXPECT_EQ(str(composition(nested, make(tuple(6, 2), tuple(along({1}), along({0}))))),
            "((2,3),2):((10,1),100)");
  EXPECT_EQ(str(composition(nested, make(3, along({1, 1})))), "3:1");
  EXPECT_EQ(str(composition(nested, make(tuple(2, n), tuple(along({0}, 2), along({1, 1}))))),
            "(2,?):(200,1)");
}

TEST(LayoutComposition, WithCoordinatesIsTheComposedFunction) {
  Random random(27);
  for (int l = 0; l < kLayouts / 4; ++l) {
    // Each mode of `a` is divided into parts, which `b` visits in any order.
    std::vector<IntTuple> extents, strides;
    std::vector<std::pair<Int, Int>> parts;
    for (int mode = 0, modes = 1 + random.below(3); mode < modes; ++mode) {
      int64_t inner = 1 + random.below(4), outer = 1 + random.below(4);
      extents.push_back(inner * outer);
      strides.push_back(random.below(50));
      parts.push_back({inner, Int::along({mode})});
      parts.push_back({outer, Int::along({mode}, inner)});
    }
    for (size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[random.below(i)]);
    std::vector<IntTuple> shape, steps;
    for (auto &[extent, step] : parts) {
      shape.push_back(extent);
      steps.push_back(step);
    }
    Layout a = make(IntTuple(extents), IntTuple(strides)),
           b = make(IntTuple(shape), IntTuple(steps));
    auto result = composition(a, b);
    ASSERT_TRUE(result) << a.str() << " o " << b.str();
    IntTuple origin(std::vector<IntTuple>(extents.size(), 0));
    for (int64_t i = 0; i < size(b).value(); ++i)
      ASSERT_EQ(*crd2idx(i, *result), *crd2idx(*coordinateAt(i, b, origin), a))
          << a.str() << " o " << b.str() << " = " << result->str() << " at " << i;
  }
}

TEST(LayoutRecast, ScalesTheModeOfStrideOne) {
  EXPECT_EQ(str(recast(make(tuple(8, 4), tuple(1, 8)), 16, 32)), "(16,4):(1,16)");
  EXPECT_EQ(str(recast(make(tuple(8, 4), tuple(1, 8)), 32, 16)), "(4,4):(1,4)");
  EXPECT_EQ(str(recast(make(tuple(8, 4), tuple(4, 1)), 128, 32)), "(8,1):(1,1)");
  EXPECT_EQ(str(recast(make(tuple(8, 4), tuple(0, 1)), 64, 32)), "(8,2):(0,1)");
  EXPECT_EQ(str(recast(make(n8, 1), 64, 16)), "?{div=2}:1");
  EXPECT_EQ(str(recast(make(n, 1), 64, 16)), "none");
  EXPECT_EQ(str(recast(make(6, 1), 64, 16)), "none");
  EXPECT_EQ(str(recast(make(8, 3), 32, 16)), "none");
  EXPECT_EQ(str(recast(Layout(8), 24, 16)), "none");
  EXPECT_EQ(str(recast(Layout(8), 16, 16)), "8:1");
}

TEST(LayoutRecast, BetweenSizesOfWhichNoneIsAMultiple) {
  // Three bytes are four elements of 6 bits.
  EXPECT_EQ(str(recast(Layout(24), 6, 8)), "32:1");
  EXPECT_EQ(str(recast(make(tuple(5, 24), tuple(48, 1)), 6, 8)), "(5,32):(64,1)");
  EXPECT_EQ(str(recast(make(tuple(5, 32), tuple(64, 1)), 8, 6)), "(5,24):(48,1)");
  EXPECT_EQ(str(recast(Layout(48), 32, 24)), "36:1");
  EXPECT_EQ(str(recast(make(tuple(5, 24), tuple(25, 1)), 6, 8)), "none");
  EXPECT_EQ(str(recast(Layout(25), 6, 8)), "none");
  Int n24 = Int::dynamic(&kName, 32, 24);
  EXPECT_EQ(str(recast(make(tuple(n, n24), tuple(n24, 1)), 6, 8)), "(?,?{div=32}):(?{div=32},1)");
}

TEST(TileToShape, RepeatsAnAtom) {
  Layout atom = make(tuple(8, 4), tuple(4, 1));
  EXPECT_EQ(str(tileToShape(atom, tuple(16, 8), tuple(0, 1))), "((8,2),(4,2)):((4,32),(1,64))");
  EXPECT_EQ(str(tileToShape(atom, tuple(16, 8), tuple(1, 0))), "((8,2),(4,2)):((4,64),(1,32))");
  // A mode that the atom lacks is of one element.
  EXPECT_EQ(str(tileToShape(atom, tuple(16, 8, 2), tuple(0, 1, 2))),
            "((8,2),(4,2),(1,2)):((4,32),(1,64),(0,128))");
  EXPECT_EQ(str(tileToShape(atom, 16, 0)), "none");
}

} // namespace
} // namespace layout_coordinates_test
} // namespace fairlead::layout
