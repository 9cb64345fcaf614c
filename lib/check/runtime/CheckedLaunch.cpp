#include "check/runtime/CheckedLaunch.h"

#include <algorithm>

#include "check/runtime/Outputs.h"
#include "runtime/Raise.h"

namespace fairlead::check {
namespace {

std::mutex turns; ///< launches that see threads take turns

/// True if blocks run at the same time. Their accesses are not followed then.
bool runsTogether(const FairleadLaunch &launch) {
  return launch.flags & kFairleadLaunchCooperative &&
         int64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] > 1;
}

} // namespace

CheckedLaunch::CheckedLaunch(const char *kernel, const FairleadLaunch &launch)
    : LaunchObserver(launch.flags & kFairleadLaunchShadowed && !runsTogether(launch)),
      kernel(kernel), launch(launch), tensors(callTensors()), block(launch),
      reporter(tensors, block, memory, sites, threads.clocks), barriers(block, reporter),
      divergence(block, reporter), mbarriers(memory, threads.clocks, reporter, checksSync()),
      registers(threads.clocks, reporter), tensorOrder(threads.clocks, reporter),
      races(block, memory, sites, threads.clocks, mbarriers, reporter),
      spans(launch, tensors, block, memory, sites, races) {
  if (!seesThreads)
    return;
  turn = std::unique_lock(turns);
  memory.watch(tensors);
  spans.begin();
}

//===--- blocks --------------------------------------------------------------------------------===

void CheckedLaunch::beginBlock(const cpu::ObservedBlock &start) {
  block.enter(start);
  if (!seesThreads)
    return;
  const bool begins = block.begin(start);
  const auto bytes = static_cast<size_t>(launch.shared_bytes);
  if (begins)
    initialised.beginBlock(start.shared, bytes);
  else
    initialised.joinBlock(start.shared, bytes);
  // The shared memory of a cluster is watched as a whole.
  char *shared = start.shared ? start.shared - start.rank * start.stride : nullptr;
  const bool moved =
      memory.watchShared(shared, block.isCluster() ? start.blocks * start.stride : bytes);
  if (begins) {
    threads.beginRun();
    divergence.beginRun();
    spans.beginRun(moved);
  }
}

void CheckedLaunch::endClusterBlock() {
  if (!seesThreads || !block.isCluster() || !memory.hasShared())
    return;
  beginOrder();
  const std::vector<uint32_t> mine = block.threadsHere();
  threads.meet(mine);
  races.endShared(memory.sharedBegin() + currentBlock().rank * block.sharedStride(),
                  static_cast<size_t>(launch.shared_bytes), mine.front());
}

void CheckedLaunch::endBlock() {
  if (!seesThreads)
    return;
  if (tensorOrder.any())
    tensorOrder.endThreads(block.threadsHere());
  if (!divergence.anyReached())
    return;
  settle();
  divergence.endBlock();
}

void CheckedLaunch::endThread(uint32_t thread) { divergence.paths.end(block.numberOf(thread)); }

void CheckedLaunch::startClocks() {
  threads.startClocks(block.numThreads());
  races.beginRun(hasAgents());
  barriers.beginRun();
  mbarriers.beginRun();
  registers.beginRun();
  tensorOrder.beginRun();
}

//===--- accesses ------------------------------------------------------------------------------===

void CheckedLaunch::index(const ThreadAt &access, int32_t mode, int64_t index, int64_t extent) {
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(extent))
    return;
  const bool isNote = mode < 0;
  reporter.index(access, isNote ? ~mode : mode, index, extent, isNote);
}

void *CheckedLaunch::inside(const ThreadAt &access, char *address, int32_t bytes, const char *begin,
                            const char *end, const CallTensor *tensor) {
  if (address >= begin && address + bytes <= end)
    return address;
  void *sink = FairleadCheckSink();
  if (address != sink) // the sink stands for an index that was reported
    reporter.outside(access, address, bytes, begin, end, tensor);
  return sink;
}

void *CheckedLaunch::inTensor(const ThreadAt &access, char *address, void *base, int32_t bytes) {
  const CallTensor *tensor = tensorAt(tensors, base);
  const auto holds = [&](const CallTensor &each) {
    return address >= each.begin && address + bytes <= each.end;
  };
  if (!tensor || holds(*tensor))
    return address;
  // Accept another tensor that overlaps it.
  for (const CallTensor &other : tensors)
    if (holds(other) && other.begin < tensor->end && tensor->begin < other.end)
      return address;
  return inside(access, address, bytes, tensor->begin, tensor->end, tensor);
}

void CheckedLaunch::access(const ThreadAt &at, char *address, int32_t what, int64_t low,
                           int64_t high) {
  const ThreadAt by = inRun(at);
  const bool isCopy = kindOf(what) == kFairleadCheckCopy;
  settle();
  accessInRun(by, isCopy ? threads.clocks.agentOf(by.thread) : by.thread, address, what,
              {low, high});
}

void CheckedLaunch::accessInRun(const ThreadAt &at, uint32_t who, char *address, int32_t what,
                                const int64_t (&value)[2]) {
  if (what & kFairleadCheckRows && at.thread % 32 >= static_cast<uint32_t>(what) >> 24)
    return;
  const int number = memory.at(address);
  settle();
  if (what & kFairleadCheckSync) {
    spans.takeAllApart();
    threads.useAtomic(at.thread, address);
    if (number != WatchedMemory::kShared)
      races.linkBlocks(address);
  }
  if (number == WatchedMemory::kNone)
    return;
  const char *end = address + bytesOf(what);
  spans.prepare(number, address, end);
  if (kindOf(what) == kFairleadCheckCopy)
    spans.noteCopy(address, end);
  races.access(number, at, who, address, what,
               what & kFairleadCheckValue ? reinterpret_cast<const char *>(value) : nullptr);
}

bool CheckedLaunch::takeSpans(const GivenSpans &given) {
  if (given.threads[0] <= 0 || given.threads[1] <= 0 || given.threads[2] <= 0)
    return true;
  // The blocks of a cluster are not at one and the same barrier.
  if (block.isCluster())
    return false;
  return seesThreads ? spans.take(given) : areInside(given, tensors);
}

void CheckedLaunch::readByAgent(uint32_t agent, uint32_t when, const char *address, size_t bytes) {
  if (memory.at(address) != WatchedMemory::kShared)
    return;
  settle();
  spans.prepare(WatchedMemory::kShared, address, address + bytes);
  races.readByAgent(issued, agent, when, address, bytes);
}

void CheckedLaunch::readByProduct(const char *address, size_t bytes) {
  if (issued.site)
    readByAgent(threads.clocks.productsOf(issued.thread),
                threads.clocks.openProducts(issued.thread), address, bytes);
}

/// Reports memory beside that which a descriptor was made for. The other block of a pair has the
/// operand at the same place.
void CheckedLaunch::requireInOperand(const char *address, size_t bytes, size_t operand) {
  const OperandMemory &made = operands[operand];
  if (!made.site)
    return;
  ptrdiff_t offset = address - made.begin;
  if (block.isCluster()) {
    const auto stride = static_cast<ptrdiff_t>(block.sharedStride());
    const auto rankAt = [&](const char *place) { return (place - memory.sharedBegin()) / stride; };
    offset -= (rankAt(address) - rankAt(made.begin)) * stride;
  }
  if (offset < 0 || offset + static_cast<ptrdiff_t>(bytes) > made.bytes)
    reporter.outsideOperand({made.site, issued.thread}, offset, made.bytes);
}

void CheckedLaunch::readByTensorProduct(const char *address, size_t bytes, size_t operand) {
  if (!issued.site)
    return;
  requireInOperand(address, bytes, operand);
  settle();
  readByAgent(threads.clocks.tensorProductsOf(issued.thread),
              threads.clocks.tensorProductsNow(issued.thread), address, bytes);
}

void CheckedLaunch::useTensorMemory(const cpu::TensorCells &cells) {
  if (!issued.site || !followsTensors)
    return;
  settle();
  tensorOrder.use(issued, cells);
}

bool CheckedLaunch::misuseTensorMemory(const std::string &what) {
  if (!issued.site)
    return false;
  reporter.misuseTensorMemory(issued, what);
  return true;
}

void CheckedLaunch::reserveTensorMemory() { reserved[currentBlock().rank] = issued; }

bool CheckedLaunch::keepTensorMemory(const std::string &what) {
  const ThreadAt &reservation = reserved[currentBlock().rank];
  if (!reservation.site)
    return false;
  reporter.misuseTensorMemory(reservation, what);
  return true;
}

void CheckedLaunch::readByStore(const char *address, size_t bytes) {
  if (issued.site)
    readByAgent(threads.clocks.storesOf(issued.thread), threads.clocks.openStores(issued.thread),
                address, bytes);
}

void CheckedLaunch::storeValues(const char *address, size_t bytes) {
  if (followsValues && issued.site && initialised.lacks(address, bytes))
    reporter.uninitialised(issued, wasRefused);
}

//===--- the end -------------------------------------------------------------------------------===

bool CheckedLaunch::tellFindings(FairleadCallContext *context, bool isStuck) {
  const runtime::Findings &findings = reporter.found();
  if (isStuck || findings.anyWrong() || !seesThreads)
    callOutputs().giveUp();
  else
    callOutputs().endLaunch(tensors, {kernel, launch, block, memory, spans});
  if (findings.empty() || (isStuck && !checksSync()))
    return false;
  runtime::lastFindings() = findings.fields();
  if (!isStuck && (goesOnAfterFindings() || !findings.anyWrong()))
    handOverFindings(findings.text(kernel));
  else
    runtime::raise(context, Diagnostic::CheckFailed, {{"findings", findings.text(kernel)}});
  return true;
}

} // namespace fairlead::check
