#include "check/runtime/CheckedLaunch.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "cpu/LaunchCheck.h"
#include "fairlead/CheckCpu.h"
#include "runtime/LaunchShape.h"

namespace fairlead::cpu::check {
namespace {

/// The block that a thread runs. Several threads may run blocks of a launch that has no shadow.
struct Place {
  int32_t block[3] = {};
  int64_t number = 0;
  size_t rank = 0; ///< in its cluster
};
thread_local Place place;

std::mutex turns; ///< shadowed launches take turns
constexpr uint32_t firstRun = 1;
constexpr int kPiece = 4; ///< log2 of the bytes of a cell of shared memory, at first

/// Blocks that run at the same time have no shadow.
bool runTogether(const FairleadLaunch &launch) {
  return launch.flags & kFairleadLaunchCooperative &&
         int64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] > 1;
}

} // namespace

std::vector<CallTensor> &callTensors() {
  static thread_local std::vector<CallTensor> tensors;
  return tensors;
}

//===--- tensors of the call -------------------------------------------------------------------===

std::string CallTensor::element(const char *address) const {
  // Coordinates from the farthest stride down; those of memory that is no element's do not come
  // out even.
  int64_t offset = (address - data) * 8 / bits;
  if ((address - data) * 8 % bits)
    return name;
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  std::vector<int64_t> at(extents.size(), 0);
  for (size_t mode : order) {
    if (strides[mode] <= 0)
      continue;
    at[mode] = offset / strides[mode];
    offset -= at[mode] * strides[mode];
    if (at[mode] < 0 || at[mode] >= extents[mode])
      return name;
  }
  if (offset)
    return name;
  std::string text = name + "[";
  for (size_t mode = 0; mode < at.size(); ++mode)
    text += (mode ? ", " : "") + std::to_string(at[mode]);
  return text + "]";
}

std::string CallTensor::str() const {
  std::string text = name + ": " + type + " (";
  for (size_t mode = 0; mode < extents.size(); ++mode)
    text += (mode ? ", " : "") + std::to_string(extents[mode]);
  return text + (extents.size() == 1 ? ",)" : ")");
}

//===--- the launch ----------------------------------------------------------------------------===

CheckedLaunch::CheckedLaunch(const char *kernel, const FairleadLaunch &launch)
    : LaunchObserver(launch.flags & kFairleadLaunchShadowed && !runTogether(launch)),
      kernel(kernel), launch(launch), tensors(callTensors()),
      blockThreads(static_cast<size_t>(launch.block[0]) * static_cast<size_t>(launch.block[1]) *
                   static_cast<size_t>(launch.block[2])),
      threadsApart(blockThreads) {
  if (!seesThreads)
    return;
  turn = std::unique_lock(turns);
  // Tensors that overlap have their cells in common.
  std::vector<std::pair<char *, char *>> ranges;
  for (const CallTensor &tensor : tensors)
    if (tensor.begin < tensor.end)
      ranges.emplace_back(tensor.begin, tensor.end);
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::pair<char *, char *>> apart;
  for (auto range : ranges)
    if (!apart.empty() && range.first < apart.back().second)
      apart.back().second = std::max(apart.back().second, range.second);
    else
      apart.push_back(range);
  for (auto [begin, end] : apart) {
    int log2 = kPiece;
    for (const CallTensor &tensor : tensors)
      if (tensor.begin >= begin && tensor.begin < end)
        log2 = std::min(log2, __builtin_ctz(std::max(1, tensor.bits / 8)));
    global.emplace_back(begin, static_cast<size_t>(end - begin), log2);
    granules.emplace_back(begin, static_cast<size_t>(end - begin));
  }
  singles.resize(kFirstGlobal + global.size());
}

CheckedLaunch::~CheckedLaunch() {
  if (!seesThreads)
    return;
  for (void *site : sites) // other launches number them anew
    std::memset(site, 0, sizeof(uint32_t));
}

void CheckedLaunch::beginBlock(const ObservedBlock &block) {
  std::copy(std::begin(block.index), std::end(block.index), place.block);
  place.number = block.index[0] + int64_t{launch.grid[0]} *
                                      (block.index[1] + int64_t{launch.grid[1]} * block.index[2]);
  place.rank = 0;
  if (!seesThreads)
    return;
  if (block.blocks > 1)
    return beginInCluster(block);
  beginRun(firstRun + static_cast<uint32_t>(place.number));
  const auto bytes = static_cast<size_t>(launch.shared_bytes);
  initialised.beginBlock(block.shared, bytes);
  if (block.shared != sharedBase)
    steps.forget();
  sharedBase = block.shared;
  if (sharedBase && !(shared && shared->is(sharedBase, bytes)))
    shared.emplace(sharedBase, bytes, kPiece);
}

void CheckedLaunch::beginInCluster(const ObservedBlock &block) {
  place.rank = block.rank;
  constexpr size_t kWarpgroup = 128;
  blocks = block.blocks;
  stride = block.stride;
  threadsApart = (blockThreads + kWarpgroup - 1) / kWarpgroup * kWarpgroup;
  const auto number = firstRun + static_cast<uint32_t>(block.cluster);
  const bool first = run != number;
  if (first)
    beginRun(number);
  const auto bytes = static_cast<size_t>(launch.shared_bytes);
  if (first)
    initialised.beginBlock(block.shared, bytes);
  else
    initialised.joinBlock(block.shared, bytes);
  sharedBase = block.shared ? block.shared - block.rank * stride : nullptr;
  if (sharedBase && !(shared && shared->is(sharedBase, blocks * stride)))
    shared.emplace(sharedBase, blocks * stride, kPiece);
}

void CheckedLaunch::beginRun(uint32_t number) {
  run = number;
  settled = active = false;
  interval.clear();
  steps.beginBlock();
  std::fill(singles.begin(), singles.end(), Hull());
  copied = {};
}

void CheckedLaunch::endBlock() {
  if (!seesThreads || blocks == 1 || !shared)
    return;
  beginOrder();
  // Accesses by others of the cluster to the block's memory must come before the block ends.
  std::vector<uint32_t> mine(blockThreads);
  std::iota(mine.begin(), mine.end(), numbered(0));
  clocks.meet(mine.data(), mine.size());
  const uint32_t thread = mine.front();
  char *begin = sharedBase + place.rank * stride;
  const auto isOthers = [&](const Epoch &epoch) {
    return epoch.block == run && clocks.threadOf(epoch.who) / threadsApart != place.rank &&
           !clocks.isBefore(epoch.who, epoch.when, thread);
  };
  shared->each(begin, static_cast<size_t>(launch.shared_bytes), [&](Cell &cell, const char *at) {
    if (isOthers(cell.write))
      outlived(sites[cell.write.site - 1], cell.write.who, true, at);
    if (cell.read.block == run && cell.read.flags & kSeveral) {
      const ReaderRows::Reader *row = rows.of(cell);
      for (uint32_t reader = 0; reader < rows.size(); ++reader) {
        const auto who = static_cast<uint16_t>(whoIn(reader));
        if (row[reader].when && isOthers({run, row[reader].when, who, 0, row[reader].site}))
          outlived(sites[row[reader].site - 1], who, false, at);
      }
    } else if (isOthers(cell.read)) {
      outlived(sites[cell.read.site - 1], cell.read.who, false, at);
    }
    cell.write = {run, 0, static_cast<uint16_t>(thread), kEnded, 0};
    cell.read = {};
  });
}

void CheckedLaunch::outlived(void *site, uint32_t who, bool wrote, const char *address) {
  findings.add("sync", site, nullptr, place.number, [&](Finding &finding) {
    finding.tensor = memoryText(address, Site::parse(site));
    finding.message = finding.tensor + " of a block that may have ended";
    finding.accesses.push_back(accessBy(wrote ? "write" : "read", site, who, run));
    finding.hint = "No block of a cluster may end while others access its shared memory: "
                   "cluster_arrive() and cluster_wait() before the end of the kernel.";
  });
}

uint32_t CheckedLaunch::numbered(uint32_t thread) const {
  return static_cast<uint32_t>(place.rank * threadsApart) + thread;
}

std::vector<uint32_t> CheckedLaunch::numbersOf(const uint32_t *threads, size_t number) const {
  std::vector<uint32_t> numbers(number);
  std::transform(threads, threads + number, numbers.begin(),
                 [&](uint32_t thread) { return numbered(thread); });
  return numbers;
}

/// Each block of a cluster has its own.
int CheckedLaunch::barrierHere(int barrier) const {
  constexpr int kBarriers = 16;
  return static_cast<int>(place.rank) * kBarriers + barrier;
}

int64_t CheckedLaunch::blockNumber() { return place.number; }

void CheckedLaunch::settle() {
  active = true;
  if (settled)
    return;
  settled = true;
  auto threads = static_cast<uint32_t>(threadsApart * blocks);
  clocks.begin(threads);
  rows.begin(launch.flags & kFairleadLaunchAgents ? clocks.productsOf(threads - 1) + 1 - 2 * threads
                                                  : threads);
  phases.clear();
  locations.clear();
  barriers.clear();
  lastArrivals.clear();
  clusterArrivals.clear();
  clusterOpened.clear();
  heard.clear();
  mbarriers.clear();
  notFenced.clear();
  registers.clear();
  fenced.clear();
}

std::string CheckedLaunch::threadText(int32_t thread) const {
  thread %= static_cast<int32_t>(threadsApart);
  const int32_t index[3] = {thread % launch.block[0], thread / launch.block[0] % launch.block[1],
                            thread / launch.block[0] / launch.block[1]};
  return runtime::extents(index);
}

std::string CheckedLaunch::blockText(uint32_t which, size_t rank) const {
  size_t number = which - firstRun;
  int32_t index[3];
  for (int d = 0; d < 3; ++d) {
    const auto extent = blocks == 1 ? size_t{1} : static_cast<size_t>(clusterExtent(launch, d));
    const size_t along = static_cast<size_t>(launch.grid[d]) / extent;
    index[d] = static_cast<int32_t>(number % along * extent + rank % extent);
    number /= along;
    rank /= extent;
  }
  return runtime::extents(index);
}

Access CheckedLaunch::accessBy(const char *what, const void *site, uint32_t who,
                               uint32_t which) const {
  const uint32_t thread = clocks.threadOf(who);
  return {what, site, threadText(static_cast<int32_t>(thread)),
          blockText(which, thread / threadsApart)};
}

//===--- bounds --------------------------------------------------------------------------------===

const CallTensor *CheckedLaunch::tensorOf(const void *address) const {
  for (const CallTensor &tensor : tensors)
    if (address >= tensor.begin && address < tensor.end)
      return &tensor;
  return nullptr;
}

void CheckedLaunch::index(void *site, int32_t thread, int32_t mode, int64_t index, int64_t extent) {
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(extent))
    return;
  const bool isNote = mode < 0;
  findings.add(
      isNote ? runtime::kNote : "bounds", site, nullptr, place.number, [&](Finding &finding) {
        runtime::tellIndex(finding, Site::parse(site), isNote ? ~mode : mode, index, extent);
        if (isNote)
          finding.hint = "It is an error only where the address lies outside of the memory.";
        finding.accesses.push_back(
            {"access", site, threadText(thread), runtime::extents(place.block)});
      });
}

void *CheckedLaunch::inTensor(void *site, int32_t thread, char *address, void *base,
                              int32_t bytes) {
  const CallTensor *tensor = tensorOf(base);
  auto holds = [&](const CallTensor &each) {
    return address >= each.begin && address + bytes <= each.end;
  };
  if (!tensor || holds(*tensor))
    return address;
  // Accept another tensor that overlaps it.
  for (const CallTensor &other : tensors)
    if (holds(other) && other.begin < tensor->end && tensor->begin < other.end)
      return address;
  return outside(site, thread, address, bytes, tensor->begin, tensor->end, tensor);
}

void *CheckedLaunch::outside(void *site, int32_t thread, const char *address, int32_t bytes,
                             const char *begin, const char *end, const CallTensor *tensor) {
  void *sink = FairleadCheckSink();
  if (address == sink) // its index was reported
    return sink;
  findings.add("bounds", site, nullptr, place.number, [&](Finding &finding) {
    Site parsed = Site::parse(site);
    finding.tensor = tensor ? tensor->str() : parsed.memory + " memory";
    runtime::tellOutside(finding, bytes, address - begin, end - begin,
                         tensor ? "the memory of " + finding.tensor
                                : runtime::allocationText(parsed, end - begin));
    finding.accesses.push_back({"access", site, threadText(thread), runtime::extents(place.block)});
  });
  return sink;
}

void CheckedLaunch::notFinite(void *site, int32_t thread, double result) {
  findings.add("float", site, nullptr, place.number, [&](Finding &finding) {
    finding.message =
        std::string("a computation with finite numbers gives ") + (result != result ? "NaN"
                                                                   : result > 0     ? "infinity"
                                                                                    : "-infinity");
    finding.accesses.push_back({"result", site, threadText(thread), runtime::extents(place.block)});
  });
}

void CheckedLaunch::uninitialised(void *site, int32_t thread) {
  findings.add("init", site, nullptr, place.number, [&](Finding &finding) {
    Site parsed = Site::parse(site);
    finding.tensor = parsed.tensor;
    finding.message = "memory that nothing has written to reaches " + parsed.tensor;
    finding.hint = "What the value is made of was read from shared memory or registers before it "
                   "was written.";
    finding.accesses.push_back({"use", site, threadText(thread), runtime::extents(place.block)});
  });
}

//===--- races ---------------------------------------------------------------------------------===

/// One access of a thread, or of its agent.
struct CheckedLaunch::Touch {
  void *site;
  uint32_t number, thread, who, when;
  int32_t what;
  const char *value; ///< what is written there, or null where that is not known
  const char *start;
  size_t bytes;
  bool inShared;

  bool writes() const { return (what & kFairleadCheckKind) != kFairleadCheckRead; }
  bool isAtomic() const { return (what & kFairleadCheckKind) == kFairleadCheckAtomic; }
};

/// Readers in rows: threads, then those of their agents that read.
uint32_t CheckedLaunch::rowOf(uint32_t who) const {
  const auto threads = static_cast<uint32_t>(clocks.count());
  return clocks.isProduct(who) ? who - 2 * threads : clocks.isStore(who) ? who - 2 * threads : who;
}
uint32_t CheckedLaunch::whoIn(uint32_t row) const {
  const auto threads = static_cast<uint32_t>(clocks.count());
  return row < threads ? row : row + 2 * threads;
}

uint32_t CheckedLaunch::numberOf(void *site) {
  uint32_t number;
  std::memcpy(&number, site, sizeof number);
  if (!number) {
    sites.push_back(site);
    number = static_cast<uint32_t>(sites.size());
    std::memcpy(site, &number, sizeof number);
  }
  return number;
}

/// True if atomics have made another block's accesses visible to this one.
bool CheckedLaunch::linked(uint32_t earlier) {
  std::vector<const char *> open(heard.begin(), heard.end());
  std::set<const char *> seen(heard);
  while (!open.empty()) {
    Link &link = links[open.back()];
    open.pop_back();
    if (link.runs.count(earlier))
      return true;
    for (const char *before : link.before)
      if (seen.insert(before).second)
        open.push_back(before);
  }
  return false;
}

bool CheckedLaunch::precedes(const Epoch &epoch, const Touch &touch) {
  if (epoch.block == run)
    return clocks.isBefore(epoch.who, epoch.when, touch.thread);
  // Other launches, and earlier owners of this shared memory, always precede.
  if (touch.inShared || epoch.block < firstRun)
    return true;
  return linked(epoch.block);
}

std::string CheckedLaunch::memoryText(const char *address, const Site &site) const {
  if (!isShared(address)) {
    const CallTensor *tensor = tensorOf(address);
    return tensor ? tensor->element(address) + " of " + tensor->str() : "global memory";
  }
  int64_t offset = address - sharedBase;
  if (blocks > 1)
    offset %= static_cast<int64_t>(stride);
  if (site.allocatedIn.empty() || offset < site.offset || offset >= site.offset + site.bytes)
    return "shared memory at offset " + std::to_string(offset);
  return "shared memory, offset " + std::to_string(offset - site.offset) + " of the " +
         runtime::sizeText(site.bytes) + " that " +
         site.allocatedIn.substr(site.allocatedIn.rfind('/') + 1) + ":" +
         std::to_string(site.allocatedAt) + " allocates";
}

void CheckedLaunch::race(const Epoch &earlier, bool earlierWrote, const Touch &touch,
                         const char *address) {
  void *other = sites[earlier.site - 1];
  findings.add("race", other, touch.site, place.number, [&](Finding &finding) {
    finding.tensor = memoryText(address, Site::parse(touch.site));
    bool sameBlock = earlier.block == run;
    finding.message = finding.tensor;
    const char *first = earlier.flags & kAtomic ? "atomic" : earlierWrote ? "write" : "read";
    const char *second = touch.isAtomic() ? "atomic" : touch.writes() ? "write" : "read";
    auto named = [&](uint32_t who, const char *what) {
      return !sameBlock || who < clocks.count() ? what : clocks.isProduct(who) ? "product" : "copy";
    };
    const bool copied = sameBlock && clocks.isCopy(earlier.who);
    finding.accesses.push_back(
        accessBy(named(earlier.who, first), other, earlier.who, earlier.block));
    finding.accesses.push_back(accessBy(named(touch.who, second), touch.site, touch.who, run));
    Site here = Site::parse(touch.site), there = Site::parse(other);
    if (copied && clocks.threadOf(earlier.who) == touch.thread)
      finding.hint = "The thread has to wait for its copy before: cp_async_wait_group.";
    else if (copied)
      finding.hint = "The thread that copies has to wait for its copy before a barrier.";
    else if (sameBlock && clocks.isStore(earlier.who))
      finding.hint = "The thread that copies has to wait until its copies have read: "
                     "cp_async_bulk_wait_group, then a barrier.";
    else if (sameBlock && clocks.isProduct(earlier.who))
      finding.hint = "The warpgroup has to wait for its products before: warpgroup.wait_group.";
    else if (!sameBlock)
      finding.hint = "Blocks run at the same time: they need atomics, or elements of their own.";
    else if (!mbarriers.empty())
      // Its threads take different branches: a barrier of the block would be in one of them.
      finding.hint = "No barrier orders them: the second has to wait for an mbarrier at which the "
                     "first arrives after line " +
                     std::to_string(there.line) + ", itself or by another lane after " +
                     there.inLanguage("cute.arch.sync_warp()", "syncWarp()") + ".";
    else if (there.line == here.line)
      finding.hint = "No barrier orders them.";
    else {
      // Threads run in any order, and a loop brings the first line again after the second.
      const auto [first, second] = std::minmax(there.line, here.line);
      finding.hint =
          std::string("No barrier orders them; ") +
          there.inLanguage("cute.arch.sync_threads()", "syncThreads()") + " between lines " +
          std::to_string(first) + " and " + std::to_string(second) +
          (there.line < here.line ? " would."
                                  : " would, or, where a loop goes around them, after line " +
                                        std::to_string(second) + ".");
    }
  });
}

void CheckedLaunch::read(Cell &cell, const Touch &touch, const char *address) {
  if (hasEnded(cell))
    return outlived(touch.site, touch.who, false, address);
  if (cell.write.block && !(touch.isAtomic() && cell.write.flags & kAtomic) &&
      !(cell.write.flags & kSame) && !precedes(cell.write, touch))
    race(cell.write, true, touch, address);
  else if (touch.who >= clocks.count() && cell.write.block == run &&
           cell.write.who < clocks.count() &&
           !clocks.isFenced(cell.write.who, cell.write.when, touch.thread))
    unfenced(cell.write, touch, address);
  Epoch now{run, touch.when, static_cast<uint16_t>(touch.who),
            static_cast<uint16_t>(touch.isAtomic() ? kAtomic : 0), touch.number};
  if (cell.read.block < firstRun || (touch.inShared && cell.read.block != run)) {
    cell.read = now;
    return;
  }
  // A reader of another block is the one to keep: what this block does later is not ordered with
  // it.
  if (cell.read.block != run)
    return;
  const bool several = cell.read.flags & kSeveral;
  if (!several && cell.read.who == now.who) {
    cell.read = now;
    return;
  }
  if (!several && !touch.inShared) {
    if (clocks.isBefore(cell.read.who, cell.read.when, touch.thread))
      cell.read = now;
    return;
  }
  if (!several) {
    // The only reader so far does not count if this thread knows of its read.
    ReaderRows::Reader *row =
        clocks.isBefore(cell.read.who, cell.read.when, touch.thread) ? nullptr : rows.clear(cell);
    if (!row) {
      cell.read = now;
      return;
    }
    row[rowOf(cell.read.who)] = {cell.read.when, cell.read.site};
  }
  now.flags |= kSeveral;
  rows.of(cell)[rowOf(now.who)] = {now.when, now.site};
  cell.read = now;
}

void CheckedLaunch::write(Cell &cell, const Touch &touch, const char *address) {
  if (hasEnded(cell))
    return outlived(touch.site, touch.who, true, address);
  const bool concurrent = cell.write.block && !(touch.isAtomic() && cell.write.flags & kAtomic) &&
                          !precedes(cell.write, touch);
  bool same = false;
  if (concurrent) {
    same = touch.value && std::memcmp(touch.start, touch.value, touch.bytes) == 0;
    if (!same)
      race(cell.write, true, touch, address);
  }
  if (cell.read.block && !(touch.isAtomic() && cell.read.flags & kAtomic)) {
    if (cell.read.block == run && cell.read.flags & kSeveral) {
      ReaderRows::Reader *row = rows.of(cell);
      for (uint32_t at = 0; at < rows.size(); ++at) {
        const uint32_t who = whoIn(at);
        if (row[at].when && !clocks.isBefore(who, row[at].when, touch.thread)) {
          race({run, row[at].when, static_cast<uint16_t>(who), 0, row[at].site}, false, touch,
               address);
          break;
        }
      }
    } else if (!precedes(cell.read, touch)) {
      race(cell.read, false, touch, address);
    }
  }
  // A thread's non-atomic write races with the atomics of others, even after the thread's own
  // atomics.
  const bool keeps = touch.isAtomic() && cell.write.block == run && cell.write.who == touch.who &&
                     cell.write.when == touch.when;
  if (!keeps)
    cell.write = {run, touch.when, static_cast<uint16_t>(touch.who),
                  static_cast<uint16_t>((touch.isAtomic() ? kAtomic : 0) | (same ? kSame : 0)),
                  touch.number};
  cell.read.block = 0;
  cell.read.flags = 0;
}

void CheckedLaunch::access(void *site, uint32_t thread, char *address, int32_t what, int64_t low,
                           int64_t high) {
  size_t bytes = static_cast<uint32_t>(what) >> 8 & 0xffff;
  if (what & kFairleadCheckRows && thread % 32 >= static_cast<uint32_t>(what) >> 24)
    return;
  const int place = memoryAt(address);
  settle();
  if (what & kFairleadCheckSync) {
    takeAllApart();
    syncAt(thread, address);
  }
  if (place == kNoMemory)
    return;
  takeApart(place, address, address + bytes);
  singles[static_cast<size_t>(place)].add(address, address + bytes);
  if ((what & kFairleadCheckKind) == kFairleadCheckCopy)
    copied.add(address, address + bytes);
  const int64_t value[2] = {low, high};
  touch(place == kSharedMemory ? *shared : global[static_cast<size_t>(place - kFirstGlobal)], site,
        thread, address, what,
        what & kFairleadCheckValue ? reinterpret_cast<const char *>(value) : nullptr,
        place == kSharedMemory);
}

/// Returns the watched memory that contains the address.
int CheckedLaunch::memoryAt(const char *address) const {
  if (isShared(address))
    return kSharedMemory;
  for (size_t i = 0; i < global.size(); ++i)
    if (global[i].contains(address))
      return kFirstGlobal + static_cast<int>(i);
  return kNoMemory;
}

void CheckedLaunch::touch(Memory &memory, void *site, uint32_t thread, char *address, int32_t what,
                          const char *value, bool inShared) {
  const size_t bytes = static_cast<uint32_t>(what) >> 8 & 0xffff;
  const bool copies = (what & kFairleadCheckKind) == kFairleadCheckCopy;
  const uint32_t who = copies ? clocks.agentOf(thread) : thread;
  touchBy(memory, {site, numberOf(site), thread, who, clocks.now(who), what, value, address, bytes,
                   inShared});
}

void CheckedLaunch::touchBy(Memory &memory, const Touch &touch) {
  memory.each(touch.start, touch.bytes, [&](Cell &cell, const char *piece) {
    if (touch.writes())
      write(cell, touch, piece);
    else
      read(cell, touch, piece);
  });
}

void CheckedLaunch::readByAgent(void *site, uint32_t thread, uint32_t who, uint32_t when,
                                const char *address, size_t bytes) {
  if (memoryAt(address) != kSharedMemory)
    return;
  settle();
  takeApart(kSharedMemory, address, address + bytes);
  singles[kSharedMemory].add(address, address + bytes);
  touchBy(*shared, {site, numberOf(site), thread, who, when, kFairleadCheckRead, nullptr, address,
                    bytes, true});
}

void CheckedLaunch::unfenced(const Epoch &earlier, const Touch &touch, const char *address) {
  void *other = sites[earlier.site - 1];
  findings.add("race", other, touch.site, place.number, [&](Finding &finding) {
    finding.tensor = memoryText(address, Site::parse(touch.site));
    finding.message = finding.tensor;
    finding.accesses.push_back(accessBy("write", other, earlier.who, earlier.block));
    finding.accesses.push_back(
        accessBy(clocks.isProduct(touch.who) ? "product" : "copy", touch.site, touch.who, run));
    finding.hint =
        std::string("No fence is between them: who writes needs ") +
        Site::parse(other).inLanguage("cute.arch.fence_proxy(\"async.shared\", space=\"cta\")",
                                      "fenceProxy(\"async.shared\", \"cta\")") +
        " before the barrier.";
  });
}

} // namespace fairlead::cpu::check
