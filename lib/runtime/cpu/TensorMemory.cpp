/// FairleadCpuTensorMemory*: columns, registers and commits of tensor memory.
#include "runtime/cpu/TensorMemory.h"

#include <algorithm>
#include <memory>
#include <string>

#include "fairlead/TensorMemoryCpu.h"
#include "runtime/LaunchShape.h"
#include "runtime/cpu/BlockThreads.h"
#include "runtime/cpu/Cluster.h"
#include "runtime/cpu/LaunchObserver.h"

namespace fairlead::cpu {
namespace {

/// The memory of blocks that are in no cluster: each worker has one, for one block after the other.
thread_local std::unique_ptr<TensorMemory> loneMemory;

std::string columnsText(int32_t columns) {
  return std::to_string(columns) + " columns of tensor memory";
}

/// A copy of `count` registers of each thread of a warp.
struct WarpCopy {
  TensorAddress first;
  int32_t count, lanes, bits;
  bool halves; ///< of two columns in each register

  WarpCopy(int32_t address, int32_t count, int32_t lanes, int32_t bits)
      : first(address), count(count), lanes(lanes), bits(bits & ~kFairleadTensorHalves),
        halves(bits & kFairleadTensorHalves) {}

  /// Returns the number of columns.
  int32_t columns() const {
    const bool isWide = lanes == 16; // 16 lanes hold what 32 threads copy
    return count * (isWide ? 2 : 1) * (halves ? 2 : 1);
  }
  /// Returns the groups of 16 lanes, as TensorCells has them.
  uint32_t laneGroups() const { return (lanes == 32 ? 3u : 1u) << first.lane / 16; }
  /// Returns the cell of a register; of halves the first of the two cells.
  TensorAddress cellOf(uint32_t thread, uint32_t index) const {
    uint32_t lane = 0, column = 0;
    const uint32_t row = thread / 4, quarter = thread % 4;
    if (lanes == 32) {
      lane = thread;
      column = index;
    } else if (bits == 32) {
      lane = thread % 16;
      column = index + (thread >= 16 ? static_cast<uint32_t>(count) : 0);
    } else if (bits == 64) {
      lane = row + 8 * (thread % 2);
      column = 2 * index + quarter / 2;
    } else if (bits == 128) {
      lane = row + 8 * (index % 2);
      column = 4 * (index / 2) + quarter;
    } else {
      lane = row + 8 * (index / 2 % 2);
      column = 8 * (index / 4) + 2 * quarter + index % 2;
    }
    TensorAddress cell = first;
    cell.lane += lane;
    cell.column += halves ? 2 * column : column;
    return cell;
  }
};

/// Calls `copy(index, cell, memory)` for each register of the running thread.
template <typename Copy>
void copyRegisters(const WarpCopy &registers, TensorCells::Use use, int32_t thread,
                   const Copy &copy) {
  constexpr uint32_t kWarp = 32, kWarps = 4;
  TensorMemory &memory = ownTensorMemory();
  const TensorAddress first = registers.first;
  const auto warp = static_cast<uint32_t>(thread) / kWarp % kWarps;
  if (first.lane / kWarp != warp)
    memory.noteProblem("copies lane " + std::to_string(first.lane) +
                       " of tensor memory by a warp that reaches lanes " +
                       std::to_string(kWarp * warp) + " to " +
                       std::to_string(kWarp * warp + kWarp - 1));
  requireReserved(memory, "copies", first, registers.columns());
  if (LaunchObserver *observer = LaunchObserver::ofThreads())
    observer->useTensorMemory({use, blockInCluster().rank, registers.laneGroups(), first.column,
                               static_cast<uint32_t>(registers.columns())});
  for (uint32_t index = 0; index < static_cast<uint32_t>(registers.count); ++index)
    copy(index, registers.cellOf(static_cast<uint32_t>(thread) % kWarp, index), memory);
}

} // namespace

void TensorMemory::forgetValues(int32_t first, int32_t columns) {
  noValue.resize(cells.size());
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (int32_t column = first; column < first + columns; ++column)
      noValue[lane * kColumns + static_cast<uint32_t>(column)] = true;
}

bool TensorMemory::isFree(int32_t first, int32_t columns) const {
  return std::none_of(reservations.begin(), reservations.end(), [&](const Reservation &other) {
    return first < other.first + other.columns && other.first < first + columns;
  });
}

int32_t TensorMemory::reserve(int32_t columns) {
  for (int32_t first = 0; columns > 0 && first + columns <= int32_t{kColumns}; first += columns)
    if (isFree(first, columns)) {
      reservations.push_back({first, columns});
      return first;
    }
  return -1;
}

void TensorMemory::promise(int32_t first, int32_t columns, bool forgets) {
  reservations.push_back({first, columns});
  promised.push_back({first, columns});
  if (forgets)
    forgetValues(first, columns);
}

std::optional<TensorMemory::Reservation> TensorMemory::takePromised() {
  if (promised.empty())
    return std::nullopt;
  const Reservation reservation = promised.front();
  promised.erase(promised.begin());
  return reservation;
}

bool TensorMemory::free(int32_t first, int32_t columns) {
  const Reservation columnsToFree{first, columns};
  if (std::erase(reservations, columnsToFree)) {
    freed.push_back(columnsToFree);
    return true;
  }
  // Programs run on GPUs in which several warps free the same columns.
  return !LaunchObserver::ofThreads() && isFree(first, columns) &&
         std::ranges::find(freed, columnsToFree) != freed.end();
}

int32_t TensorMemory::reserved() const {
  int32_t columns = 0;
  for (const Reservation &reservation : reservations)
    columns += reservation.columns;
  return columns;
}

void requireReserved(TensorMemory &memory, const char *verb, TensorAddress first, int32_t columns) {
  const auto column = static_cast<int32_t>(first.column);
  if (!first.isInside)
    memory.noteProblem(std::string(verb) +
                       " an address beyond the 128 lanes and 512 columns of tensor memory");
  else if (!memory.holds(column, columns))
    memory.noteProblem(std::string(verb) + " columns " + std::to_string(column) + " to " +
                       std::to_string(column + columns - 1) +
                       " of tensor memory, which it has not reserved");
}

/// Returns the number of blocks of the running block's cluster.
static size_t blocksOfCluster() {
  const Cluster *cluster = blockInCluster().cluster;
  return cluster ? cluster->size() : 1;
}

void requireEvenCluster(const char *verb) {
  if (const size_t blocks = blocksOfCluster(); blocks % 2)
    ownTensorMemory().noteProblem(std::string(verb) + " for a pair of blocks in a cluster of " +
                                  std::to_string(blocks) + ", which has to be even");
}

void requirePair(const char *verb) {
  requireEvenCluster(verb);
  if (blockInCluster().rank % 2)
    ownTensorMemory().noteProblem(std::string(verb) + " for a pair of blocks, which only the even "
                                                      "one of them may do");
}

/// Describes the mistake in a descriptor of shared memory; empty if there is none.
static std::string problemOfDescriptor(uint64_t descriptor) {
  constexpr int kVersion = 46, kBase = 49, kLayout = 61, kRow = 128;
  /// Bytes after which the pattern of a swizzle repeats, by layout; 0: the layout does not exist.
  constexpr uint64_t kPatterns[] = {kRow, 512, 1024, 0, 512, 0, 256, 0};
  const uint64_t version = descriptor >> kVersion & 7, layout = descriptor >> kLayout;
  const uint64_t base = descriptor >> kBase & 7, pattern = kPatterns[layout];
  if (version != 1)
    return "whose bits 46 to 48 are " + std::to_string(version) + ", not 1";
  if (!pattern)
    return "whose layout (bits 61 to 63) is " + std::to_string(layout) + ", which is none";
  if (base)
    return "whose base offset (bits 49 to 51) is " + std::to_string(base) +
           ", where a CPU knows only 0";
  // Steps along K begin within the first row.
  if (const uint64_t past = ((descriptor & 0x3fff) << 4) % pattern / kRow * kRow)
    return "that begins " + std::to_string(past) + " bytes past a multiple of " +
           std::to_string(pattern) + ", after which its swizzle repeats, with base offset 0";
  return {};
}

void requireDescriptor(uint64_t descriptor) {
  if (const std::string problem = problemOfDescriptor(descriptor); !problem.empty())
    ownTensorMemory().noteProblem("uses a descriptor of shared memory " + problem);
}

bool isInShared(const char *unit, const void *shared, size_t bytes) {
  const size_t offset = static_cast<size_t>(unit - static_cast<const char *>(shared));
  const auto size = static_cast<size_t>(sharedBytesOfBlock());
  if (offset <= size && bytes <= size - offset)
    return true;
  ownTensorMemory().noteProblem("uses a descriptor of shared memory that leads to byte " +
                                std::to_string(offset) + " of the block's " + std::to_string(size));
  return false;
}

bool TensorMemory::holds(int32_t first, int32_t columns) const {
  return std::any_of(reservations.begin(), reservations.end(), [&](const Reservation &reservation) {
    return first >= reservation.first && first + columns <= reservation.first + reservation.columns;
  });
}

void TensorMemory::noteProblem(std::string what) {
  LaunchObserver *observer = LaunchObserver::ofThreads();
  if (problem.empty() && !(observer && observer->misuseTensorMemory(what)))
    problem = std::move(what);
}

std::string TensorMemory::end() {
  if (int32_t columns = reserved()) {
    const std::string what = "ends without freeing " + columnsText(columns);
    LaunchObserver *observer = LaunchObserver::ofThreads();
    if (!observer || !observer->keepTensorMemory(what))
      noteProblem(what);
  }
  reservations.clear();
  freed.clear();
  promised.clear();
  asked = 0;
  relinquished = false;
  return std::exchange(problem, {});
}

/// Notes a problem if the block may not reserve so many columns.
static void requireReservation(TensorMemory &memory, int32_t columns) {
  constexpr int32_t kFewest = 32;
  const auto most = static_cast<int32_t>(TensorMemory::kColumns);
  if (columns < kFewest || columns > most || (columns & (columns - 1)))
    memory.noteProblem("asks for " + columnsText(columns) +
                       ", which is no power of two from 32 to 512");
  if (const int32_t before = memory.exchangeAsked(columns); before && columns > before)
    memory.noteProblem("asks for " + columnsText(columns) + " after " + std::to_string(before) +
                       ": later reservations of a block may not be greater");
  if (memory.hasRelinquished())
    memory.noteProblem("asks for " + columnsText(columns) +
                       " after relinquish_alloc_permit, which says that it asks for no more");
}

/// The result of reserveInPair if the two blocks ask for different numbers of columns.
static constexpr int32_t kOtherColumns = -2;

/// Reserves columns of both blocks of a pair: the first one that asks reserves for both.
static int32_t reserveInPair(int32_t columns) {
  requireEvenCluster("asks for columns of tensor memory");
  TensorMemory &own = ownTensorMemory();
  auto [cluster, rank] = blockInCluster();
  const bool hasOther = cluster && (rank ^ 1) < cluster->size();
  own.pairBarrier.init(1);
  if (auto reserved = own.takePromised()) {
    own.pairBarrier.arrive(1);
    cluster->tensorMemoryOf(rank ^ 1).pairBarrier.arrive(1);
    return reserved->columns == columns ? reserved->first : kOtherColumns;
  }
  const bool forgets = LaunchObserver::ofThreads();
  const int32_t first = own.reserve(columns);
  if (forgets && first >= 0)
    own.forgetValues(first, columns);
  if (hasOther && first >= 0)
    cluster->tensorMemoryOf(rank ^ 1).promise(first, columns, forgets);
  else
    own.pairBarrier.arrive(1);
  return first;
}

TensorMemory &tensorMemoryOf(size_t rank) {
  if (Cluster *cluster = blockInCluster().cluster)
    return cluster->tensorMemoryOf(rank);
  return ownTensorMemory();
}

TensorMemory &ownTensorMemory() {
  ThreadState &thread = ThreadState::own();
  thread.usesTensorMemory = true;
  if (auto [cluster, rank] = thread.place; cluster)
    return cluster->tensorMemoryOf(rank);
  if (!loneMemory)
    loneMemory = std::make_unique<TensorMemory>();
  return *loneMemory;
}

/// True if the block that the thread runs has tensor memory to end: its own use, or columns that
/// the other block of its pair reserved.
static bool hasTensorMemory(const ThreadState &thread) {
  if (thread.usesTensorMemory)
    return true;
  auto [cluster, rank] = thread.place;
  return cluster && cluster->hasTensorMemory(rank);
}

void endTensorMemory(const int32_t (&block)[3]) {
  ThreadState &thread = ThreadState::own();
  if (!hasTensorMemory(thread)) [[likely]]
    return;
  std::string problem = ownTensorMemory().end();
  thread.usesTensorMemory = false;
  if (!problem.empty())
    thread.launch.failure->reportTensorMemory(runtime::extents(block), std::move(problem));
}

void dropTensorMemory(ThreadState &thread) {
  if (hasTensorMemory(thread)) [[unlikely]]
    ownTensorMemory().end();
  thread.usesTensorMemory = false;
}

} // namespace fairlead::cpu

void FairleadCpuTensorMemoryAlloc(void *target, int32_t columns) {
  using namespace fairlead::cpu;
  const IssuedValues issued;
  TensorMemory &memory = ownTensorMemory();
  const bool ofPair = columns & kFairleadColumnsOfPair;
  columns &= ~kFairleadColumnsOfPair;
  requireReservation(memory, columns);
  const int32_t first = ofPair ? reserveInPair(columns) : memory.reserve(columns);
  if (first == kOtherColumns)
    memory.noteProblem("asks for " + columnsText(columns) +
                       ", but the other block of its pair for another number");
  else if (first < 0)
    memory.noteProblem(
        "asks for " + columnsText(columns) + ", but of 512 " +
        std::to_string(static_cast<int32_t>(TensorMemory::kColumns) - memory.reserved()) +
        " are free");
  else if (LaunchObserver *observer = LaunchObserver::ofThreads()) {
    observer->reserveTensorMemory();
    if (!ofPair)
      memory.forgetValues(first, columns);
  }
  auto *address = static_cast<int32_t *>(target);
  *address = std::max(first, 0);
  if (ValueObserver *values = issued.get())
    values->set(address, sizeof *address);
}

void *FairleadCpuTensorMemoryPair(void) { return &fairlead::cpu::ownTensorMemory().pairBarrier; }

void FairleadCpuTensorMemoryFree(int32_t address, int32_t columns) {
  using namespace fairlead::cpu;
  const IssuedValues issued;
  TensorMemory &memory = ownTensorMemory();
  const TensorAddress first(address);
  if (!memory.free(static_cast<int32_t>(first.column), columns))
    memory.noteProblem("frees " + columnsText(columns) + " at column " +
                       std::to_string(first.column) + ", which it has not reserved so");
}

void FairleadCpuTensorMemoryLoad(void *registers, int32_t address, int32_t count, int32_t lanes,
                                 int32_t bits, int32_t thread) {
  using namespace fairlead::cpu;
  auto *words = static_cast<uint32_t *>(registers);
  const IssuedValues issued;
  ValueObserver *values = issued.get();
  const WarpCopy copy(address, count, lanes, bits);
  copyRegisters(copy, TensorCells::Use::Load, thread,
                [&](uint32_t index, TensorAddress place, TensorMemory &memory) {
                  bool lacksValue = memory.lacksValue(place.lane, place.column);
                  words[index] = memory.cell(place.lane, place.column);
                  if (copy.halves) {
                    words[index] =
                        (words[index] & 0xffff) | memory.cell(place.lane, place.column + 1) << 16;
                    lacksValue = lacksValue || memory.lacksValue(place.lane, place.column + 1);
                  }
                  if (!values)
                    return;
                  values->set(&words[index], sizeof *words);
                  if (lacksValue)
                    values->unset(&words[index], sizeof *words);
                });
}

void FairleadCpuTensorMemoryStore(const void *registers, int32_t address, int32_t count,
                                  int32_t lanes, int32_t bits, int32_t thread) {
  using namespace fairlead::cpu;
  const auto *words = static_cast<const uint32_t *>(registers);
  const IssuedValues issued;
  ValueObserver *values = issued.get();
  const WarpCopy copy(address, count, lanes, bits);
  copyRegisters(copy, TensorCells::Use::Store, thread,
                [&](uint32_t index, TensorAddress place, TensorMemory &memory) {
                  auto store = [&](uint32_t column, uint32_t word) {
                    memory.cell(place.lane, column) = word;
                    if (values)
                      memory.setValue(place.lane, column,
                                      !values->lacks(&words[index], sizeof *words));
                  };
                  store(place.column, copy.halves ? words[index] & 0xffff : words[index]);
                  if (copy.halves)
                    store(place.column + 1, words[index] >> 16);
                });
}

void FairleadCpuTensorMemoryRelinquish(void) { fairlead::cpu::ownTensorMemory().relinquish(); }

void FairleadCpuTensorMemoryCommit(void *barrier, int32_t blocks) {
  const fairlead::cpu::IssuedValues issued;
  auto [cluster, own] = fairlead::cpu::blockInCluster();
  const size_t number = cluster ? cluster->size() : 1;
  if (static_cast<uint32_t>(blocks) >> number)
    fairlead::cpu::ownTensorMemory().noteProblem("commits products to blocks that its cluster of " +
                                                 std::to_string(number) + " has not, by the mask " +
                                                 std::to_string(blocks));
  if (!cluster)
    return FairleadCpuMbarrier(barrier, kFairleadMbarrierArrive, 1);
  // Each arrival follows the products, if they are delayed.
  for (size_t rank = 0; rank < cluster->size(); ++rank)
    if (blocks >> rank & 1)
      FairleadCpuMbarrier(cluster->map(barrier, own, rank), kFairleadMbarrierArrive, 1);
}
