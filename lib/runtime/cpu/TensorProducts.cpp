/// FairleadCpuTensorMemoryMma and FairleadCpuTensorMemoryScaledMma: a product of operands in shared
/// memory, A also in tensor memory, whose sums are in tensor memory. Sums are computed in double
/// precision and rounded once.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fairlead/TensorMemoryCpu.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/DelayedWork.h"
#include "runtime/cpu/SharedOperand.h"
#include "runtime/cpu/TensorMemory.h"

namespace fairlead::cpu {
namespace {

/// The operand that a descriptor of tcgen05.mma tells.
SharedOperand tensorOperand(const void *shared, int64_t descriptor, int type, bool transposed) {
  constexpr int kSwizzles[] = {0, 4, 3, 3, 2, 2, 1, 1};
  const auto bits = static_cast<uint64_t>(descriptor);
  return {shared, bits, kSwizzles[bits >> 61], type, transposed};
}

/// The blocks of a product: one, or the two of a pair, the even one first.
class ProductBlocks {
public:
  ProductBlocks(const void *shared, bool isPair) : shared(shared), number(isPair ? 2 : 1) {}

  size_t size() const { return number; }
  const void *sharedOf(size_t block) const {
    return place.cluster ? place.cluster->map(shared, place.rank, rankOf(block)) : shared;
  }
  TensorMemory &memoryOf(size_t block) const { return tensorMemoryOf(rankOf(block)); }
  size_t rankOf(size_t block) const {
    return number == 1 || !place.cluster
               ? place.rank
               : std::min((place.rank & ~size_t{1}) + block, place.cluster->size() - 1);
  }

private:
  const void *shared;
  size_t number;
  const BlockInCluster place = blockInCluster();
};

/// The lane of a row of sums, and of A in tensor memory: 64 rows of one block have 16 lanes of each
/// warp's 32.
uint32_t laneOf(int row, int rows, bool isPair) {
  return static_cast<uint32_t>(rows == 64 && !isPair ? row % 16 + row / 16 * 32 : row);
}

/// The cells of a block's sums.
class SumPlaces {
public:
  SumPlaces(TensorAddress first, int rows, int columns, bool isPair)
      : first(first), rows(rows), columns(columns), isPair(isPair) {}

  /// Returns the number of columns that the sums take.
  int columnsUsed() const { return rows == 64 && isPair ? columns / 2 : columns; }
  /// Returns the cell of row `m` of the block's rows and column `n` of the product.
  TensorAddress at(int m, int n) const {
    TensorAddress place = first;
    if (rows == 64 && isPair) { // the right half is below the left one
      const int half = columns / 2;
      place.lane += static_cast<uint32_t>(m + (n >= half ? 64 : 0));
      place.column += static_cast<uint32_t>(n % half);
      return place;
    }
    place.lane += laneOf(m, rows, isPair);
    place.column += static_cast<uint32_t>(n);
    return place;
  }

private:
  TensorAddress first;
  int rows, columns;
  bool isPair;
};

/// Rows of A in a block's tensor memory, packed along K. It holds 64 rows of a pair twice.
class TensorRows {
public:
  TensorRows(TensorMemory &memory, TensorAddress first, int type, int rows, bool isPair)
      : memory(memory), first(first), type(type), rows(rows), isPair(isPair) {
    requireReserved(memory, "multiplies", first, kColumns);
  }

  /// Returns the number of rows.
  int size() const { return rows; }
  /// Reads the elements of a row. Returns false if a part of them has no value.
  bool row(int index, double *elements) const {
    const uint32_t lane = first.lane + laneOf(index, rows, isPair);
    char bytes[kProductBytes];
    bool hasValue = true;
    for (uint32_t column = 0; column < kColumns; ++column) {
      const uint32_t word = memory.cell(lane, first.column + column);
      std::memcpy(bytes + sizeof word * column, &word, sizeof word);
      hasValue = hasValue && !memory.lacksValue(lane, first.column + column);
      if (rows == 64 && isPair && memory.cell(lane + 64, first.column + column) != word)
        memory.noteProblem("multiplies lanes " + std::to_string(lane) + " and " +
                           std::to_string(lane + 64) +
                           " of tensor memory, which have to hold the same row of A");
    }
    const int size = productBytes(type);
    for (int k = 0; k < productDepth(type); ++k)
      elements[k] = decodedElement(bytes + k * size, type);
    return hasValue;
  }

private:
  static constexpr int kColumns = kProductBytes / 4;

  TensorMemory &memory;
  TensorAddress first;
  int type, rows;
  bool isPair;
};

/// Rows of K elements, as numbers.
class Matrix {
public:
  Matrix(int rows, int depth)
      : depth(depth), numbers(static_cast<size_t>(rows) * depth),
        noValue(static_cast<size_t>(rows)) {}
  double *row(int index) { return &numbers[static_cast<size_t>(index) * depth]; }
  /// Reads the first `rows` rows of an operand into the rows from `first` on.
  void read(const SharedOperand &operand, int first, int rows, ValueObserver *values) {
    float elements[kMostDepth];
    for (int index = 0; index < rows; ++index) {
      operand.row(index, elements);
      std::copy_n(elements, depth, row(first + index));
      if (values)
        noValue[static_cast<size_t>(first + index)] = operand.lacks(index, *values);
    }
  }
  /// Reads rows of A in tensor memory.
  void read(const TensorRows &rows) {
    for (int index = 0; index < rows.size(); ++index)
      noValue[static_cast<size_t>(index)] = !rows.row(index, row(index));
  }
  /// Multiplies the elements of all rows by their scale factors.
  void scale(const ScaleFactors &scales) {
    const int vector = scales.vector(), number = depth / vector;
    double factors[kMostDepth];
    scales.requireFirstByte(number);
    for (int index = 0; index < static_cast<int>(noValue.size()); ++index) {
      if (!scales.row(index, number, factors))
        noValue[static_cast<size_t>(index)] = true;
      double *elements = row(index);
      for (int k = 0; k < depth; ++k)
        elements[k] *= factors[k / vector];
    }
  }
  /// True if part of a row comes from memory that nothing has written.
  bool lacksValue(int index) const { return noValue[static_cast<size_t>(index)]; }

private:
  int depth;
  std::vector<double> numbers;
  std::vector<bool> noValue;
};

/// The places of the scale factors of A and B.
struct ProductScales {
  int32_t a = 0, b = 0; ///< addresses
  int vector = 0;       ///< elements that share a factor; 0: there are none
  bool areExponents = false;
};

class TensorProduct {
public:
  TensorProduct(const void *shared, int32_t m, int32_t n, int32_t types, int32_t flags,
                const ProductScales &scales = {})
      : blocks(shared, flags & kFairleadProductOfPair), m(m), n(n), types(types), flags(flags),
        scales(scales) {}

  void run(int32_t d, int64_t a, int64_t b, const void *shared) {
    const int parts = static_cast<int>(blocks.size()), rows = m / parts;
    const SharedOperand left =
        tensorOperand(shared, a, typeOf(0), flags & kFairleadProductTransposesA);
    const SharedOperand right =
        tensorOperand(shared, b, typeOf(1), flags & kFairleadProductTransposesB);
    requireDescriptor(static_cast<uint64_t>(b));
    if (!(flags & kFairleadProductOfTensorA))
      requireDescriptor(static_cast<uint64_t>(a));
    const IssuedValues issued;
    if (!areInShared(left, right, shared))
      return;
    ValueObserver *values = issued.get();
    const SumPlaces places(TensorAddress(d), rows, n, parts == 2);
    requireReserved(ownTensorMemory(), "multiplies into", TensorAddress(d), places.columnsUsed());
    if (parts == 2)
      requirePair("multiplies");
    tellUses(TensorAddress(d), a, left, right, places);
    Matrix own(rows, depth());
    std::vector<double> sums(static_cast<size_t>(n));
    const bool isHalved = parts == 2 && m == 128;
    for (int part = 0; part < parts; ++part) {
      TensorMemory &memory = blocks.memoryOf(static_cast<size_t>(part));
      Matrix columns(n, depth());
      for (int half = 0; half < parts; ++half)
        columns.read(right.in(blocks.sharedOf(static_cast<size_t>(half))), n / parts * half,
                     n / parts, values);
      if (scales.vector) // each block has its own copy of them
        columns.scale(
            ScaleFactors(memory, scales.b, n, scales.vector, scales.areExponents, isHalved));
      const std::vector<double> transposed = transpose(columns);
      if (flags & kFairleadProductOfTensorA)
        own.read(TensorRows(memory, TensorAddress(static_cast<int32_t>(a)), typeOf(0), rows,
                            parts == 2));
      else
        own.read(left.in(blocks.sharedOf(static_cast<size_t>(part))), 0, rows, values);
      if (scales.vector)
        own.scale(ScaleFactors(memory, scales.a, rows, scales.vector, scales.areExponents,
                               /*isHalved=*/false));
      for (int row = 0; row < rows; ++row) {
        multiply(own.row(row), transposed, sums);
        for (int column = 0; column < n; ++column) {
          const TensorAddress place = places.at(row, column);
          uint32_t &cell = memory.cell(place.lane, place.column);

          memory.setValue(place.lane, place.column,
                          !own.lacksValue(row) && !columns.lacksValue(column) &&
                              !(adds() && memory.lacksValue(place.lane, place.column)));
          cell = added(cell, sums[static_cast<size_t>(column)]);
        }
      }
    }
  }

private:
  /// True if the operands lie in shared memory. They lie at the same place of both blocks of a
  /// pair.
  bool areInShared(const SharedOperand &left, const SharedOperand &right,
                   const void *shared) const {
    const int parts = static_cast<int>(blocks.size());
    bool areInside = true;
    const auto visit = [&](const char *unit, size_t size) {
      areInside = areInside && isInShared(unit, shared, size);
    };
    right.units(0, n / parts, visit);
    if (!(flags & kFairleadProductOfTensorA))
      left.units(0, m / parts, visit);
    return areInside;
  }

  /// Tells a checker which memory the product uses.
  void tellUses(TensorAddress d, int64_t a, const SharedOperand &left, const SharedOperand &right,
                const SumPlaces &places) const {
    LaunchObserver *observer = LaunchObserver::ofThreads();
    if (!observer)
      return;
    using Use = TensorCells::Use;
    const int parts = static_cast<int>(blocks.size()), rows = m / parts;
    const auto readA = [&](const char *unit, size_t size) {
      observer->readByTensorProduct(unit, size, 0);
    };
    const auto readB = [&](const char *unit, size_t size) {
      observer->readByTensorProduct(unit, size, 1);
    };
    for (int part = 0; part < parts; ++part) {
      const auto block = static_cast<size_t>(part);
      const size_t rank = blocks.rankOf(block);
      const void *shared = blocks.sharedOf(block);
      right.in(shared).units(0, n / parts, readB);
      const auto use = [&](Use what, uint32_t lanes, TensorAddress first, int columns) {
        observer->useTensorMemory({what, rank, lanes, first.column, static_cast<uint32_t>(columns),
                                   static_cast<uint32_t>(m << 16 | n << 3 | typeOf(2))});
      };
      const uint32_t lanes = rows == 64 && parts == 1 ? kHalfOfLanes << d.lane / 16 : kAllLanes;
      if (flags & kFairleadProductOfTensorA)
        use(Use::Operand, lanes, TensorAddress(static_cast<int32_t>(a)), kProductBytes / 4);
      else
        left.in(shared).units(0, rows, readA);
      if (scales.vector) {
        use(Use::Scales, kAllLanes, TensorAddress(scales.a), (rows + 31) / 32);
        use(Use::Scales, kAllLanes, TensorAddress(scales.b),
            parts == 2 && m == 128 ? (n + 63) / 64 : (n + 31) / 32);
      }
      use(Use::Sum, lanes, d, places.columnsUsed());
    }
  }

  static constexpr uint32_t kAllLanes = 0xff, kHalfOfLanes = 0x55; ///< in groups of 16
  int typeOf(int operand) const { return types >> 8 * operand & 0xff; }
  bool adds() const { return flags & kFairleadProductAdds; }
  int depth() const { return productDepth(typeOf(0)); }

  /// Element k of row n is at k * n + n.
  std::vector<double> transpose(Matrix &rows) const {
    std::vector<double> values(static_cast<size_t>(n) * depth());
    for (int row = 0; row < n; ++row)
      for (int k = 0; k < depth(); ++k)
        values[static_cast<size_t>(k) * n + row] = rows.row(row)[k];
    return values;
  }

  void multiply(const double *row, const std::vector<double> &right,
                std::vector<double> &sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int k = 0; k < depth(); ++k) {
      const double factor = row[k];
      const double *line = &right[static_cast<size_t>(k) * n];
      for (size_t column = 0; column < sums.size(); ++column)
        sums[column] += factor * line[column];
    }
  }

  /// The cell that a sum is added to, or that it replaces.
  uint32_t added(uint32_t cell, double sum) const {
    switch (typeOf(2)) {
    case kFairleadMmaS32: {
      // Sums of integers wrap around.
      return static_cast<uint32_t>(static_cast<int64_t>(sum)) + (adds() ? cell : 0);
    }
    case kFairleadMmaF16:
      return halfOfFloat(
          static_cast<float>(sum + (adds() ? floatOfHalf(static_cast<uint16_t>(cell)) : 0.0f)));
    default:
      return bitsOfFloat(static_cast<float>(sum + (adds() ? floatOfBits(cell) : 0.0f)));
    }
  }

  const ProductBlocks blocks;
  int m, n, types, flags;
  const ProductScales scales;
};

} // namespace
} // namespace fairlead::cpu

void FairleadCpuTensorMemoryMma(const void *shared, int32_t d, int64_t a, int64_t b, int32_t m,
                                int32_t n, int32_t types, int32_t flags) {
  fairlead::cpu::DelayedWork::issue(
      [=] { fairlead::cpu::TensorProduct(shared, m, n, types, flags).run(d, a, b, shared); });
}

void FairleadCpuTensorMemoryScaledMma(const void *shared, int32_t d, int64_t a, int64_t b,
                                      int32_t scales_a, int32_t scales_b, int32_t extents,
                                      int32_t types, int32_t flags) {
  const bool isPacked = (types >> 16 & 0xff) != kFairleadScaledMXF8F6F4;
  const bool isLong = types & kFairleadProductIsLong;
  const int operands =
      isPacked ? (isLong ? int{kFairleadMmaE2M1Long} : int{kFairleadMmaE2M1Packed}) * 0x101
               : types & 0xffff;
  fairlead::cpu::DelayedWork::issue([=] {
    fairlead::cpu::TensorProduct(shared, extents & 0xffff, extents >> 16,
                                 operands | kFairleadMmaF32 << 16, flags,
                                 {scales_a, scales_b, flags >> 8, (types >> 24 & 1) != 0})
        .run(d, a, b, shared);
  });
}
