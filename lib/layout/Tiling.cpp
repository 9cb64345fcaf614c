/// Division and products, whole or mode by mode.
#include "fairlead/layout/Algebra.h"
#include "layout/ModeList.h"

namespace fairlead::layout {
namespace {

/// Applies `operation` to the layout, or to each mode that has an entry in the tiler.
template <typename Operation>
std::optional<Layout> byMode(const Layout &layout, const Tiler &tiler, Operation operation) {
  if (tiler.isOpen())
    return layout;
  if (!tiler.isTuple())
    return operation(layout, tiler.layout());
  std::vector<Layout> modes = ModeList::modesOf(layout);
  if (tiler.modes().size() > modes.size())
    return std::nullopt;
  for (size_t mode = 0; mode < tiler.modes().size(); ++mode) {
    auto result = byMode(modes[mode], tiler.modes()[mode], operation);
    if (!result)
      return std::nullopt;
    modes[mode] = *result;
  }
  return ModeList::group(modes);
}

/// Sorts pairs (first, second) into two layouts: all firsts, then all seconds and unpaired modes.
void unzip(const Layout &layout, const Tiler &tiler, std::vector<Layout> &firsts,
           std::vector<Layout> &seconds) {
  std::vector<Layout> modes = ModeList::modesOf(layout);
  for (size_t mode = 0; mode < modes.size(); ++mode) {
    if (mode >= tiler.modes().size() || tiler.modes()[mode].isOpen()) {
      seconds.push_back(modes[mode]);
    } else if (tiler.modes()[mode].isTuple()) {
      std::vector<Layout> first, second;
      unzip(modes[mode], tiler.modes()[mode], first, second);
      firsts.push_back(ModeList::group(first));
      seconds.push_back(ModeList::group(second));
    } else {
      firsts.push_back(ModeList::mode(modes[mode], 0));
      seconds.push_back(ModeList::mode(modes[mode], 1));
    }
  }
}

/// ((first...), (second...)) of a divided or multiplied layout.
std::optional<Layout> zip(const std::optional<Layout> &logical, const Tiler &tiler) {
  if (!logical || !tiler.isTuple())
    return logical;
  std::vector<Layout> firsts, seconds;
  unzip(*logical, tiler, firsts, seconds);
  return ModeList::group({ModeList::group(firsts), ModeList::group(seconds)});
}

/// (first, second...)
std::optional<Layout> tile(const std::optional<Layout> &zipped) {
  if (!zipped)
    return zipped;
  std::vector<Layout> modes{ModeList::mode(*zipped, 0)};
  for (const Layout &mode : ModeList::modesOf(ModeList::mode(*zipped, 1)))
    modes.push_back(mode);
  return ModeList::group(modes);
}

/// (first..., second...)
std::optional<Layout> flat(const std::optional<Layout> &zipped) {
  if (!zipped)
    return zipped;
  std::vector<Layout> modes = ModeList::modesOf(ModeList::mode(*zipped, 0));
  for (const Layout &mode : ModeList::modesOf(ModeList::mode(*zipped, 1)))
    modes.push_back(mode);
  return ModeList::group(modes);
}

/// Layouts of one rank: the other is filled up with modes of one element.
Layout padded(const Layout &layout, int modes) {
  Layout result = layout;
  while (rank(result) < modes)
    result = append(result, *Layout::make(1, 0));
  return result;
}

} // namespace

std::optional<Layout> composition(const Layout &a, const Tiler &b, const Arithmetic &arithmetic) {
  if (!b.isTuple())
    return b.isOpen() ? a : composition(a, b.layout(), arithmetic);
  std::vector<Layout> modes = ModeList::modesOf(a);
  if (b.modes().size() > modes.size())
    return std::nullopt;
  modes.resize(b.modes().size(), a);
  for (size_t mode = 0; mode < modes.size(); ++mode) {
    auto result = composition(modes[mode], b.modes()[mode], arithmetic);
    if (!result)
      return std::nullopt;
    modes[mode] = *result;
  }
  return ModeList::group(modes);
}

std::optional<Layout> logicalDivide(const Layout &layout, const Tiler &tiler,
                                    const Arithmetic &arithmetic) {
  return byMode(layout, tiler,
                [&](const Layout &mode, const Layout &tile) -> std::optional<Layout> {
                  auto rest = complement(tile, size(mode, arithmetic), arithmetic);
                  if (!rest)
                    return std::nullopt;
                  return composition(mode, ModeList::group({tile, *rest}), arithmetic);
                });
}

std::optional<Layout> zippedDivide(const Layout &layout, const Tiler &tiler,
                                   const Arithmetic &arithmetic) {
  return zip(logicalDivide(layout, tiler, arithmetic), tiler);
}
std::optional<Layout> tiledDivide(const Layout &layout, const Tiler &tiler,
                                  const Arithmetic &arithmetic) {
  return tile(zippedDivide(layout, tiler, arithmetic));
}
std::optional<Layout> flatDivide(const Layout &layout, const Tiler &tiler,
                                 const Arithmetic &arithmetic) {
  return flat(zippedDivide(layout, tiler, arithmetic));
}

std::optional<Layout> logicalProduct(const Layout &layout, const Tiler &tiler,
                                     const Arithmetic &arithmetic) {
  return byMode(layout, tiler,
                [&](const Layout &mode, const Layout &tile) -> std::optional<Layout> {
                  Int reach = arithmetic.mul(size(mode, arithmetic), cosize(tile, arithmetic));
                  auto rest = complement(mode, reach, arithmetic);
                  auto repeated = rest ? composition(*rest, tile, arithmetic) : std::nullopt;
                  if (!repeated)
                    return std::nullopt;
                  return ModeList::group({mode, *repeated});
                });
}

std::optional<Layout> zippedProduct(const Layout &layout, const Tiler &tiler,
                                    const Arithmetic &arithmetic) {
  return zip(logicalProduct(layout, tiler, arithmetic), tiler);
}
std::optional<Layout> tiledProduct(const Layout &layout, const Tiler &tiler,
                                   const Arithmetic &arithmetic) {
  return tile(zippedProduct(layout, tiler, arithmetic));
}
std::optional<Layout> flatProduct(const Layout &layout, const Tiler &tiler,
                                  const Arithmetic &arithmetic) {
  return flat(zippedProduct(layout, tiler, arithmetic));
}

static std::optional<Layout> zipProduct(const Layout &block, const Layout &tiler, bool raked,
                                        const Arithmetic &arithmetic) {
  int modes = std::max(rank(block), rank(tiler));
  Layout blocks = padded(block, modes), tiles = padded(tiler, modes);
  auto product = logicalProduct(blocks, tiles, arithmetic);
  if (!product)
    return std::nullopt;
  // A leaf becomes one mode, even if that has several leaves.
  auto part = [&](size_t which, const Layout &like) {
    Layout mode = ModeList::mode(*product, which);
    return like.shape().isLeaf() ? std::vector<Layout>{mode} : ModeList::modesOf(mode);
  };
  std::vector<Layout> inner = part(0, blocks), outer = part(1, tiles), pairs;
  for (int mode = 0; mode < modes; ++mode)
    pairs.push_back(raked ? ModeList::group({outer[mode], inner[mode]})
                          : ModeList::group({inner[mode], outer[mode]}));
  return ModeList::group(pairs);
}

std::optional<Layout> blockedProduct(const Layout &block, const Layout &tiler,
                                     const Arithmetic &arithmetic) {
  return zipProduct(block, tiler, false, arithmetic);
}
std::optional<Layout> rakedProduct(const Layout &block, const Layout &tiler,
                                   const Arithmetic &arithmetic) {
  auto raked = zipProduct(block, tiler, true, arithmetic);
  if (!raked)
    return raked;
  std::vector<Layout> modes = ModeList::modesOf(*raked);
  for (Layout &mode : modes)
    mode = coalesce(mode, arithmetic);
  return ModeList::group(modes);
}

std::optional<Layout> tileToShape(const Layout &atom, const IntTuple &shape, const IntTuple &order,
                                  const Arithmetic &arithmetic) {
  if (rank(shape) < rank(atom))
    return std::nullopt;
  Layout block = padded(atom, rank(shape));
  std::vector<Layout> modes = ModeList::modesOf(block);
  std::vector<IntTuple> counts;
  for (int mode = 0; mode < rank(block); ++mode)
    counts.push_back(ceilDiv(size(shape.isLeaf() ? shape : shape[mode], arithmetic),
                             size(modes[mode], arithmetic), arithmetic));
  IntTuple repetitions = shape.isLeaf() ? counts.front() : IntTuple(std::move(counts));
  auto tiles = Layout::ordered(repetitions, order, arithmetic);
  return tiles ? blockedProduct(block, *tiles, arithmetic) : std::nullopt;
}

} // namespace fairlead::layout
