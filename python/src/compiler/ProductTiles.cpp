/// The tiles of products of matrices for GPUs of compute capability 9.0, by a model of their time.
/// fairlead.ops asks it once for each shape, so that it is not Python.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "Values.h"

namespace fairlead::python {
namespace {

constexpr double kProducts = 2048; // products of 16 bits in a cycle of a multiprocessor

/// Times that differ between GPUs; fairlead/ops/_tiles.py describes them.
struct Times {
  double shared, arriving, loaded, nearby, divided, parted, stored, memory, sums;
  double missing, box, begin, sooner, gathered, exchanged, added;
  double acrossLines, waited, narrow;
};

Times timesOf(const nb::dict &named) {
  auto of = [&](const char *name) { return nb::cast<double>(named[name]); };
  return {of("shared"), of("arriving"),     of("loaded"), of("nearby"),   of("divided"),
          of("parted"), of("stored"),       of("memory"), of("sums"),     of("missing"),
          of("box"),    of("begin"),        of("sooner"), of("gathered"), of("exchanged"),
          of("added"),  of("across_lines"), of("waited"), of("narrow")};
}

constexpr double kNear = 4 << 20;   // bytes that each half of the cache holds beside other data
constexpr double kCache = 50 << 20; // bytes of both halves
constexpr int kFewRows = 32;        // so many rows of A, or fewer, come in boxes that are no higher

struct Rows {
  int64_t rows;
  int warpgroups;
  int64_t mostColumns;
};
constexpr Rows kRows[] = {{256, 2, 192}, {128, 2, 256}, {192, 3, 176}, {64, 1, 256}};
constexpr int64_t kColumns[] = {256, 224, 208, 192, 176, 160, 144, 128, 96, 64, 32};

struct Cluster {
  int rows, columns;
};

int64_t ceilDiv(int64_t extent, int64_t by) { return (extent + by - 1) / by; }

int64_t roundUp(int64_t extent, int64_t by) { return ceilDiv(extent, by) * by; }

/// Blocks that find room at a time in clusters of so many.
int64_t placed(int64_t blocks, int cluster) {
  const double share = cluster <= 2 ? 1.0 : cluster <= 4 ? 0.91 : 0.75;
  return std::max<int64_t>(1, static_cast<int64_t>(blocks * share) / cluster) * cluster;
}

/// Columns that are stored at once: neighbours of a row are a power of two.
int64_t columnsOfPart(int64_t columns, int64_t most, bool swapped) {
  if (!swapped)
    return std::min(columns & -columns, most);
  for (int64_t part = most; part > 8; part -= 8)
    if (columns % part == 0)
      return part;
  return 8;
}

/// Forms are kept that take at most `kTried` times the cycles of the fastest one before them.
constexpr double kTried = 1.3;

struct Form {
  double cycles;
  int64_t rows, columns;
  Cluster cluster;
  int64_t split, parts;
  bool swapped;
};

struct Extents {
  int64_t m, n, k, batch;
};

/// C (m, n) = A (m, k) * B (n, k).
struct Product {
  Extents of;
  int64_t blocks, elementBits;
  bool firstByDepth, secondByDepth; // whether neighbours in A, and in B, are neighbours in k
  bool split, swapped;

  int64_t deep() const { return 1024 / elementBits; }
  int64_t depth() const { return ceilDiv(of.k, deep()); }
  double bytes(int64_t extent) const {
    return static_cast<double>(extent) * of.k * of.batch * elementBits / 8;
  }
};

/// Tiles of so many rows and columns. A multiprocessor works on its tiles one after the other. Each
/// step along the depth takes as long as the slowest of products, shared memory and operands; then
/// results are stored.
class TileForms {
public:
  TileForms(const Product &product, const Times &times, const Rows &of, int64_t columns,
            double &least, std::vector<Form> &forms)
      : product(product), times(times), of(of), columns(columns), least(least), forms(forms),
        down(ceilDiv(product.of.m, of.rows)), along(ceilDiv(product.of.n, columns)),
        count(down * along * product.of.batch) {
    const bool few =
        product.of.m <= kFewRows && of.rows == 64 && product.firstByDepth && !product.swapped;
    present =
        few ? std::max<int64_t>(8, std::bit_ceil(static_cast<uint64_t>(product.of.m))) : of.rows;
    absent = few ? 0 : down * of.rows - product.of.m;
    const double multiplied = of.rows * columns * 1024.0 / (16 * kProducts);
    // Each 64 rows of A are read with all of B.
    const double shared = (of.rows / 64 * (64 + columns) + present + columns) * 128 / times.shared;
    slowest = std::max({multiplied, shared, (present + columns) * 128 / times.arriving});
    across = product.of.k * product.elementBits % 1024 == 0 ? 1.0 : times.acrossLines;
    near = product.bytes(product.of.m) + product.bytes(product.of.n) <= kNear;
  }

  void add() {
    // The first of equally fast forms is chosen: pairs that share the larger operand, unless the
    // cache is near.
    const bool isWide = columns >= of.rows;
    const std::array<Cluster, 8> clusters{{{1, 1},
                                           {1 + isWide, 2 - isWide},
                                           {2 - isWide, 1 + isWide},
                                           {2, 2},
                                           {4, 1},
                                           {1, 4},
                                           {4, 2},
                                           {2, 4}}};
    const bool nearby = near && across == 1.0;
    for (size_t i = 0; i < clusters.size(); ++i) {
      const Cluster cluster = clusters[nearby || i > 2 ? i : (i + 1) % 3];
      // Each block loads a multiple of 4 rows of a box of A that others share.
      if (!isSlow(cluster) && down % cluster.rows == 0 && along % cluster.columns == 0 &&
          present % (4 * cluster.columns) == 0)
        add(nearby ? times.nearby : times.loaded, cluster, 1, 1, 0);
    }
    if (!product.split || product.depth() < 4 || count > 2 * product.blocks)
      return;
    addSplits();
    if (product.of.batch == 1)
      addParts();
  }

private:
  /// Pairs that were slower than the model says: pairs that share columns of a transposed product,
  /// and pairs of a single turn that share an operand with many other blocks.
  bool isSlow(Cluster cluster) const {
    if (cluster.rows * cluster.columns != 2)
      return false;
    const int64_t sharing = cluster.rows == 2 ? down : along;
    return (product.swapped && cluster.rows == 2) ||
           (sharing > 4 && count <= product.blocks && across == 1.0);
  }

  /// Blocks of a cluster share the depth of a tile, and store equal parts of its columns.
  void addSplits() {
    const bool splitsEvenly =
        product.swapped || std::has_single_bit(static_cast<uint64_t>(columns));
    // The sums of larger tiles take too long to exchange.
    if (of.rows * columns > 128 * 128 || !splitsEvenly)
      return;
    for (int split : {2, 4, 8})
      if (count * split <= placed(product.blocks, split) && 2 * split <= product.depth() &&
          columns % ((product.swapped ? 8 : 16) * split) == 0)
        add(times.divided, {1, 1}, split, 1, times.exchanged + of.rows * columns / 8.0);
  }

  /// Parts of the depth, whose products another kernel adds.
  void addParts() {
    int64_t least = ceilDiv(count, product.blocks) * product.depth();
    for (int64_t parts = 2; parts <= 16; ++parts) {
      const int64_t steps = ceilDiv(product.depth(), parts);
      const int64_t turns = ceilDiv(count * parts, product.blocks) * steps;
      if (steps < 4 || (parts - 1) * steps >= product.depth() || turns >= 0.9 * least)
        continue;
      least = turns;
      const double added =
          8.0 * parts * product.of.m * product.of.n / (times.sums * product.blocks);
      add(times.parted, {1, 1}, 1, parts, times.added * (1 + parts) + added);
    }
  }

  /// \param rate bytes of operands from the cache in a cycle.
  /// \param additional cycles at the end.
  void add(double rate, Cluster cluster, int64_t split, int64_t parts, double additional) {
    const int64_t blocks = placed(product.blocks, cluster.rows * cluster.columns);
    const int64_t waves = ceilDiv(count * parts, blocks);
    const int64_t steps = ceilDiv(product.depth(), split * parts);
    if (static_cast<double>(waves * steps) * slowest > kTried * least)
      return;
    const double first = static_cast<double>(present) / cluster.columns;
    const double second = static_cast<double>(columns) / cluster.rows;
    const bool isNarrow = !product.secondByDepth && columns % 64 != 0;
    const double step =
        std::max(slowest, (first + second) * 128 / (rate * across)) * (isNarrow ? times.narrow : 1);
    double work = waves * step;
    // Tiles beyond the edge of an operand take longer to load.
    const double issued = (first + second) * 128 / times.arriving;
    const std::array<std::pair<double, int64_t>, 2> edges{
        {{std::min<double>(absent, first), along},
         {std::min<double>(along * columns - product.of.n, second), down}}};
    for (auto [missing, tiles] : edges)
      if (missing > 0)
        work += std::min(waves, ceilDiv(tiles * product.of.batch * parts, blocks)) *
                std::max(0.0, issued + missing * times.missing - step);
    work = steps * work + waves * stored(split, parts) + times.begin -
           (of.rows == 256 ? times.sooner : 0) + begun(cluster.rows * cluster.columns) + additional;
    // Data that clusters of both halves of the cache read is in both.
    const double read =
        product.bytes(product.of.m) * std::min<int64_t>(2, ceilDiv(along, cluster.columns)) +
        product.bytes(product.of.n) * std::min<int64_t>(2, ceilDiv(down, cluster.rows));
    if (read > kCache)
      work += times.waited * std::max(0.0, read / (times.memory * product.blocks) - work);
    least = std::min(least, work);
    forms.push_back({work, of.rows, columns, cluster, split, parts, product.swapped});
  }

  /// Cycles that the blocks of a larger cluster take longer to begin and end than those of a pair.
  double begun(int blocks) const { return blocks <= 2 ? 0 : times.gathered * columns / blocks; }

  /// Cycles until the results of a tile are stored.
  double stored(int64_t split, int64_t parts) const {
    const int64_t mine = columns / split;
    const double box = 64.0 * of.warpgroups * columnsOfPart(mine, 64, product.swapped);
    return of.rows * mine * ((parts > 1 ? 4 : 2) / times.stored + times.box / box);
  }

  const Product &product;
  const Times &times;
  const Rows &of;
  int64_t columns;
  double &least; // cycles of the fastest form so far
  std::vector<Form> &forms;
  int64_t down, along, count;
  int64_t present,
      absent;     // rows of A that are loaded, and rows of the last tile that are not there
  double slowest; // cycles of a step without what depends on clusters
  bool near;
  double across;
};

/// The columns of tiles that are tried: common numbers, numbers that divide the extent evenly, and
/// numbers by which all tiles take one to three turns of all multiprocessors.
std::vector<int64_t> columnsFor(const Product &product, const Rows &of) {
  // Neighbours along N are swizzled, and stored, by powers of two.
  const int64_t step = !product.secondByDepth ? 32 : product.swapped ? 8 : 16;
  std::vector<int64_t> columns(std::begin(kColumns), std::end(kColumns));
  for (int64_t tiles = 1; tiles <= 8; ++tiles)
    columns.push_back(roundUp(ceilDiv(product.of.n, tiles), step));
  const int64_t others = ceilDiv(product.of.m, of.rows) * product.of.batch;
  for (int64_t turns = 1; turns <= 3; ++turns)
    if (int64_t tiles = turns * product.blocks / others)
      columns.push_back(roundUp(ceilDiv(product.of.n, tiles), step));
  std::vector<int64_t> tried;
  for (int64_t each : columns)
    if (each <= of.mostColumns && each % step == 0 &&
        std::find(tried.begin(), tried.end(), each) == tried.end())
      tried.push_back(each);
  return tried;
}

std::vector<Form> formsOf(Product product, const Times &times, bool swap) {
  std::vector<Form> forms;
  forms.reserve(256);
  double least = std::numeric_limits<double>::infinity();
  for (bool swapped : {false, true}) {
    if (swapped) {
      if (!swap)
        break;
      std::swap(product.of.m, product.of.n);
      std::swap(product.firstByDepth, product.secondByDepth);
      product.swapped = true;
    }
    for (const Rows &rows : kRows)
      for (int64_t columns : columnsFor(product, rows))
        TileForms(product, times, rows, columns, least, forms).add();
  }
  return forms;
}

using FormTuple =
    std::tuple<double, int64_t, int64_t, std::tuple<int, int>, int64_t, int64_t, bool>;

} // namespace

void bindProductTiles(nb::module_ &m) {
  m.def(
      "product_tiles",
      [](int64_t rows, int64_t columns, int64_t depth, int64_t batch, int64_t blocks,
         int64_t elementBits, const std::string &majors, bool split, bool swap, size_t most,
         const nb::dict &times) {
        Product product{{rows, columns, depth, batch},
                        blocks,
                        elementBits,
                        majors[0] == 'k',
                        majors[1] == 'k',
                        split,
                        false};
        std::vector<Form> forms = formsOf(product, timesOf(times), swap);
        auto sooner = [](const Form &a, const Form &b) { return a.cycles < b.cycles; };
        if (most == 1)
          forms = {*std::min_element(forms.begin(), forms.end(), sooner)};
        std::stable_sort(forms.begin(), forms.end(), sooner);
        forms.resize(std::min(most, forms.size()));
        std::vector<FormTuple> best;
        for (const Form &form : forms) {
          best.emplace_back(form.cycles, form.rows, form.columns,
                            std::tuple(form.cluster.rows, form.cluster.columns), form.split,
                            form.parts, form.swapped);
        }
        return best;
      },
      nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("batch"), nb::arg("blocks"),
      nb::arg("element_bits"), nb::arg("majors"), nb::arg("split"), nb::arg("swap"),
      nb::arg("most"), nb::arg("times"));
}

} // namespace fairlead::python
