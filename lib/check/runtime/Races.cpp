#include "check/runtime/Races.h"

#include <cstring>

namespace fairlead::check {

void Races::beginRun(bool agents) {
  const auto threads = static_cast<uint32_t>(clocks.count());
  rows.begin(agents ? rowOf(clocks.tensorProductsOf(threads - 1)) + 1 : threads);
  links.beginRun();
}

/// Readers in rows: threads, then those of their agents that read.
uint32_t Races::rowOf(uint32_t who) const {
  const auto threads = static_cast<uint32_t>(clocks.count());
  return who >= 2 * threads ? who - 2 * threads : who;
}

uint32_t Races::whoIn(uint32_t row) const {
  const auto threads = static_cast<uint32_t>(clocks.count());
  return row < threads ? row : row + 2 * threads;
}

bool Races::precedes(const Epoch &epoch, const Touch &touch) const {
  if (epoch.block == block.run())
    return clocks.isBefore(epoch.who, epoch.when, touch.thread);
  // Other launches, and earlier owners of this shared memory, always precede.
  if (touch.inShared || epoch.block < RunningBlock::kFirstRun)
    return true;
  return links.areVisible(epoch.block);
}

void Races::access(int number, const ThreadAt &by, uint32_t who, const char *address, int32_t what,
                   const char *value) {
  touch(number, {by.site, sites.numberOf(by.site), by.thread, who, clocks.now(who), what, value,
                 address, bytesOf(what), number == WatchedMemory::kShared});
}

void Races::readByAgent(const ThreadAt &issued, uint32_t agent, uint32_t when, const char *address,
                        size_t bytes) {
  touch(WatchedMemory::kShared, {issued.site, sites.numberOf(issued.site), issued.thread, agent,
                                 when, kFairleadCheckRead, nullptr, address, bytes, true});
}

void Races::arrive(const ThreadAt &by, uint32_t who, uint32_t when, const char *mbarrier) {
  constexpr size_t kBytes = 8;
  const Touch touch{by.site,   sites.numberOf(by.site),
                    by.thread, who,
                    when,      kFairleadCheckRead,
                    nullptr,   mbarrier,
                    kBytes,    true};
  memory[WatchedMemory::kShared].each(mbarrier, kBytes, [&](Cell &cell, const char *piece) {
    if (hasEnded(cell))
      reporter.outlived({Reporter::kArrival, {by.site, by.thread}}, piece);
    else
      noteReader(cell, touch);
  });
}

void Races::touch(int number, const Touch &touch) {
  memory[number].each(touch.start, touch.bytes, [&](Cell &cell, const char *piece) {
    if (touch.writes())
      write(cell, touch, piece);
    else
      read(cell, touch, piece);
  });
}

static uint16_t flagsOf(const Touch &touch) {
  return static_cast<uint16_t>((touch.isAtomic() ? kAtomic : 0) |
                               (touch.isOfBlock() ? kOfBlock : 0));
}

/// True if both are atomic for each other's threads.
bool Races::areAtomic(const Epoch &earlier, const Touch &touch) const {
  const bool ofBlock = earlier.flags & kOfBlock || touch.isOfBlock();
  return touch.isAtomic() && earlier.flags & kAtomic && !(ofBlock && earlier.block != block.run());
}

void Races::read(Cell &cell, const Touch &touch, const char *address) {
  if (hasEnded(cell))
    return reporter.outlived({"read", {touch.site, clocks.threadOf(touch.who)}}, address);
  if (cell.write.block && !areAtomic(cell.write, touch) && !(cell.write.flags & kSame) &&
      !precedes(cell.write, touch))
    race(cell.write, true, touch, address);
  else if (touch.who >= clocks.count() && cell.write.block == block.run() &&
           cell.write.who < clocks.count() &&
           !clocks.isFenced(cell.write.who, cell.write.when, touch.thread))
    reporter.unfenced(cell.write, touch, address);
  noteReader(cell, touch);
}

void Races::noteReader(Cell &cell, const Touch &touch) {
  const uint32_t run = block.run();
  Epoch now{run, touch.when, static_cast<uint16_t>(touch.who), flagsOf(touch), touch.number};
  if (cell.read.block < RunningBlock::kFirstRun || (touch.inShared && cell.read.block != run)) {
    cell.read = now;
    return;
  }
  // A reader of another block is the one to keep: what this block does later is not ordered with
  // it.
  if (cell.read.block != run)
    return;
  const bool several = cell.read.flags & kSeveral;
  // A thread's plain read races with the atomics of others, even after its own atomic load.
  const bool isKept = touch.isAtomic() && !(cell.read.flags & kAtomic);
  if (!several && cell.read.who == now.who) {
    if (!isKept || cell.read.when != now.when)
      cell.read = now;
    return;
  }
  // One reader in global memory is enough, unless only some of them are atomic.
  const bool isOrdered = !several && clocks.isBefore(cell.read.who, cell.read.when, touch.thread);
  if (!several && !touch.inShared && touch.isAtomic() == ((cell.read.flags & kAtomic) != 0)) {
    if (isOrdered)
      cell.read = now;
    return;
  }
  if (!several) {
    // The only reader so far does not count if this thread knows of its read.
    ReaderRows::Reader *row = isOrdered ? nullptr : rows.clear(cell);
    if (!row) {
      cell.read = now;
      return;
    }
    row[rowOf(cell.read.who)] = {cell.read.when, cell.read.site, (cell.read.flags & kAtomic) != 0};
  }
  ReaderRows::Reader &reader = rows.of(cell)[rowOf(now.who)];
  if (!touch.isAtomic() || reader.isAtomic || reader.when != now.when)
    reader = {now.when, now.site, touch.isAtomic()};
  if (!isKept)
    cell.read = now;
  cell.read.flags |= kSeveral;
}

void Races::write(Cell &cell, const Touch &touch, const char *address) {
  if (hasEnded(cell))
    return reporter.outlived({"write", {touch.site, clocks.threadOf(touch.who)}}, address);
  const bool concurrent =
      cell.write.block && !areAtomic(cell.write, touch) && !precedes(cell.write, touch);
  bool same = false;
  if (concurrent) {
    same = touch.value && std::memcmp(touch.start, touch.value, touch.bytes) == 0;
    if (!same)
      race(cell.write, true, touch, address);
  }
  if (cell.read.block)
    checkReaders(cell, touch, address);
  // A thread's non-atomic write races with the atomics of others, even after the thread's own
  // atomics.
  const bool keeps = touch.isAtomic() && cell.write.block == block.run() &&
                     cell.write.who == touch.who && cell.write.when == touch.when;
  if (!keeps)
    cell.write = {block.run(), touch.when, static_cast<uint16_t>(touch.who),
                  static_cast<uint16_t>(flagsOf(touch) | (same ? kSame : 0)), touch.number};
  cell.read.block = 0;
  cell.read.flags = 0;
}

/// Reports a reader since the last write that nothing orders with this write.
void Races::checkReaders(const Cell &cell, const Touch &touch, const char *address) {
  if (cell.read.block != block.run() || !(cell.read.flags & kSeveral)) {
    if (!areAtomic(cell.read, touch) && !precedes(cell.read, touch))
      race(cell.read, false, touch, address);
    return;
  }
  const ReaderRows::Reader *row = rows.of(cell);
  for (uint32_t at = 0; at < rows.size(); ++at) {
    const uint32_t who = whoIn(at);
    const uint16_t flags = row[at].isAtomic ? kAtomic : 0;
    if (row[at].when && !(touch.isAtomic() && flags) &&
        !clocks.isBefore(who, row[at].when, touch.thread))
      return race({block.run(), row[at].when, static_cast<uint16_t>(who), flags, row[at].site},
                  false, touch, address);
  }
}

void Races::endShared(const char *begin, size_t bytes, uint32_t thread) {
  const uint32_t run = block.run();
  const size_t rank = block.rankOf(thread);
  const auto report = [&](const Epoch &epoch, bool wrote, const char *address) {
    const bool isOthers = epoch.block == run && block.rankOf(clocks.threadOf(epoch.who)) != rank &&
                          !clocks.isBefore(epoch.who, epoch.when, thread);
    if (isOthers)
      reporter.outlived({wrote                    ? "write"
                         : mbarriers.has(address) ? Reporter::kArrival
                                                  : "read",
                         {sites.at(epoch.site), clocks.threadOf(epoch.who)}},
                        address);
  };
  memory[WatchedMemory::kShared].each(begin, bytes, [&](Cell &cell, const char *address) {
    report(cell.write, true, address);
    if (cell.read.block == run && cell.read.flags & kSeveral) {
      const ReaderRows::Reader *row = rows.of(cell);
      for (uint32_t at = 0; at < rows.size(); ++at)
        if (row[at].when)
          report({run, row[at].when, static_cast<uint16_t>(whoIn(at)), 0, row[at].site}, false,
                 address);
    } else {
      report(cell.read, false, address);
    }
    cell.write = {run, 0, static_cast<uint16_t>(thread), kEnded, 0};
    cell.read = {};
  });
}

} // namespace fairlead::check
