/// Random static layouts, and counting through their coordinates: the model that the algebra is
/// held to.
#ifndef FAIRLEAD_TESTS_UNIT_LAYOUT_RANDOMLAYOUTS_H
#define FAIRLEAD_TESTS_UNIT_LAYOUT_RANDOMLAYOUTS_H

#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {

/// Layouts a test; FAIRLEAD_RANDOM_LAYOUTS sets another number.
inline const int kLayouts = [] {
  const char *text = std::getenv("FAIRLEAD_RANDOM_LAYOUTS");
  return text ? std::atoi(text) : 25000;
}();
/// Added to each test's seed: FAIRLEAD_RANDOM_SEED, for other layouts than usual.
inline const uint64_t kSeed = [] {
  const char *text = std::getenv("FAIRLEAD_RANDOM_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}();
/// Coordinates of most layouts, and of one in 32.
constexpr int64_t kUsualSize = 48, kMaxSize = 1024;

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed + kSeed) {}
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(bound));
  }

  IntTuple shape(int levels, bool powersOfTwo) {
    if (levels == 0 || below(3) == 0)
      return powersOfTwo ? int64_t{1} << below(4) : 1 + below(6);
    std::vector<IntTuple> modes;
    for (int64_t count = 1 + below(3); count > 0; --count)
      modes.push_back(shape(levels - 1, powersOfTwo));
    return IntTuple(std::move(modes));
  }
  IntTuple smallShape(bool powersOfTwo = false) {
    int64_t most = below(32) == 0 ? kMaxSize : kUsualSize;
    for (;;)
      if (IntTuple result = shape(3, powersOfTwo); size(result).value() <= most)
        return result;
  }

  Layout layout(bool powersOfTwo = false) {
    IntTuple extents = smallShape(powersOfTwo);
    std::vector<Int> strides = compactColMajor(extents).leaves();
    int64_t style = below(4);
    if (style == 0)
      strides = compactRowMajor(extents).leaves();
    for (Int &stride : strides)
      if (style == 1 || (style == 2 && below(3) == 0))
        stride = powersOfTwo ? int64_t{1} << below(8) : below(30);
    return *Layout::make(extents, unflatten(strides, extents));
  }

private:
  std::mt19937_64 engine;
};

/// The index of every coordinate, counted leaf by leaf with the first fastest.
class Counter {
public:
  explicit Counter(const Layout &layout)
      : extents(layout.shape().leaves()), strides(layout.stride().leaves()),
        coordinate(extents.size()) {}

  int64_t index() const {
    int64_t sum = 0;
    for (size_t i = 0; i < coordinate.size(); ++i)
      sum += coordinate[i] * strides[i].value();
    return sum;
  }
  std::vector<Int> leaves() const { return {coordinate.begin(), coordinate.end()}; }
  void advance() {
    for (size_t i = 0; i < coordinate.size(); ++i) {
      if (++coordinate[i] < extents[i].value())
        return;
      coordinate[i] = 0;
    }
  }

private:
  std::vector<Int> extents, strides;
  std::vector<int64_t> coordinate;
};

inline std::vector<int64_t> indices(const Layout &layout) {
  std::vector<int64_t> result;
  Counter counter(layout);
  for (int64_t i = 0; i < size(layout).value(); ++i, counter.advance())
    result.push_back(counter.index());
  return result;
}

} // namespace fairlead::layout
#endif // FAIRLEAD_TESTS_UNIT_LAYOUT_RANDOMLAYOUTS_H
