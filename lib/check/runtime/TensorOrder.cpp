#include "check/runtime/TensorOrder.h"

namespace fairlead::check {
namespace {

using Use = cpu::TensorCells::Use;

const char *nameOf(Use use) {
  switch (use) {
  case Use::Load:
    return "load";
  case Use::Store:
    return "store";
  case Use::Copy:
    return "copy";
  case Use::Free:
    return "free";
  case Use::Scales:
    return "scale factors";
  default:
    return "product";
  }
}

[[gnu::cold]] std::string textOf(const cpu::TensorCells &cells) {
  return "columns " + std::to_string(cells.column) + " to " +
         std::to_string(cells.column + cells.columns - 1) + " of tensor memory";
}

bool isReadByProduct(Use use) { return use == Use::Operand || use == Use::Scales; }
bool isOfProducts(Use use) { return use == Use::Sum || isReadByProduct(use) || use == Use::Copy; }

std::string hintFor(Use earlier, Use now) {
  if (earlier == Use::Sum && now == Use::Sum)
    return "Products of other extents or types of sums do not wait for each other: " +
           std::string(kCommitHint);
  if (isOfProducts(earlier))
    return kCommitHint;
  if (earlier == Use::Store)
    return "The warp that stores has to wait for its stores "
           "(cute.arch.fence_view_async_tmem_store()), and the other one for the warp.";
  return "The warp that loads has to tell the other one when it has loaded, by an mbarrier or a "
         "barrier.";
}

} // namespace

TensorOrder::Warp &TensorOrder::warpOf(uint32_t thread) {
  if (warps.size() <= thread / kWarp)
    warps.resize(thread / kWarp + 1);
  return warps[thread / kWarp];
}

uint32_t TensorOrder::note(const ThreadAt &by, const cpu::TensorCells &cells) {
  Warp &warp = warpOf(by.thread);
  const uint32_t lane = by.thread % kWarp, number = warp.count[lane]++;
  if (warp.uses.size() <= number)
    warp.uses.resize(number + 1);
  WarpUse &use = warp.uses[number];
  use.when[lane] = clocks.now(by.thread);
  use.waits[lane] = static_cast<uint32_t>(warp.waits[lane].size());
  if (!use.site) {
    use.lanes = cells.lanes;
    use.column = cells.column;
    use.site = by.site;
  } else if (use.site != by.site || use.lanes != cells.lanes || use.column != cells.column) {
    reporter.misuse({{use.site, by.thread - lane}, by},
                    "lanes of a warp load or store different cells of tensor memory",
                    "All lanes of a warp have to come to the same line with the same address.");
  }
  return number;
}

void TensorOrder::endThreads(const std::vector<uint32_t> &threads) {
  for (uint32_t thread : threads) {
    const Warp &warp = warpOf(thread);
    const uint32_t count = warp.count[thread % kWarp];
    if (count < warp.uses.size())
      reporter.misuse({{warp.uses[count].site, thread}},
                      "a lane that does not take part in a load or store of tensor memory",
                      "All lanes of a warp have to come to it.");
  }
}

void TensorOrder::waitForStores(uint32_t thread) {
  warpOf(thread).waits[thread % kWarp].push_back(clocks.now(thread));
}

bool TensorOrder::isWarpUseOver(const Event &event, uint32_t thread) {
  const Warp &warp = warpOf(event.thread);
  const WarpUse &use = warp.uses[event.number];
  for (uint32_t lane = 0; lane < kWarp; ++lane) {
    uint32_t when = use.when[lane];
    if (when && event.use == Use::Store) {
      const std::vector<uint32_t> &waits = warp.waits[lane];
      when = use.waits[lane] < waits.size() ? waits[use.waits[lane]] : 0;
    }
    if (when && clocks.isBefore(event.thread / kWarp * kWarp + lane, when, thread))
      return true;
  }
  return false;
}

bool TensorOrder::isOver(const Event &event, uint32_t thread) {
  return isOfProducts(event.use)
             ? clocks.isBefore(clocks.tensorProductsOf(event.thread), event.when, thread)
             : isWarpUseOver(event, thread);
}

void TensorOrder::need(const Event &earlier, const Event &now, const cpu::TensorCells &cells) {
  if (!earlier.site || isOver(earlier, now.thread))
    return;
  reporter.tensorRace({nameOf(earlier.use), {earlier.site, earlier.thread}},
                      {nameOf(now.use), {now.site, now.thread}}, textOf(cells),
                      hintFor(earlier.use, now.use));
}

void TensorOrder::needOwnColumns(const Cell &cell, const Event &now,
                                 const cpu::TensorCells &cells) {
  const bool readsItsSums = now.use == Use::Sum && cell.operand.site &&
                            isReadByProduct(cell.operand.use) && cell.operand.number == now.number;
  const bool readsSums = now.use == Use::Scales && cell.write.site && cell.write.use == Use::Sum;
  if (!readsItsSums && !readsSums)
    return;
  const Event &earlier = readsItsSums ? cell.operand : cell.write;
  reporter.tensorRace({nameOf(earlier.use), {earlier.site, earlier.thread}},
                      {nameOf(now.use), {now.site, now.thread}}, textOf(cells),
                      "Sums and operands of products need columns of their own.");
}

void TensorOrder::check(const Cell &cell, const Event &now, const cpu::TensorCells &cells) {
  const bool ofProducts = isOfProducts(now.use);
  const bool isOfWarp = cell.write.thread / kWarp == now.thread / kWarp;
  // Products and copies of one warp end in their order, but for products of different forms.
  const bool isInOrder =
      isOfWarp &&
      ((ofProducts && isOfProducts(cell.write.use) &&
        !(now.use == Use::Sum && cell.write.use == Use::Sum && now.form != cell.write.form)) ||
       (!ofProducts && cell.write.use == Use::Store));
  if (!isInOrder)
    need(cell.write, now, cells);
  if (now.use == Use::Load || isReadByProduct(now.use))
    return;
  need(cell.load, now, cells);
  if (!(ofProducts && cell.operand.thread / kWarp == now.thread / kWarp))
    need(cell.operand, now, cells);
}

void TensorOrder::keep(Cell &cell, const Event &now) {
  switch (now.use) {
  case Use::Load:
    cell.load = now;
    return;
  case Use::Operand:
  case Use::Scales:
    cell.operand = now;
    return;
  case Use::Free:
    cell = {};
    return;
  default:
    cell = {};
    cell.write = now;
  }
}

void TensorOrder::reserve(const ThreadAt &by, size_t rank) {
  Reservation &last = reservations[rank];
  if (last.by.site && !clocks.isBefore(last.by.thread, last.when, by.thread))
    reporter.tensorRace({"reserve", last.by}, {"reserve", by}, "columns of tensor memory",
                        "Two warps of a block may not reserve columns at the same time: let one "
                        "warp reserve all.");
  last = {by, clocks.now(by.thread)};
}

std::string TensorOrder::notCommitted() const {
  if (open.empty())
    return "";
  return " No tcgen05.commit follows the products or copies that " + std::to_string(open.size()) +
         (open.size() == 1 ? " warp" : " warps") + " issued, the last at " +
         runtime::Site::parse(open.rbegin()->second).place() + ".";
}

void TensorOrder::use(const ThreadAt &by, const cpu::TensorCells &cells) {
  if (isOfProducts(cells.use))
    open[by.thread / kWarp] = by.site;
  const bool ofWarp = cells.use == Use::Load || cells.use == Use::Store;
  const uint32_t number = ofWarp ? note(by, cells) : products;
  if (ofWarp && by.thread % kWarp)
    return;
  const uint32_t when = isOfProducts(cells.use) ? clocks.tensorProductsNow(by.thread) : 0;
  const Event now{cells.use, by.thread, when, number, cells.form, by.site};
  if (blocks.size() <= cells.rank)
    blocks.resize(cells.rank + 1);
  std::vector<Cell> &memory = blocks[cells.rank];
  memory.resize(size_t{kColumns} * kLaneGroups);
  for (uint32_t column = cells.column; column < cells.column + cells.columns; ++column)
    for (uint32_t group = 0; group < kLaneGroups; ++group)
      if (cells.lanes >> group & 1) {
        Cell &cell = memory[(column % kColumns) * kLaneGroups + group];
        needOwnColumns(cell, now, cells);
        check(cell, now, cells);
        keep(cell, now);
      }
  products += cells.use == Use::Sum;
}

} // namespace fairlead::check
