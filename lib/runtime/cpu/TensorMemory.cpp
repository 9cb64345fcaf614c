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
/// True if the block that this thread runs has used tensor memory.
thread_local bool isUsed = false;

std::string columnsText(int32_t columns) {
  return std::to_string(columns) + " columns of tensor memory";
}

/// The cell of register `index` of thread `thread` of a warp, in a copy of steps of `lanes` x
/// `bits` bits.
TensorAddress cellOf(TensorAddress first, int32_t lanes, int32_t bits, uint32_t thread,
                     uint32_t index) {
  TensorAddress cell = first;
  const uint32_t row = thread / 4, quarter = thread % 4;
  if (lanes == 32) {
    cell.lane += thread;
    cell.column += index;
  } else if (bits == 64) {
    cell.lane += row + 8 * (thread % 2);
    cell.column += 2 * index + quarter / 2;
  } else if (bits == 128) {
    cell.lane += row + 8 * (index % 2);
    cell.column += 4 * (index / 2) + quarter;
  } else {
    cell.lane += row + 8 * (index / 2 % 2);
    cell.column += 8 * (index / 4) + 2 * quarter + index % 2;
  }
  return cell;
}

template <typename Copy>
void copyRegisters(int32_t address, int32_t count, int32_t lanes, int32_t bits, int32_t thread,
                   const Copy &copy) {
  constexpr uint32_t kWarp = 32, kWarps = 4;
  TensorMemory &memory = ownTensorMemory();
  const TensorAddress first(address);
  const auto warp = static_cast<uint32_t>(thread) / kWarp % kWarps;
  if (first.lane / kWarp != warp)
    memory.noteProblem("copies lane " + std::to_string(first.lane) +
                       " of tensor memory by a warp that reaches lanes " +
                       std::to_string(kWarp * warp) + " to " +
                       std::to_string(kWarp * warp + kWarp - 1));
  requireReserved(memory, "copies", first, lanes == 32 ? count : 2 * count);
  for (uint32_t index = 0; index < static_cast<uint32_t>(count); ++index) {
    const TensorAddress place =
        cellOf(first, lanes, bits, static_cast<uint32_t>(thread) % kWarp, index);
    copy(index, place, memory);
  }
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

bool TensorMemory::free(int32_t first, int32_t columns) {
  return std::erase_if(reservations, [&](const Reservation &reservation) {
    return reservation.first == first && reservation.columns == columns;
  });
}

int32_t TensorMemory::reserved() const {
  int32_t columns = 0;
  for (const Reservation &reservation : reservations)
    columns += reservation.columns;
  return columns;
}

void requireReserved(TensorMemory &memory, const char *verb, TensorAddress first, int32_t columns) {
  const auto column = static_cast<int32_t>(first.column);
  if (!memory.holds(column, columns))
    memory.noteProblem(std::string(verb) + " columns " + std::to_string(column) + " to " +
                       std::to_string(column + columns - 1) +
                       " of tensor memory, which it has not reserved");
}

bool TensorMemory::holds(int32_t first, int32_t columns) const {
  return std::any_of(reservations.begin(), reservations.end(), [&](const Reservation &reservation) {
    return first >= reservation.first && first + columns <= reservation.first + reservation.columns;
  });
}

std::string TensorMemory::end() {
  if (int32_t columns = reserved())
    noteProblem("ends without freeing " + columnsText(columns));
  reservations.clear();
  return std::exchange(problem, {});
}

TensorMemory &tensorMemoryOf(size_t rank) {
  if (Cluster *cluster = blockInCluster().cluster)
    return cluster->tensorMemoryOf(rank);
  return ownTensorMemory();
}

TensorMemory &ownTensorMemory() {
  isUsed = true;
  if (auto [cluster, rank] = blockInCluster(); cluster)
    return cluster->tensorMemoryOf(rank);
  if (!loneMemory)
    loneMemory = std::make_unique<TensorMemory>();
  return *loneMemory;
}

void endTensorMemory(const int32_t (&block)[3]) {
  if (!isUsed) [[likely]]
    return;
  std::string problem = ownTensorMemory().end();
  isUsed = false;
  if (!problem.empty())
    currentBlockFailure().reportTensorMemory(runtime::extents(block), std::move(problem));
}

void dropTensorMemory() {
  if (isUsed)
    ownTensorMemory().end();
  isUsed = false;
}

} // namespace fairlead::cpu

void FairleadCpuTensorMemoryAlloc(void *target, int32_t columns) {
  using namespace fairlead::cpu;
  const IssuedValues issued;
  TensorMemory &memory = ownTensorMemory();
  const int32_t first = memory.reserve(columns);
  if (first < 0)
    memory.noteProblem(
        "asks for " + columnsText(columns) + ", but of 512 " +
        std::to_string(static_cast<int32_t>(TensorMemory::kColumns) - memory.reserved()) +
        " are free");
  else if (LaunchObserver::ofThreads())
    memory.forgetValues(first, columns);
  auto *address = static_cast<int32_t *>(target);
  *address = std::max(first, 0);
  if (ValueObserver *values = issued.get())
    values->set(address, sizeof *address);
}

void FairleadCpuTensorMemoryFree(int32_t address, int32_t columns) {
  using namespace fairlead::cpu;
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
  copyRegisters(address, count, lanes, bits, thread,
                [&](uint32_t index, TensorAddress place, TensorMemory &memory) {
                  words[index] = memory.cell(place.lane, place.column);
                  if (!values)
                    return;
                  values->set(&words[index], sizeof *words);
                  if (memory.lacksValue(place.lane, place.column))
                    values->unset(&words[index], sizeof *words);
                });
}

void FairleadCpuTensorMemoryStore(const void *registers, int32_t address, int32_t count,
                                  int32_t lanes, int32_t bits, int32_t thread) {
  using namespace fairlead::cpu;
  const auto *words = static_cast<const uint32_t *>(registers);
  const IssuedValues issued;
  ValueObserver *values = issued.get();
  copyRegisters(address, count, lanes, bits, thread,
                [&](uint32_t index, TensorAddress place, TensorMemory &memory) {
                  memory.cell(place.lane, place.column) = words[index];
                  if (values)
                    memory.setValue(place.lane, place.column,
                                    !values->lacks(&words[index], sizeof *words));
                });
}

void FairleadCpuTensorMemoryCommit(void *barrier, int32_t blocks) {
  auto [cluster, own] = fairlead::cpu::blockInCluster();
  if (!cluster)
    return FairleadCpuMbarrier(barrier, kFairleadMbarrierArrive, 1);
  for (size_t rank = 0; rank < cluster->size(); ++rank)
    if (blocks >> rank & 1)
      FairleadCpuMbarrier(cluster->map(barrier, own, rank), kFairleadMbarrierArrive, 1);
}
