/// Division, products and choices of modes of random layouts, against counting; and their text.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "RandomLayouts.h"
#include "fairlead/layout/Algebra.h"

namespace fairlead::layout {
namespace {

std::vector<Layout> topModes(const Layout &layout) {
  std::vector<Layout> modes;
  for (int mode = 0; mode < rank(layout); ++mode)
    modes.push_back(*get(layout, {mode}));
  return modes;
}
int64_t valueAt(const Layout &layout, const IntTuple &coordinate) {
  return crd2idx(coordinate, layout)->value();
}
IntTuple asTuple(const std::vector<int64_t> &entries) {
  return IntTuple(std::vector<IntTuple>(entries.begin(), entries.end()));
}
IntTuple joined(const IntTuple &a, const IntTuple &b) {
  return IntTuple(std::vector<IntTuple>{a, b});
}
std::vector<int64_t> concatenated(std::vector<int64_t> a, const std::vector<int64_t> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Goes through all tuples of numbers below `extents`.
template <typename Visit> void forEach(const std::vector<int64_t> &extents, Visit visit) {
  std::vector<int64_t> place(extents.size());
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    visit(place);
    for (size_t mode = 0; mode < place.size() && ++place[mode] == extents[mode]; ++mode)
      place[mode] = 0;
  }
}
std::vector<int64_t> sizes(const std::vector<Layout> &modes) {
  std::vector<int64_t> result;
  for (const Layout &mode : modes)
    result.push_back(size(mode).value());
  return result;
}

/// A compact layout of a flat shape, in any order.
Layout compact(Random &random, int modes, bool powersOfTwo = false) {
  std::vector<IntTuple> extents, order;
  for (int mode = 0; mode < modes; ++mode) {
    extents.emplace_back(powersOfTwo ? int64_t{1} << random.below(3) : 1 + random.below(4));
    order.emplace_back(random.below(4));
  }
  return *Layout::ordered(IntTuple(extents), IntTuple(order));
}

/// Element i of tile r is the element of the layout at tiler(i) + rest(r).
TEST(LayoutTilingRandom, LogicalDivide) {
  Random random(31);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(l % 2 == 0), tiler = random.layout(l % 2 == 0);
    auto divided = logicalDivide(layout, tiler);
    if (!divided)
      continue;
    ++found;
    auto rest = complement(tiler, size(layout));
    ASSERT_TRUE(rest);
    std::vector<int64_t> whole = indices(layout), tile = indices(tiler), tiles = indices(*rest);
    ASSERT_EQ(rank(*divided), 2);
    ASSERT_EQ(size(*divided).value(), static_cast<int64_t>(tile.size() * tiles.size()));
    std::vector<int64_t> got = indices(*divided);
    for (size_t r = 0; r < tiles.size(); ++r)
      for (size_t i = 0; i < tile.size(); ++i)
        if (int64_t x = tile[i] + tiles[r]; x < static_cast<int64_t>(whole.size())) {
          ASSERT_EQ(got[r * tile.size() + i], whole[x])
              << layout.str() << " by " << tiler.str() << " is " << divided->str();
        }
  }
  EXPECT_GT(found, kLayouts / 10);
}

/// Mode by mode, and the same elements in the other three profiles.
TEST(LayoutTilingRandom, DivideByMode) {
  Random random(32);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(true);
    std::vector<Layout> modes = topModes(layout);
    if (layout.shape().isLeaf() || size(layout).value() > 40)
      continue;
    std::vector<Tiler> entries;
    size_t tiled = 1 + random.below(static_cast<int64_t>(modes.size()));
    for (size_t mode = 0; mode < tiled; ++mode)
      entries.push_back(Layout(int64_t{1} << random.below(3)));
    Tiler tiler(entries);
    auto logical = logicalDivide(layout, tiler);
    if (!logical)
      continue;
    ++found;
    auto zipped = zippedDivide(layout, tiler), byTile = tiledDivide(layout, tiler),
         flat = flatDivide(layout, tiler);
    ASSERT_TRUE(zipped && byTile && flat);
    std::vector<int64_t> tileExtents, restExtents;
    for (size_t mode = 0; mode < modes.size(); ++mode) {
      Layout part = *get(*logical, {static_cast<int>(mode)});
      if (mode < tiled) {
        ASSERT_EQ(part, *logicalDivide(modes[mode], entries[mode])) << layout.str();
        tileExtents.push_back(size(*get(part, {0})).value());
        restExtents.push_back(size(*get(part, {1})).value());
      } else {
        ASSERT_EQ(part, modes[mode]);
        restExtents.push_back(size(part).value());
      }
    }
    forEach(concatenated(tileExtents, restExtents), [&](const std::vector<int64_t> &place) {
      std::vector<int64_t> inside(place.begin(), place.begin() + tiled),
          outside(place.begin() + tiled, place.end());
      std::vector<IntTuple> paired;
      for (size_t mode = 0; mode < outside.size(); ++mode)
        paired.push_back(mode < tiled ? joined(inside[mode], outside[mode]) : outside[mode]);
      int64_t expected = valueAt(*logical, IntTuple(paired));
      ASSERT_EQ(valueAt(*zipped, joined(asTuple(inside), asTuple(outside))), expected);
      std::vector<IntTuple> rest(outside.begin(), outside.end());
      rest.insert(rest.begin(), asTuple(inside));
      ASSERT_EQ(valueAt(*byTile, IntTuple(rest)), expected);
      ASSERT_EQ(valueAt(*flat, asTuple(place)), expected);
    });
  }
  EXPECT_GT(found, kLayouts / 4);
}

/// A composition mode by mode is one of each mode.
TEST(LayoutTilingRandom, ComposeByMode) {
  Random random(33);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    if (layout.shape().isLeaf())
      continue;
    std::vector<Layout> modes = topModes(layout), expected;
    std::vector<Tiler> entries;
    bool possible = true;
    for (const Layout &mode : modes) {
      if (random.below(4) == 0) {
        entries.emplace_back();
        expected.push_back(mode);
        continue;
      }
      Layout inner = *Layout::make(1 + random.below(4), random.below(3));
      entries.emplace_back(inner);
      auto composed = composition(mode, inner);
      possible = possible && composed;
      expected.push_back(composed.value_or(inner));
    }
    auto result = composition(layout, Tiler(entries));
    ASSERT_EQ(result.has_value(), possible) << layout.str();
    if (!result)
      continue;
    ++found;
    ASSERT_EQ(*result, group(expected)) << layout.str();
  }
  EXPECT_GT(found, kLayouts / 4);
}

/// A compact block repeated: copy b is as many elements further as there are in b's index blocks.
TEST(LayoutTilingRandom, LogicalProduct) {
  Random random(34);
  for (int l = 0; l < kLayouts; ++l) {
    Layout block = compact(random, 1 + static_cast<int>(random.below(3)));
    Layout tiler = random.layout();
    if (size(tiler).value() > 128)
      continue;
    auto product = logicalProduct(block, tiler);
    ASSERT_TRUE(product) << block.str() << " by " << tiler.str();
    ASSERT_EQ(rank(*product), 2);
    std::vector<int64_t> own = indices(block), copies = indices(tiler), got = indices(*product);
    ASSERT_EQ(got.size(), own.size() * copies.size());
    for (size_t b = 0; b < copies.size(); ++b)
      for (size_t i = 0; i < own.size(); ++i)
        ASSERT_EQ(got[b * own.size() + i], own[i] + copies[b] * static_cast<int64_t>(own.size()))
            << block.str() << " by " << tiler.str() << " is " << product->str();
  }
}

/// The profiles of products hold the same elements as the logical one.
TEST(LayoutTilingRandom, ProfilesOfProducts) {
  Random random(35);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    int modes = 1 + static_cast<int>(random.below(3));
    Layout block = compact(random, modes), tiler = compact(random, modes);
    if (size(block).value() * size(tiler).value() > 40)
      continue;
    ++found;
    auto logical = logicalProduct(block, tiler), blocked = blockedProduct(block, tiler),
         raked = rakedProduct(block, tiler), zipped = zippedProduct(block, tiler),
         byTile = tiledProduct(block, tiler), flat = flatProduct(block, tiler);
    ASSERT_TRUE(logical && blocked && raked && zipped && byTile && flat);
    ASSERT_EQ(*zipped, *logical);
    std::vector<int64_t> repetitions = sizes(topModes(tiler));
    std::vector<int64_t> extents = concatenated(sizes(topModes(block)), repetitions);
    forEach(extents, [&](const std::vector<int64_t> &place) {
      std::vector<int64_t> inside(place.begin(), place.begin() + modes),
          copy(place.begin() + modes, place.end());
      int64_t expected = valueAt(*logical, joined(asTuple(inside), asTuple(copy)));
      std::vector<IntTuple> first, second, rest(copy.begin(), copy.end());
      for (int mode = 0; mode < modes; ++mode) {
        first.push_back(joined(inside[mode], copy[mode]));
        second.push_back(copy[mode] + repetitions[mode] * inside[mode]); // coalesced
      }
      rest.insert(rest.begin(), asTuple(inside));
      ASSERT_EQ(valueAt(*blocked, IntTuple(first)), expected) << block.str() << tiler.str();
      ASSERT_EQ(valueAt(*raked, IntTuple(second)), expected) << block.str() << tiler.str();
      ASSERT_EQ(valueAt(*byTile, IntTuple(rest)), expected) << byTile->str();
      ASSERT_EQ(valueAt(*flat, asTuple(place)), expected) << flat->str();
    });
  }
  EXPECT_GT(found, kLayouts / 3);
}

/// The atom at every tile, tiles in their order.
TEST(LayoutTilingRandom, TileToShape) {
  Random random(36);
  int found = 0;
  for (int l = 0; l < kLayouts; ++l) {
    int modes = 1 + static_cast<int>(random.below(3));
    Layout atom = compact(random, modes);
    if (size(atom).value() > 12)
      continue;
    ++found;
    std::vector<int64_t> extents = sizes(topModes(atom)), whole;
    std::vector<IntTuple> counts, order;
    for (int64_t extent : extents) {
      counts.emplace_back(1 + random.below(3));
      order.emplace_back(random.below(4));
      whole.push_back(extent * counts.back().leaf().value());
    }
    auto covering = tileToShape(atom, asTuple(whole), IntTuple(order));
    ASSERT_TRUE(covering) << atom.str();
    Layout tiles = *Layout::ordered(IntTuple(counts), IntTuple(order));
    forEach(whole, [&](const std::vector<int64_t> &place) {
      std::vector<int64_t> inside, tile;
      for (int mode = 0; mode < modes; ++mode) {
        inside.push_back(place[mode] % extents[mode]);
        tile.push_back(place[mode] / extents[mode]);
      }
      ASSERT_EQ(valueAt(*covering, asTuple(place)),
                valueAt(atom, asTuple(inside)) + size(atom).value() * valueAt(tiles, asTuple(tile)))
          << atom.str() << " to " << covering->str();
    });
  }
  EXPECT_GT(found, kLayouts / 2);
}

/// The bits of elements: the bits of larger elements hold them; smaller ones take the
/// same where they can lie side by side, along the mode of stride 1, else a part.
TEST(LayoutTilingRandom, RecastKeepsTheMemory) {
  Random random(37);
  int larger = 0, smaller = 0;
  auto bits = [](const Layout &layout, int width) {
    std::set<int64_t> result;
    for (int64_t index : indices(layout))
      for (int bit = 0; bit < width; bit += 4)
        result.insert(index * width + bit);
    return result;
  };
  auto within = [](const std::set<int64_t> &a, const std::set<int64_t> &b) {
    return std::includes(b.begin(), b.end(), a.begin(), a.end());
  };
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout(true);
    // Elements that share memory are more than the larger ones have room for.
    std::vector<int64_t> all = indices(layout);
    if (all.size() > 64 || std::set<int64_t>(all.begin(), all.end()).size() != all.size())
      continue;
    int from = 4 << random.below(4), to = 4 << random.below(4), leading = 0;
    for (const Int &stride : layout.stride().leaves())
      leading += stride.is(1);
    auto result = recast(layout, to, from);
    if (!result || (to < from && leading > 1))
      continue;
    std::set<int64_t> before = bits(layout, from), after = bits(*result, to);
    std::string what = layout.str() + " of " + std::to_string(from) + " bits is " + result->str() +
                       " of " + std::to_string(to);
    if (to >= from) {
      ++larger;
      ASSERT_TRUE(within(before, after)) << what;
    } else {
      ++smaller;
      ASSERT_TRUE(leading ? before == after : within(after, before)) << what;
    }
  }
  EXPECT_GT(larger, kLayouts / 10);
  EXPECT_GT(smaller, kLayouts / 10);
}

TEST(LayoutTilingRandom, ModesAreChosenAndJoined) {
  Random random(38);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    std::vector<int64_t> all = indices(layout);
    ASSERT_EQ(indices(flatten(layout)), all);
    ASSERT_LE(depth(flatten(layout)), 1);
    std::vector<int64_t> moving = indices(filter(layout)), zeros = indices(filterZeros(layout));
    std::set<int64_t> image(all.begin(), all.end());
    ASSERT_EQ(std::set<int64_t>(moving.begin(), moving.end()), image) << layout.str();
    ASSERT_EQ(std::set<int64_t>(zeros.begin(), zeros.end()), image) << layout.str();
    ASSERT_EQ(cosize(layout).value(), *image.rbegin() + 1);
    std::vector<Layout> modes = topModes(layout);
    int count = static_cast<int>(modes.size());
    int begin = static_cast<int>(random.below(count)),
        end = begin + 1 + static_cast<int>(random.below(count - begin));
    Layout grouped = *groupModes(layout, begin, end);
    ASSERT_EQ(indices(grouped), all) << grouped.str();
    ASSERT_EQ(rank(grouped), count - (end - begin) + 1);

    // Modes in any order: their indices add up.
    std::vector<int> chosen;
    std::vector<Layout> parts;
    for (int i = 0; i < 2; ++i) {
      chosen.push_back(static_cast<int>(random.below(count)));
      parts.push_back(modes[chosen.back()]);
    }
    Layout selected = *select(layout, chosen);
    if (size(selected).value() > 4 * kMaxSize)
      continue;
    std::vector<int64_t> expected;
    for (int64_t second : indices(parts[1]))
      for (int64_t first : indices(parts[0]))
        expected.push_back(first + second);
    ASSERT_EQ(indices(selected), expected) << layout.str() << " chosen " << selected.str();
    ASSERT_EQ(append(group({parts[0]}), parts[1]), selected);
    ASSERT_EQ(prepend(group({parts[1]}), parts[0]), selected);
  }
}

TEST(LayoutTilingRandom, DiceIsWhatSliceDrops) {
  Random random(39);
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    if (layout.shape().isLeaf())
      continue;
    std::vector<Coordinate> entries;
    std::vector<Layout> kept, dropped;
    for (const Layout &mode : topModes(layout)) {
      bool open = random.below(2) == 0;
      entries.push_back(open ? Coordinate() : Coordinate(Int(0)));
      (open ? kept : dropped).push_back(mode);
    }
    auto together = [](const std::vector<Layout> &modes) {
      return modes.empty() ? *Layout::make(1, 0) : group(modes);
    };
    ASSERT_EQ(*dice(layout, Coordinate(entries)), together(dropped)) << layout.str();
    ASSERT_EQ(slice(layout, Coordinate(entries))->layout, together(kept)) << layout.str();
  }
}

/// The text of a shape or stride, written another way.
std::string text(const IntTuple &tuple) {
  if (tuple.isLeaf())
    return std::to_string(tuple.leaf().value());
  std::string result;
  for (const IntTuple &mode : tuple.modes())
    result += (result.empty() ? "" : ",") + text(mode);
  return '(' + result + ')';
}

TEST(LayoutTilingRandom, PrintsExactly) {
  Random random(40);
  std::set<std::string> seen;
  for (int l = 0; l < kLayouts; ++l) {
    Layout layout = random.layout();
    ASSERT_EQ(layout.str(), text(layout.shape()) + ":" + text(layout.stride()));
    seen.insert(layout.str());
  }
  EXPECT_GT(seen.size(), static_cast<size_t>(kLayouts / 10));
}

} // namespace
} // namespace fairlead::layout
