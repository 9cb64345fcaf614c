#include "fairlead/dsl/atom/TiledCopy.h"

#include "dsl/atom/Need.h"
#include "fairlead/dsl/atom/TiledMma.h"

namespace fairlead::dsl {
namespace {

using layout::Layout;
using layout::Tiler;

Layout one() { return *Layout::make(1, 0); }

Tiler pairOf(const Tiler &a, const Tiler &b) { return Tiler(std::vector<Tiler>{a, b}); }
Tiler count(int64_t number) { return Layout(layout::IntTuple(number)); }

Tiler tilerOf(const layout::IntTuple &extents) {
  std::vector<Tiler> modes;
  for (const layout::Int &extent : extents.leaves())
    modes.emplace_back(Layout(layout::IntTuple(extent)));
  return Tiler(std::move(modes));
}

/// Splits (thread, value) by the atom's numbers: ((atom's threads, threads), (atom's values,
/// values)). If an atom has one thread, the threads stay as they are, even if they are dynamic.
std::pair<Layout, Layout> splitBy(const Layout &threadValues, int threads, int values) {
  Layout thread = *layout::get(threadValues, {0}), value = *layout::get(threadValues, {1});
  auto split = [&](const Layout &mode, int number) {
    if (number == 1)
      return std::pair(one(), mode);
    Layout divided = need(layout::logicalDivide(mode, count(number), arithmetic()), "TiledCopy",
                          threadValues, std::to_string(number));
    return std::pair(*layout::get(divided, {0}), *layout::get(divided, {1}));
  };
  auto [atomThread, restThread] = split(thread, threads);
  auto [atomValue, restValue] = split(value, values);
  return {layout::group({atomThread, atomValue}), layout::group({restThread, restValue})};
}

/// (V, (a, b, ...)) as (V, a, b, ...).
Layout flattened(const Layout &first, const Layout &rest) {
  std::vector<Layout> modes{first};
  for (const Layout &mode : modesOf(rest))
    modes.push_back(mode);
  return layout::group(modes);
}

/// True if an atom of `number` values only repeats the values that `elements` gives a thread: mode
/// 1 goes on in steps of 0 then, as composition extends its last leaf. Programs make such copies,
/// and do not run them.
bool repeats(const Layout &elements, int64_t count, int number) {
  return number % count == 0 && layout::get(elements, {1})->stride().leaves().back().is(0);
}

/// A tile as small as what `elements` reaches of one of the extents `whole`, and the elements in
/// it.
std::pair<Tiler, Layout> smallest(const layout::IntTuple &whole, const Layout &elements) {
  std::vector<Tiler> tiler;
  std::vector<Layout> parts;
  size_t rank = whole.modes().size();
  for (size_t mode = 0; mode < rank; ++mode) {
    std::vector<layout::IntTuple> strides(rank, layout::IntTuple(0));
    strides[mode] = 1;
    Layout entry = *Layout::make(whole, layout::IntTuple(std::move(strides)));
    Layout reached = layout::filter(need(layout::composition(entry, elements, arithmetic()),
                                         "make_tiled_copy", entry, elements.str()),
                                    arithmetic());
    tiler.emplace_back(reached);
  }
  Tiler tiles(tiler);
  Layout inWhole = need(layout::composition(Layout(whole), tiles, arithmetic()), "make_tiled_copy",
                        Layout(whole), elements.str());
  Layout back =
      need(layout::leftInverse(inWhole, arithmetic()), "make_tiled_copy", inWhole, elements.str());
  return {tiles, need(layout::composition(back, elements, arithmetic()), "make_tiled_copy", back,
                      elements.str())};
}

} // namespace

TiledCopy::TiledCopy(const CopyAtom &atom, const Layout &elements, const Tiler &tiler, SourceLoc at)
    : atom_(atom), elements_(elements), tiler_(tiler) {
  AtSourceLoc placed(at);
  auto check = [&](int mode, int number, const char *what) {
    auto part = layout::get(elements, {mode});
    layout::Int count = part ? layout::size(*part, arithmetic()) : layout::Int(0);
    bool fits = number == 1 || (count.isStatic() && count.value() % number == 0) ||
                (mode == 1 && count.isStatic() && part && repeats(elements, count.value(), number));
    if (layout::rank(elements) != 2 || !part || (mode == 1 && !count.isStatic()) || !fits)
      throw makeError(Diagnostic::TiledCopyShape, {{"what", what},
                                                   {"number", std::to_string(number)},
                                                   {"atom", atom.str()},
                                                   {"got", elements.str()}});
  };
  check(0, atom.numThreads(), "threads");
  check(1, atom.referenceValues(), "values per thread");
}

TiledCopy TiledCopy::ofThreadsAndValues(const CopyAtom &atom, const Layout &threads,
                                        const Layout &values, SourceLoc at) {
  AtSourceLoc placed(at);
  auto layouts = layout::threadValues(threads, values, arithmetic());
  if (!layouts)
    need(std::nullopt, "TiledCopy", threads, values.str());
  return TiledCopy(atom, layouts->elements, tilerOf(layouts->tile));
}

static CopyAtom together(const Layout &threads, const Layout &values, int number) {
  bool fits = number > 0 && values.shape().isStatic() && layout::size(values).value() % number == 0;
  if (!fits)
    need(std::nullopt, "TiledCopy", threads, values.str());
  return CopyAtom(CopyOp(), DType::Uint8, 8 * number);
}

TiledCopy::TiledCopy(const Layout &threads, const Layout &values, int together)
    : TiledCopy(ofThreadsAndValues(dsl::together(threads, values, together), threads, values)) {}

TiledCopy TiledCopy::ofA(const CopyAtom &atom, const TiledMma &mma) {
  return TiledCopy(atom, mma.elements(MmaOperand::A),
                   tilerOf(layout::tuple(mma.tileSize(0), mma.tileSize(2))));
}
TiledCopy TiledCopy::ofB(const CopyAtom &atom, const TiledMma &mma) {
  return TiledCopy(atom, mma.elements(MmaOperand::B),
                   tilerOf(layout::tuple(mma.tileSize(1), mma.tileSize(2))));
}
TiledCopy TiledCopy::ofC(const CopyAtom &atom, const TiledMma &mma) {
  return TiledCopy(atom, mma.elements(MmaOperand::C),
                   tilerOf(layout::tuple(mma.tileSize(0), mma.tileSize(1))));
}

TiledCopy TiledCopy::ofAtomC(const CopyAtom &atom, const TiledMma &mma) {
  Layout elements = mma.elements(MmaOperand::C);
  layout::Int values = layout::size(*layout::get(elements, {1}));
  if (!values.isStatic() || values.value() < atom.sourceValues())
    throw makeError(Diagnostic::TiledCopyValues, {{"number", std::to_string(atom.sourceValues())},
                                                  {"atom", atom.str()},
                                                  {"got", elements.str()}});
  Tiler first = pairOf(Tiler(), count(atom.sourceValues()));
  Layout few = need(layout::composition(elements, first, arithmetic()), "make_tiled_copy_C_atom",
                    elements, atom.str());
  auto [tiler, inTile] = smallest(layout::tuple(mma.tileSize(0), mma.tileSize(1)), few);
  return TiledCopy(atom, inTile, tiler);
}

TiledCopy TiledCopy::ofSource(const CopyAtom &atom, const TiledCopy &other) {
  return TiledCopy(atom, other.sourceElements(), other.tiler());
}
TiledCopy TiledCopy::ofDestination(const CopyAtom &atom, const TiledCopy &other) {
  return TiledCopy(atom, other.destinationElements(), other.tiler());
}

/// True if two layouts of (thread, value) agree for each thread whose first offset in `elements` is
/// below `end`.
static bool agreeInside(const Layout &other, const Layout &elements, int64_t end) {
  int64_t threads = layout::size(*layout::get(elements, {0})).value();
  int64_t size = layout::size(elements).value();
  for (int64_t thread = 0; thread < threads; ++thread) {
    if (layout::crd2idx(thread, elements)->value() >= end)
      continue;
    for (int64_t i = thread; i < size; i += threads)
      if (layout::crd2idx(i, other) != layout::crd2idx(i, elements))
        return false;
  }
  return true;
}

TiledCopy TiledCopy::cotiled(const CopyAtom &atom, const Layout &elements, const Layout &data,
                             SourceLoc at) {
  AtSourceLoc placed(at);
  auto require = [&](const std::optional<Layout> &result) {
    return need(result, "make_cotiled_copy", data, elements.str());
  };
  if (!elements.isStatic() || !data.isStatic() || layout::rank(elements) != 2)
    require(std::nullopt);
  // Offsets as coordinates of the data; those beyond its end begin again.
  Layout inside = require(layout::leftInverse(data));
  int64_t times = layout::cosize(elements).value() / layout::size(inside).value() + 1;
  Layout inverse = layout::group({inside, *Layout::make(times, 0)});
  Layout inData = require(layout::composition(inverse, elements));
  Layout roundTrip = require(layout::composition(data, inData));
  // Layouts that coalesce to the same one are the same function.
  if (layout::coalesce(roundTrip) != layout::coalesce(elements) &&
      !agreeInside(roundTrip, elements, layout::cosize(data).value()))
    require(std::nullopt);
  layout::IntTuple extents = layout::productEach(data.shape());
  if (extents.isLeaf())
    extents = layout::IntTuple(std::vector<layout::IntTuple>{extents});
  auto [tiler, inTile] = smallest(extents, inData);
  return TiledCopy(atom, inTile, tiler);
}

layout::IntTuple TiledCopy::tile() const {
  std::vector<layout::IntTuple> extents;
  if (!tiler_.isTuple())
    return layout::size(tiler_.layout(), arithmetic());
  for (const Tiler &mode : tiler_.modes())
    extents.emplace_back(layout::size(mode.layout(), arithmetic()));
  return layout::IntTuple(std::move(extents));
}

layout::Int TiledCopy::size() const {
  return layout::size(*layout::get(elements_, {0}), arithmetic());
}

/// (thread, (V, atoms), rest of mode 0, ...) of (tile, rest).
Layout TiledCopy::partitioned(const Layout &tiles, const Layout &side) const {
  auto [atomElements, rest] = splitBy(elements_, atom_.numThreads(), atom_.referenceValues());
  Layout inverse = need(layout::rightInverse(atom_.reference(), arithmetic()), "partition",
                        atom_.reference(), side.str());
  Layout toSide =
      need(layout::composition(inverse, side, arithmetic()), "partition", inverse, side.str());
  Layout sideElements = need(layout::composition(atomElements, toSide, arithmetic()), "partition",
                             atomElements, toSide.str());
  Layout threadValues =
      layout::group({layout::group({*layout::get(sideElements, {0}), *layout::get(rest, {0})}),
                     layout::group({*layout::get(sideElements, {1}), *layout::get(rest, {1})})});
  Layout simple =
      need(layout::coalesce(threadValues, layout::tuple(1, layout::tuple(1, 1)), arithmetic()),
           "partition", threadValues, "(1,(1,1))");
  Layout owned = need(layout::composition(*layout::get(tiles, {0}), simple, arithmetic()),
                      "partition", tiles, simple.str());
  std::vector<Layout> modes =
      modesOf(flattened(*layout::get(owned, {1}), *layout::get(tiles, {1})));
  modes.insert(modes.begin(), *layout::get(owned, {0}));
  return layout::group(modes);
}

Tensor TiledCopy::part(const Tensor &tensor, const Layout &side, const Scalar &thread) const {
  const Layout &layout = tensor.layout();
  int modes = tiler_.isTuple() ? static_cast<int>(tiler_.modes().size()) : 1;
  if (layout::rank(layout) < modes)
    rejectCover(str(), tensor.str(),
                "it has " + std::to_string(layout::rank(layout)) + " modes, and the tile " +
                    tile().str() + " has " + std::to_string(modes));
  Layout tiles =
      need(layout::zippedDivide(layout, tiler_, arithmetic()), "partition", layout, tile().str());
  Layout partition = partitioned(tiles, side);
  std::vector<layout::Coordinate> entries(layout::rank(partition));
  entries[0] = toIndex(thread);
  return tensor.withLayout(partition).sliceAt(layout::Coordinate(std::move(entries)));
}

/// Rows in shared memory, ((rows, factors of a row), ...), as tensor memory has them: in four
/// copies.
static Tensor inCopies(const Tensor &rows) {
  constexpr int kCopies = 4;
  std::vector<Layout> modes = modesOf(rows.layout());
  std::vector<Layout> parts = modesOf(modes.front());
  parts.front() = layout::group({parts.front(), *Layout::make(kCopies, 0)});
  modes.front() = layout::group(parts);
  return rows.withLayout(layout::group(modes));
}

Tensor TiledCopy::partitionS(const Tensor &tensor, const Scalar &thread, SourceLoc at) const {
  AtSourceLoc placed(at);
  const bool copiesRows = atom_.op().kind == CopyKind::TensorMemoryRows;
  return part(copiesRows ? inCopies(tensor) : tensor, atom_.source(), thread);
}
Tensor TiledCopy::partitionD(const Tensor &tensor, const Scalar &thread, SourceLoc at) const {
  AtSourceLoc placed(at);
  return part(tensor, atom_.destination(), thread);
}

/// Returns the layout of a single tile, with offsets in the order of the tiler.
static Layout oneTile(const layout::IntTuple &extents) {
  return layout::group({Layout(extents, arithmetic()), one()});
}
/// Returns (thread, value) of an entire tile.
static Layout pairs(const Layout &partitioned) {
  return layout::group({*layout::get(partitioned, {0}), *layout::get(partitioned, {1})});
}
Layout TiledCopy::sourceElements() const {
  return pairs(partitioned(oneTile(tile()), atom_.source()));
}
Layout TiledCopy::destinationElements() const {
  return pairs(partitioned(oneTile(tile()), atom_.destination()));
}

Tensor TiledCopy::retile(const Tensor &fragment, SourceLoc at) const {
  AtSourceLoc placed(at);
  const Layout &layout = fragment.layout();
  auto reject = [&] {
    rejectCover(
        str(), fragment.str(),
        "retile takes fragments of as many values in mode 0, and a whole number of atoms in the "
        "others, as the tiled MMA or copy gives a thread that this one was made of");
  };
  auto require = [&](const std::optional<Layout> &result) {
    if (!result)
      reject();
    return *result;
  };
  layout::Int values = layout::size(*layout::get(layout, {0})), threads = size();
  if (!layout.shape().isStatic() || !elements_.isStatic())
    reject();
  // The blocks of a fragment's mode 0 in the tile: their number mode by mode, and their order.
  Layout inverse = require(layout::rightInverse(elements_));
  Layout inTile = require(layout::composition(inverse, Layout(tile())));
  auto blocks = layout::recast(inTile, static_cast<int>(threads.value() * values.value()), 1);
  if (!blocks)
    reject();
  Layout order = require(layout::rightInverse(*blocks));
  Layout places = require(layout::logicalProduct(Layout(layout::IntTuple(values)), order));
  Layout byAtom = require(layout::zippedDivide(places, count(atom_.referenceValues())));
  std::vector<Tiler> tiler{Layout(layout::IntTuple(values))};
  layout::IntTuple extents = layout::productEach(blocks->shape());
  for (const layout::Int &extent : extents.leaves())
    tiler.emplace_back(Layout(layout::IntTuple(extent)));
  // Modes of blocks that the fragment lacks are of one.
  while (static_cast<int>(tiler.size()) > layout::rank(layout)) {
    if (!layout::size(tiler.back().layout()).is(1))
      reject();
    tiler.pop_back();
  }
  // An atom that takes values of several blocks finds them all.
  for (int mode = 1; mode < static_cast<int>(tiler.size()); ++mode)
    if (layout::size(*layout::get(layout, {mode})).value() %
        layout::size(tiler[mode].layout()).value())
      reject();
  Layout tiles = require(layout::zippedDivide(layout, Tiler(std::move(tiler))));
  Layout owned = require(layout::composition(*layout::get(tiles, {0}), byAtom));
  std::vector<Layout> modes{owned};
  // The rest of mode 0 is one block.
  std::vector<Layout> rest = modesOf(*layout::get(tiles, {1}));
  if (layout::size(rest.front()).is(1))
    rest.erase(rest.begin());
  modes.insert(modes.end(), rest.begin(), rest.end());
  return fragment.withLayout(layout::group(modes));
}

static std::string tilerText(const Tiler &tiler) {
  if (tiler.isOpen())
    return "_";
  if (!tiler.isTuple())
    return tiler.layout().str();
  std::string text = "<";
  for (const Tiler &mode : tiler.modes())
    text += (text.size() > 1 ? ", " : "") + tilerText(mode);
  return text + ">";
}

std::string TiledCopy::str() const {
  return "TiledCopy(" + atom_.str() + ", " + elements_.str() + ", " + tilerText(tiler_) + ")";
}

} // namespace fairlead::dsl
