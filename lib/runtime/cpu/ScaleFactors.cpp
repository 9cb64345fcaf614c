/// Scale factors of products, and FairleadCpuTensorMemoryCopy, which brings them to tensor memory.
#include "runtime/cpu/SharedOperand.h"

#include <cstring>
#include <string>

#include "fairlead/TensorMemoryCpu.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/DelayedWork.h"

namespace fairlead::cpu {
namespace {

constexpr uint32_t kWarpLanes = 32;
constexpr int kBytesOfColumn = 4;

/// The operand of 128 rows or fewer takes the columns of 128.
int columnsOf(int rows) { return (rows + 127) / 128 * 128 / static_cast<int>(kWarpLanes); }

/// A shape of rows in shared memory, and the lanes that get them.
struct RowShape {
  uint32_t rows, columns, copies;
  /// The lane of a row's copy, from the address's lane on.
  uint32_t (*lane)(uint32_t row, uint32_t copy);
};

constexpr RowShape kRowShapes[] = {
    {128, 8, 1, [](uint32_t row, uint32_t) { return row; }},
    {4, 8, 1, [](uint32_t row, uint32_t) { return kWarpLanes * row; }},
    {128, 4, 1, [](uint32_t row, uint32_t) { return row; }},
    {64, 4, 2, [](uint32_t row, uint32_t copy) { return row + 64 * copy; }},
    {64, 4, 2, [](uint32_t row, uint32_t copy) { return row % 32 + row / 32 * 64 + 32 * copy; }},
    {32, 4, 4, [](uint32_t row, uint32_t copy) { return row + 32 * copy; }}};

/// Copies rows of a block's shared memory to its tensor memory.
void copyRows(const SharedOperand &source, const RowShape &shape, TensorAddress first,
              TensorMemory &memory, ValueObserver *values) {
  for (uint32_t row = 0; row < shape.rows; ++row)
    for (uint32_t column = 0; column < shape.columns; ++column) {
      const char *place = source.byteOf(static_cast<int>(row), static_cast<int>(4 * column));
      uint32_t word;
      std::memcpy(&word, place, sizeof word);
      for (uint32_t copy = 0; copy < shape.copies; ++copy) {
        const uint32_t lane = first.lane + shape.lane(row, copy);
        memory.cell(lane, first.column + column) = word;
        if (values)
          memory.setValue(lane, first.column + column, !values->lacks(place, sizeof word));
      }
    }
}

/// True if the rows lie in shared memory.
bool areInShared(const SharedOperand &source, const RowShape &shape, const void *shared) {
  constexpr int kWord = 4;
  bool areInside = true;
  for (uint32_t row = 0; row < shape.rows; ++row)
    for (uint32_t column = 0; column < shape.columns; ++column)
      areInside = areInside &&
                  isInShared(source.byteOf(static_cast<int>(row), static_cast<int>(kWord * column)),
                             shared, kWord);
  return areInside;
}

/// Tells a checker which memory a copy uses.
void tellUses(LaunchObserver &observer, const SharedOperand &source, const RowShape &shape,
              TensorAddress first, size_t rank) {
  constexpr uint32_t kUnit = 16, kAllLanes = 0xff;
  uint32_t lanes = 0; // in groups of 16
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t byte = 0; byte < 4 * shape.columns; byte += kUnit)
      observer.readByTensorProduct(source.byteOf(static_cast<int>(row), static_cast<int>(byte)),
                                   kUnit, 0);
    for (uint32_t copy = 0; copy < shape.copies; ++copy)
      lanes |= 1u << (first.lane + shape.lane(row, copy)) / 16;
  }
  observer.useTensorMemory(
      {TensorCells::Use::Copy, rank, lanes & kAllLanes, first.column, shape.columns});
}

} // namespace

ScaleFactors::ScaleFactors(TensorMemory &memory, int32_t address, int rows, int vector,
                           bool areExponents, bool isHalved)
    : memory(memory), first(address),
      firstByte(static_cast<int>(static_cast<uint32_t>(address) >> 30)), elements(vector),
      rowsInLanes(isHalved ? columnsOf(rows) * 16 : columnsOf(rows) * 32),
      areExponents(areExponents), isHalved(isHalved) {
  if (first.lane)
    memory.noteProblem("reads scale factors from lane " + std::to_string(first.lane) +
                       " of tensor memory, where they have to begin at lane 0");
  requireReserved(memory, "reads scale factors from", first,
                  (rows + (isHalved ? 63 : 31)) / (isHalved ? 64 : 32));
}

void ScaleFactors::requireFirstByte(int number) const {
  // One and three factors begin anywhere, four in byte 0.
  const int step = number == 4 ? 4 : number % 2 ? 1 : 2;
  if (firstByte % step)
    memory.noteProblem("reads scale factors from byte " + std::to_string(firstByte) +
                       " of a column of tensor memory, where " + std::to_string(number) +
                       " of a row have to begin at byte 0" + (step == 2 ? " or 2" : ""));
}

bool ScaleFactors::row(int index, int number, double *factors) const {
  const uint32_t part = index >= rowsInLanes ? 1 : 0;
  const auto inPart = static_cast<uint32_t>(index - static_cast<int>(part) * rowsInLanes);
  bool hasValue = true;
  for (int scale = 0; scale < number; ++scale) {
    const int byte = firstByte + scale;
    const uint32_t column = first.column + inPart / kWarpLanes +
                            static_cast<uint32_t>(byte / kBytesOfColumn * (rowsInLanes / 32));
    const uint32_t lane = inPart % kWarpLanes + 64 * part;
    auto codeAt = [&](uint32_t copy) {
      return static_cast<uint8_t>(memory.cell(lane + kWarpLanes * copy, column) >>
                                  byte % kBytesOfColumn * 8);
    };
    const uint8_t code = codeAt(0);
    for (uint32_t copy = 1; copy < (isHalved ? 2u : 4u); ++copy)
      if (codeAt(copy) != code)
        memory.noteProblem("reads scale factors of row " + std::to_string(index) + " from column " +
                           std::to_string(column) +
                           " of tensor memory, which differ between the lanes of its warps");
    factors[scale] = areExponents ? doubleOfE8M0(code) : floatOfE4M3(code & 0x7f);
    hasValue = hasValue && !memory.lacksValue(lane, column);
  }
  return hasValue;
}

} // namespace fairlead::cpu

static void copyRowsNow(const void *shared, int32_t address, int64_t descriptor, int32_t shape,
                        int32_t pair) {
  using namespace fairlead::cpu;
  constexpr int kSwizzles[] = {0, 0, 3, 3, 2, 2, 1, 1};
  const auto bits = static_cast<uint64_t>(descriptor);
  const SharedOperand source(shared, bits, kSwizzles[bits >> 61], kFairleadMmaU8, false);
  const RowShape &rows = kRowShapes[shape];
  const TensorAddress first(address);
  const IssuedValues issued;
  const BlockInCluster block = blockInCluster();
  const size_t leader = block.rank & ~static_cast<size_t>(pair);
  requireDescriptor(bits);
  if (!areInShared(source, rows, shared))
    return;
  if (pair)
    requirePair("copies to tensor memory");
  for (size_t rank = leader; rank <= leader + static_cast<size_t>(pair); ++rank) {
    if (block.cluster && rank >= block.cluster->size())
      break;
    TensorMemory &memory = tensorMemoryOf(rank);
    requireReserved(memory, "copies to", first, static_cast<int32_t>(rows.columns));
    if (LaunchObserver *observer = LaunchObserver::ofThreads())
      tellUses(*observer,
               source.in(block.cluster ? block.cluster->map(shared, block.rank, rank) : shared),
               rows, first, rank);
    copyRows(block.cluster ? source.in(block.cluster->map(shared, block.rank, rank)) : source, rows,
             first, memory, issued.get());
  }
}

void FairleadCpuTensorMemoryCopy(const void *shared, int32_t address, int64_t descriptor,
                                 int32_t shape, int32_t pair) {
  fairlead::cpu::DelayedWork::issue([=] { copyRowsNow(shared, address, descriptor, shape, pair); });
}
