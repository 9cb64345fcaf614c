/// The tiles of products of matrices for GPUs of compute capability 9.0: a model counts cycles, and
/// boosted trees, fitted to measured times, correct them. fairlead.ops asks once for each shape, so
/// that it is not Python.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "Values.h"

#include "fairlead/Diagnostics.h"

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
// The cache holds operands of so many bytes from call to call only if each multiprocessor reads
// the same ones again, and blocks that start early are on other multiprocessors: from the second
// number up to the third; from the first number on if many multiprocessors have no block.
constexpr double kResident[] = {30e6, 40e6, 50e6};
constexpr int kFewProducts = 128; // so many rows or columns take less time to multiply than to load
constexpr int kStoredAtOnce = 128; // so many rows of A, or fewer, are stored from registers
constexpr int kFewRows = 32;       // so many rows of A, or fewer, come in boxes that are no higher

/// Rows of tiles, and how many warpgroups compute one. If they alternate, another warpgroup
/// computes the next tile while results are stored.
struct Rows {
  int64_t rows;
  int warpgroups;
  int64_t mostColumns;
  bool alternating = false;
};
constexpr Rows kRows[] = {
    {256, 2, 192}, {128, 2, 256}, {192, 3, 176}, {64, 1, 256}, {128, 1, 160, true}};
constexpr int64_t kColumns[] = {256, 224, 208, 192, 176, 160, 144, 128, 96, 64, 32};

struct Cluster {
  int rows, columns;
};

int64_t ceilDiv(int64_t extent, int64_t by) { return (extent + by - 1) / by; }

int64_t roundUp(int64_t extent, int64_t by) { return ceilDiv(extent, by) * by; }

/// Blocks that find room at a time in clusters of so many, a power of two.
int64_t placed(int64_t blocks, unsigned cluster) {
  const double share = cluster <= 2 ? 1.0 : 0.91;
  const auto placed = static_cast<int64_t>(blocks * share) & -static_cast<int64_t>(cluster);
  return std::max<int64_t>(placed, cluster);
}

/// Columns that are stored at once: neighbours of a row are a power of two, or come from registers.
int columnsOfPart(int columns, int most, bool swapped) {
  if (!swapped && columns % 16 != 0)
    return columns;
  if (!swapped)
    return std::min(columns & -columns, most);
  for (int part = most; part > 8; part -= 8)
    if (columns % part == 0)
      return part;
  return 8;
}

/// Forms are kept that take at most `kTried` times the cycles of the fastest one before them.
constexpr double kTried = 1.25;
/// About so many of them are corrected.
constexpr size_t kMostForms = 120;

/// What the correction of a form's cycles depends on: first what all forms of a product have in
/// common, then those of a tile; last the logarithm of the cycles, and how much it is above the
/// least one of the product.
constexpr int kOfTile = 16, kFeatures = 35;
using Features = std::array<float, kFeatures>;

/// How long a form takes, and what this depends on.
struct Work {
  int64_t blocks, waves, steps; // blocks at a time; turns of all of them; steps of a tile
  double first, second;         // rows of A and columns of B that a block loads in a step
  double loads, loop, stores;   // cycles to load these, of all steps, and of all stores
  double read;                  // bytes
  double cycles;
};

struct Form {
  double cycles;
  int64_t rows, columns;
  Cluster cluster;
  int64_t split, parts;
  bool swapped, alternating;
  bool overlaps; // whether blocks may start while the kernel before ends
  Work work;
};

/// What a feature's integer is: the distance from where its range begins, times the scale.
struct Ranges {
  std::array<float, kFeatures> begins, scales;
};

/// Boosted trees, fitted to measured times. On each level, a tree asks the same question of all
/// forms: whether one feature is greater than a threshold. The six answers are the number of a
/// leaf, and the sum of all trees' leaves corrects the logarithm of the cycles. The questions are
/// asked of integers of 16 bits, of eight forms at a time.
class Trees {
public:
  explicit Trees(const nb::bytes &table) {
    const size_t ofTrees = table.size() - std::min(table.size(), sizeof(ranges));
    if (ofTrees == 0 || ofTrees % sizeof(Tree) != 0)
      throw makeError(Diagnostic::ArgumentValue,
                      {{"function", "ProductTrees"},
                       {"expected", std::to_string(sizeof(ranges)) + " bytes, and " +
                                        std::to_string(sizeof(Tree)) + " for each tree"},
                       {"got", std::to_string(table.size())}});
    std::memcpy(&ranges, table.data(), sizeof(ranges));
    trees.resize(ofTrees / sizeof(Tree));
    std::memcpy(trees.data(), static_cast<const char *>(table.data()) + sizeof(ranges), ofTrees);
    for (const Tree &tree : trees)
      for (uint8_t feature : tree.features)
        if (feature >= kFeatures)
          throw makeError(Diagnostic::ArgumentValue,
                          {{"function", "ProductTrees"},
                           {"expected", "features below " + std::to_string(kFeatures)},
                           {"got", std::to_string(feature)}});
  }

  /// Integers of each feature, of all forms.
  class Integers {
  public:
    Integers(const Trees &trees, size_t forms)
        : ranges(trees.ranges), stride((forms + kTogether - 1) / kTogether * kTogether),
          values(kFeatures * stride) {}

    void add(const Features &features) {
      // Loops that the compiler makes vectors of: std::clamp would keep it from that.
      std::array<int16_t, kFeatures> integers;
      for (int i = 0; i < kFeatures; ++i) {
        float scaled = (features[i] - ranges.begins[i]) * ranges.scales[i];
        scaled = scaled < kMost ? scaled : kMost;
        scaled = scaled > -kMost ? scaled : -kMost;
        integers[i] = static_cast<int16_t>(static_cast<int32_t>(scaled));
      }
      for (int i = 0; i < kFeatures; ++i)
        values[i * stride + count] = integers[i];
      ++count;
    }

  private:
    friend Trees;
    static constexpr float kMost = 32767;
    const Ranges &ranges;
    size_t stride, count = 0;
    std::vector<int16_t> values;
  };

  /// Correct the cycles of forms whose features were added. If only the fastest one is asked for,
  /// later trees correct those forms alone that are the fastest ones by the trees before.
  void correct(std::vector<Form> &forms, Integers &integers, bool onlyFastest) const {
    size_t done = 0;
    for (const Stage &stage : kStages)
      if (onlyFastest && stage.trees < trees.size()) {
        correct(forms, integers, done, stage.trees);
        keepFastest(stage.kept, forms, integers);
        done = stage.trees;
      }
    correct(forms, integers, done, trees.size());
  }

private:
  static constexpr int kLevels = 6;
  static constexpr size_t kTogether = 8;
  using Lanes [[gnu::vector_size(2 * kTogether)]] = int16_t;
  struct Stage {
    size_t trees, kept; // how many trees correct all forms left, and how many forms are left then
  };
  static constexpr Stage kStages[] = {{30, 48}, {100, 8}};

  struct Tree {
    float unit; // of the leaves
    std::array<int16_t, kLevels> thresholds;
    std::array<uint8_t, kLevels> features;
    std::array<int8_t, 1 << kLevels> leaves;
    std::array<uint8_t, 2> unused;
  };
  static_assert(sizeof(Tree) == 88, "fit_tiles.py writes them");

  void correct(std::vector<Form> &forms, const Integers &integers, size_t begin, size_t end) const {
    for (size_t form = 0; form < forms.size(); form += kTogether) {
      std::array<float, kTogether> sums{};
      for (size_t tree = begin; tree < end; ++tree)
        add(trees[tree], &integers.values[form], integers.stride, sums);
      for (size_t i = 0; i < std::min(kTogether, forms.size() - form); ++i)
        forms[form + i].cycles *= std::exp(sums[i]);
    }
  }

  static void add(const Tree &tree, const int16_t *integers, size_t stride,
                  std::array<float, kTogether> &sums) {
    // The compiler does not make vectors of such short loops.
    Lanes leaf{};
    for (int level = 0; level < kLevels; ++level) {
      Lanes values;
      std::memcpy(&values, integers + tree.features[level] * stride, sizeof(values));
      leaf += leaf - (values > tree.thresholds[level]); // -1 where this is true
    }
    for (size_t i = 0; i < kTogether; ++i)
      sums[i] += tree.unit * tree.leaves[leaf[i]];
  }

  static void keepFastest(size_t kept, std::vector<Form> &forms, Integers &integers) {
    if (forms.size() <= kept)
      return;
    std::vector<size_t> order(forms.size());
    std::iota(order.begin(), order.end(), 0);
    std::nth_element(order.begin(), order.begin() + kept, order.end(),
                     [&](size_t a, size_t b) { return forms[a].cycles < forms[b].cycles; });
    order.resize(kept);
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < kept; ++i) {
      forms[i] = forms[order[i]];
      for (int feature = 0; feature < kFeatures; ++feature)
        integers.values[feature * integers.stride + i] =
            integers.values[feature * integers.stride + order[i]];
    }
    forms.resize(kept);
  }

  Ranges ranges;
  std::vector<Tree> trees;
};

struct Extents {
  int64_t m, n, k, batch;
};

/// Steps of a depth that is divided into so many parts.
constexpr int kMostParts = 16;
std::array<int64_t, kMostParts + 1> dividedSteps(int64_t depth) {
  std::array<int64_t, kMostParts + 1> steps{};
  for (int parts = 1; parts <= kMostParts; ++parts)
    steps[parts] = ceilDiv(depth, parts);
  return steps;
}

/// C (m, n) = A (m, k) * B (n, k).
struct Product {
  Extents of;
  int64_t blocks, elementBits;
  bool isCorrected;                 // whether trees correct the cycles
  bool firstByDepth, secondByDepth; // whether neighbours in A, and in B, are neighbours in k
  bool split, swapped;
  int64_t depth = ceilDiv(of.k, 1024 / elementBits); // steps along K
  std::array<int64_t, kMostParts + 1> steps = dividedSteps(depth);
  double bytes(int64_t extent) const {
    return static_cast<double>(extent) * of.k * of.batch * elementBits / 8;
  }
  double operands = std::min(of.m, of.n) <= kFewProducts ? bytes(of.m + of.n) : 0;
};

/// Tiles of so many rows and columns. A multiprocessor works on its tiles one after the other. Each
/// step along the depth takes as long as the slowest of products, shared memory and operands; then
/// results are stored.
class TileForms {
public:
  TileForms(const Product &product, const Times &times, const Rows &of, int64_t columns)
      : product(product), times(times), of(of), columns(columns),
        down(ceilDiv(product.of.m, of.rows)), along(ceilDiv(product.of.n, columns)),
        count(down * along * product.of.batch) {
    const bool few =
        product.of.m <= kFewRows && of.rows == 64 && product.firstByDepth && !product.swapped;
    present =
        few ? std::max<int64_t>(8, std::bit_ceil(static_cast<uint64_t>(product.of.m))) : of.rows;
    absent = few ? 0 : down * of.rows - product.of.m;
    multiplied = of.rows * columns * 1024.0 / (16 * kProducts);
    // Each 64 rows of A are read with all of B.
    const double shared = (of.rows / 64 * (64 + columns) + present + columns) * 128 / times.shared;
    slowest = std::max({multiplied, shared, (present + columns) * 128 / times.arriving});
    firstBegins = beginsLines(product.firstByDepth ? product.of.k : product.of.m);
    secondBegins = beginsLines(product.secondByDepth ? product.of.k : product.of.n);
    nearby = firstBegins && secondBegins &&
             product.bytes(product.of.m) + product.bytes(product.of.n) <= kNear;
    box = 64.0 * of.warpgroups * columnsOfPart(columns, 64, product.swapped);
  }

  /// \param least cycles of the fastest form so far.
  void add(double &least, std::vector<Form> &forms) const {
    // In a single turn nothing alternates. The model alone does not know how fast alternating is.
    if (areSlow(least) || (of.alternating && (!product.isCorrected || count <= product.blocks)))
      return;
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
    for (size_t i = 0; i < (of.alternating ? 3 : clusters.size()); ++i) {
      const Cluster cluster = clusters[nearby || i > 2 ? i : (i + 1) % 3];
      if (fits(cluster) && (product.isCorrected || !isSlow(cluster)))
        add(cluster, 1, 1, least, forms);
    }
  }

  /// Add forms whose depth is divided.
  void addDivided(double &least, std::vector<Form> &forms) const {
    if (!product.split || of.alternating || product.depth < 4 || count > 2 * product.blocks ||
        areSlow(least))
      return;
    addSplits(least, forms);
    if (product.of.batch == 1)
      addParts(least, forms);
  }

  bool isOf(const Form &form) const {
    return form.rows == of.rows && form.alternating == of.alternating && form.columns == columns &&
           form.swapped == product.swapped;
  }

  /// What the correction of its forms' cycles depends on.
  void describe(Features &features) const {
    const Extents &all = product.of;
    const bool swapped = product.swapped;
    fill(features.data(),
         {logarithm(swapped ? all.n : all.m), logarithm(swapped ? all.m : all.n), logarithm(all.k),
          logarithm(all.batch), double(firstBegins), double(secondBegins), double(nearby),
          double(swapped ? product.secondByDepth : product.firstByDepth),
          double(swapped ? product.firstByDepth : product.secondByDepth), double(swapped),
          logarithm(of.rows), logarithm(columns), logarithm(multiplied / slowest), logarithm(box),
          double(isNarrow()), double(of.alternating)});
  }

  /// What the correction of this form's cycles depends on.
  /// \param least cycles of the fastest form of the product.
  void describe(const Form &form, double least, Features &features) const {
    const Work &work = form.work;
    const int64_t loading = along * product.of.batch;
    const int64_t incomplete =
        absent > 0 ? std::min(work.waves, ceilDiv(loading * form.parts, work.blocks)) : 0;
    fill(features.data() + kOfTile,
         {logarithm(form.cluster.rows), logarithm(form.cluster.columns), logarithm(form.split),
          logarithm(form.parts), logarithm(work.waves),
          logarithm(std::min(1.0, double(count * form.parts * form.split) / product.blocks)),
          logarithm(work.steps), logarithm(work.loads / slowest), logarithm(work.read / kCache),
          logarithm((work.first + work.second) * 128 * product.depth * count / product.blocks /
                    work.cycles),
          work.loop / work.cycles, work.stores / work.cycles,
          std::min<double>(absent, work.first) / of.rows,
          std::min<double>(along * columns - product.of.n, work.second) / columns,
          double(incomplete) / work.waves, double(isSlow(form.cluster)), double(!form.overlaps),
          logarithm(work.cycles), logarithm(work.cycles / least)});
  }

private:
  static double logarithm(double value) { return std::log(static_cast<float>(value)); }

  static void fill(float *features, std::initializer_list<double> values) {
    std::copy(values.begin(), values.end(), features);
  }

  /// Clusters divide the tiles, and each block loads a multiple of 4 rows of a box of A that others
  /// share.
  bool fits(Cluster cluster) const {
    // Powers of two: a division for each cluster takes too long.
    return (down & (cluster.rows - 1)) == 0 && (along & (cluster.columns - 1)) == 0 &&
           (present & (4 * cluster.columns - 1)) == 0;
  }

  /// True if products alone take too many cycles, on all multiprocessors.
  bool areSlow(double least) const {
    const double turns = static_cast<double>(count * product.depth) / product.blocks;
    return turns * slowest + begun() > kTried * least;
  }

  /// True if rows of so many neighbours begin where a line of the cache does.
  bool beginsLines(int64_t neighbours) const {
    return neighbours * product.elementBits % 1024 == 0;
  }

  bool isNarrow() const { return !product.secondByDepth && columns % 64 != 0; }

  /// Pairs that were slower than the model says: pairs that share columns of a transposed product,
  /// and pairs of a single turn that share an operand with many other blocks.
  bool isSlow(Cluster cluster) const {
    if (cluster.rows * cluster.columns != 2)
      return false;
    const int64_t sharing = cluster.rows == 2 ? down : along;
    return (product.swapped && cluster.rows == 2) ||
           (sharing > 4 && count <= product.blocks && firstBegins && secondBegins);
  }

  /// Blocks of a cluster share the depth of a tile, and store equal parts of its columns.
  /// Pairs may be in a larger cluster, which shares operands; the trees know when this helps.
  void addSplits(double &least, std::vector<Form> &forms) const {
    const bool splitsEvenly =
        product.swapped || std::has_single_bit(static_cast<uint64_t>(columns));
    // The sums of larger tiles take too long to exchange.
    if (of.rows * columns > 128 * 128 || !splitsEvenly)
      return;
    for (int split : {2, 4, 8})
      if (2 * split <= product.depth && columns % ((product.swapped ? 8 : 16) * split) == 0) {
        addSplit({1, 1}, split, least, forms);
        if (split == 2 && product.isCorrected)
          for (const Cluster cluster :
               {Cluster{2, 1}, Cluster{1, 2}, Cluster{4, 1}, Cluster{1, 4}, Cluster{2, 2}})
            addSplit(cluster, split, least, forms);
      }
  }

  void addSplit(Cluster cluster, int split, double &least, std::vector<Form> &forms) const {
    const int blocks = cluster.rows * cluster.columns * split;
    if (fits(cluster) && count * split <= placed(product.blocks, blocks))
      add(cluster, split, 1, least, forms);
  }

  /// Parts of the depth, whose products another kernel adds.
  void addParts(double &least, std::vector<Form> &forms) const {
    int64_t fewest = ceilDiv(count, product.blocks) * product.depth;
    // Turns of all multiprocessors, and blocks left: a division for each number takes too long.
    const int64_t whole = count / product.blocks, left = count % product.blocks;
    int64_t full = whole, rest = left;
    for (int64_t parts = 2; parts <= kMostParts; ++parts) {
      full += whole + (rest + left >= product.blocks);
      rest = (rest + left) - (rest + left >= product.blocks ? product.blocks : 0);
      const int64_t steps = product.steps[parts], turns = (full + (rest > 0)) * steps;
      if (steps < 4 || (parts - 1) * steps >= product.depth || turns >= 0.9 * fewest)
        continue;
      fewest = turns;
      add({1, 1}, 1, parts, least, forms);
      for (const Cluster pair : {Cluster{2, 1}, Cluster{1, 2}})
        if (product.isCorrected && fits(pair))
          add(pair, 1, parts, least, forms);
    }
  }

  void add(Cluster cluster, int64_t split, int64_t parts, double &least,
           std::vector<Form> &forms) const {
    const int64_t waves =
        ceilDiv(count * parts, placed(product.blocks, cluster.rows * cluster.columns));
    const int64_t steps = waves * product.steps[split * parts];
    if (static_cast<double>(steps) * slowest + begun() + added(split, parts) > kTried * least)
      return;
    const Work work = workOf(cluster, split, parts);
    least = std::min(least, work.cycles);
    forms.push_back({work.cycles, of.rows, columns, cluster, split, parts, product.swapped,
                     of.alternating, overlaps(cluster, split, parts), work});
  }

  /// True unless blocks find operands in the cache only if none starts early.
  bool overlaps(Cluster cluster, int64_t split, int64_t parts) const {
    if (product.operands < kResident[0] || product.operands > kResident[2])
      return true;
    const bool areFew = parts == 1 && cluster.rows * cluster.columns != 2 &&
                        4 * count * split <= 3 * product.blocks;
    return product.operands < kResident[1] && !areFew;
  }

  /// Bytes of operands from the cache in a cycle.
  double rate(int64_t split, int64_t parts) const {
    return split > 1   ? times.divided
           : parts > 1 ? times.parted
           : nearby    ? times.nearby
                       : times.loaded;
  }

  /// Cycles until sums of shares or of parts of the depth are added.
  double added(int64_t split, int64_t parts) const {
    if (split > 1)
      return times.exchanged + of.rows * columns / 8.0;
    if (parts == 1)
      return 0;
    const double sums = 8.0 * parts * product.of.m * product.of.n;
    return times.added * (1 + parts) + sums / (times.sums * product.blocks);
  }

  Work workOf(Cluster cluster, int64_t split, int64_t parts) const {
    const int64_t size = cluster.rows * cluster.columns, blocks = placed(product.blocks, size);
    Work work{};
    work.blocks = blocks;
    work.waves = ceilDiv(count * parts, blocks);
    work.steps = product.steps[split * parts];
    work.first = static_cast<double>(present) / cluster.columns;
    work.second = static_cast<double>(columns) / cluster.rows;
    const double bytes = (work.first + work.second) * 128;
    work.loads =
        128 *
        (work.first / (firstBegins ? 1 : times.acrossLines) +
         work.second * (isNarrow() ? times.narrow : 1) / (secondBegins ? 1 : times.acrossLines)) /
        rate(split, parts);
    const double step = std::max(slowest, work.loads);
    double turns = work.waves * step;
    // Tiles beyond the edge of an operand take longer to load.
    const std::array<std::pair<double, int64_t>, 2> edges{
        {{std::min<double>(absent, work.first), along},
         {std::min<double>(along * columns - product.of.n, work.second), down}}};
    for (auto [missing, tiles] : edges)
      if (missing > 0)
        turns += std::min(work.waves, ceilDiv(tiles * product.of.batch * parts, blocks)) *
                 std::max(0.0, bytes / times.arriving + missing * times.missing - step);
    work.loop = work.steps * turns;
    work.stores = work.waves * stored(split, parts);
    if (of.alternating)
      work.stores -= (work.waves - 1) * std::min(stored(1, 1), work.loop / work.waves);
    work.cycles = work.loop + work.stores + begun() + gathered(size) + added(split, parts);
    // Data that clusters of both halves of the cache read is in both.
    work.read =
        product.bytes(product.of.m) * std::min<int64_t>(2, ceilDiv(along, cluster.columns)) +
        product.bytes(product.of.n) * std::min<int64_t>(2, ceilDiv(down, cluster.rows));
    if (work.read > kCache)
      work.cycles +=
          times.waited * std::max(0.0, work.read / (times.memory * product.blocks) - work.cycles);
    return work;
  }

  /// Cycles until first operands are there, and after the last results.
  double begun() const { return times.begin - (of.rows == 256 ? times.sooner : 0); }

  /// Cycles that the blocks of a larger cluster take longer to begin and end than those of a pair.
  /// Half of them if trees correct the form, so that it is tried.
  double gathered(int64_t blocks) const {
    return blocks <= 2 ? 0 : times.gathered * columns / (product.isCorrected ? 2 * blocks : blocks);
  }

  /// Cycles until the results of a tile are stored.
  double stored(int64_t split, int64_t parts) const {
    const int64_t mine = columns / split;
    const double stored =
        split == 1 ? box : 64.0 * of.warpgroups * columnsOfPart(mine, 64, product.swapped);
    return of.rows * mine * ((parts > 1 ? 4 : 2) / times.stored + times.box / stored);
  }

  const Product &product;
  const Times &times;
  const Rows &of;
  int64_t columns;
  int64_t down, along, count;
  int64_t present,
      absent; // rows of A that are loaded, and rows of the last tile that are not there
  double multiplied, slowest;     // cycles of a step: of products; without what depends on clusters
  bool nearby;                    // whether each half of the cache holds all operands
  bool firstBegins, secondBegins; // whether rows of A, and of B, begin where lines of the cache do
  double box;                     // results that are stored at once
};

/// The columns of tiles that are tried: common numbers, numbers that divide the extent evenly, and
/// numbers by which all tiles take one to three turns of all multiprocessors.
std::vector<int64_t> columnsFor(const Product &product, const Rows &of) {
  // Neighbours along N are swizzled, and stored, by powers of two.
  const int64_t step = !product.secondByDepth ? 32 : product.swapped ? 8 : 16;
  std::vector<int64_t> columns(std::begin(kColumns), std::end(kColumns));
  const int64_t others = ceilDiv(product.of.m, of.rows) * product.of.batch;
  auto addEven = [&](int64_t by) {
    for (int64_t tiles = 1; tiles <= 8; ++tiles)
      columns.push_back(roundUp(ceilDiv(product.of.n, tiles), by));
    for (int64_t turns = 1; turns <= 3; ++turns)
      if (int64_t tiles = turns * product.blocks / others)
        columns.push_back(roundUp(ceilDiv(product.of.n, tiles), by));
  };
  addEven(step);
  // Results of 8 columns are stored from registers, which takes too long for many rows.
  const bool isFine =
      product.isCorrected && step == 16 && std::max(product.of.m, of.rows) <= kStoredAtOnce;
  if (isFine)
    addEven(8);
  std::vector<int64_t> tried;
  for (int64_t each : columns)
    if (each <= of.mostColumns && each % (isFine ? 8 : step) == 0 &&
        std::find(tried.begin(), tried.end(), each) == tried.end())
      tried.push_back(each);
  return tried;
}

/// The product of which tiles are: this one, or the transposed one.
Product productOf(Product product, bool swapped) {
  if (swapped) {
    std::swap(product.of.m, product.of.n);
    std::swap(product.firstByDepth, product.secondByDepth);
    product.swapped = true;
  }
  return product;
}

std::vector<Form> formsOf(const Product &product, const Times &times, bool swap) {
  std::vector<Form> forms;
  forms.reserve(512);
  double least = std::numeric_limits<double>::infinity();
  const Product products[] = {product, productOf(product, true)};
  std::vector<TileForms> tiles;
  tiles.reserve(256);
  for (int swapped = 0; swapped <= swap; ++swapped)
    for (const Rows &rows : kRows)
      for (int64_t columns : columnsFor(products[swapped], rows))
        tiles.emplace_back(products[swapped], times, rows, columns);
  // Small tiles first: they are the fastest ones where many forms are tried. Without corrections,
  // the first of equally fast forms is chosen.
  for (size_t i = 0; i < tiles.size(); ++i) {
    const TileForms &each = tiles[product.isCorrected ? tiles.size() - 1 - i : i];
    each.addDivided(least, forms);
    each.add(least, forms);
  }
  // The first ones were kept for lack of better ones.
  double most = kTried * least;
  if (forms.size() > kMostForms) {
    std::vector<double> cycles;
    for (const Form &form : forms)
      cycles.push_back(form.cycles);
    std::nth_element(cycles.begin(), cycles.begin() + kMostForms, cycles.end());
    most = std::min(most, cycles[kMostForms]);
  }
  std::erase_if(forms, [=](const Form &form) { return form.cycles > most; });
  return forms;
}

bool isSooner(const Form &a, const Form &b) { return a.cycles < b.cycles; }

/// Call `use(form, features)` for each form.
template <typename Use>
void withFeatures(std::vector<Form> &forms, const Product &product, const Times &times, Use use) {
  const Product products[] = {product, productOf(product, true)};
  std::optional<TileForms> tile;
  Features features{};
  const double least = std::min_element(forms.begin(), forms.end(), isSooner)->cycles;
  for (Form &form : forms) {
    if (!tile || !tile->isOf(form)) {
      const Rows &rows = *std::find_if(std::begin(kRows), std::end(kRows), [&](const Rows &each) {
        return each.rows == form.rows && each.alternating == form.alternating;
      });
      tile.emplace(products[form.swapped], times, rows, form.columns);
      tile->describe(features);
    }
    tile->describe(form, least, features);
    use(form, features);
  }
}

using FormTuple =
    std::tuple<double, int64_t, int64_t, std::tuple<int, int>, int64_t, int64_t, bool, bool, bool>;

FormTuple tupleOf(const Form &form) {
  return {
      form.cycles,  form.rows,  form.columns, std::tuple(form.cluster.rows, form.cluster.columns),
      form.split,   form.parts, form.swapped, form.alternating,
      form.overlaps};
}

/// The fastest forms, the fastest first.
std::vector<FormTuple> fastest(std::vector<Form> forms, size_t most) {
  if (most == 1)
    forms = {*std::min_element(forms.begin(), forms.end(), isSooner)};
  std::stable_sort(forms.begin(), forms.end(), isSooner);
  forms.resize(std::min(most, forms.size()));
  std::vector<FormTuple> best;
  std::transform(forms.begin(), forms.end(), std::back_inserter(best), tupleOf);
  return best;
}

} // namespace

void bindProductTiles(nb::module_ &m) {
  nb::class_<Trees>(m, "ProductTrees").def(nb::init<const nb::bytes &>(), nb::arg("table"));
  m.def(
      "product_tiles",
      [](int64_t rows, int64_t columns, int64_t depth, int64_t batch, int64_t blocks,
         int64_t elementBits, const std::string &majors, bool split, bool swap, size_t most,
         const nb::dict &named, const Trees *trees) {
        const Product product{{rows, columns, depth, batch},
                              blocks,
                              elementBits,
                              trees != nullptr,
                              majors[0] == 'k',
                              majors[1] == 'k',
                              split,
                              false};
        const Times times = timesOf(named);
        std::vector<Form> forms = formsOf(product, times, swap);
        if (product.isCorrected) {
          Trees::Integers integers(*trees, forms.size());
          withFeatures(forms, product, times,
                       [&](const Form &, const Features &features) { integers.add(features); });
          trees->correct(forms, integers, most == 1);
        }
        return fastest(std::move(forms), most);
      },
      nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("batch"), nb::arg("blocks"),
      nb::arg("element_bits"), nb::arg("majors"), nb::arg("split"), nb::arg("swap"),
      nb::arg("most"), nb::arg("times"), nb::arg("trees").none());
  m.def(
      "product_features",
      [](int64_t rows, int64_t columns, int64_t depth, int64_t batch, int64_t blocks,
         const std::string &majors, const nb::dict &named) {
        const Product product{{rows, columns, depth, batch},
                              blocks,
                              16,
                              true,
                              majors[0] == 'k',
                              majors[1] == 'k',
                              true,
                              false};
        const Times times = timesOf(named);
        std::vector<std::tuple<FormTuple, std::vector<float>>> result;
        std::vector<Form> forms = formsOf(product, times, true);
        withFeatures(forms, product, times, [&](Form &form, const Features &features) {
          result.emplace_back(tupleOf(form), std::vector(features.begin(), features.end()));
        });
        return result;
      },
      nb::arg("m"), nb::arg("n"), nb::arg("k"), nb::arg("batch"), nb::arg("blocks"),
      nb::arg("majors"), nb::arg("times"));
}

} // namespace fairlead::python
