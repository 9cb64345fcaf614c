#include "check/compile/PipelineModel.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fairlead::check {

void join(WarpClock &clock, const WarpClock &other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

std::string counted(int64_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string phaseName(int64_t phase) {
  return phase < 0 ? "the phase before the first" : "phase " + std::to_string(phase);
}

PipelineModel::PipelineModel(int numBlocks, int warpsOfBlock)
    : warps(warpsOfBlock), clocks(static_cast<size_t>(numBlocks * warpsOfBlock)),
      exited(clocks.size()), waits(clocks.size()), clusterArrivals(clocks.size()),
      clusterWaits(clocks.size()), openUses(clocks.size()), groups(clocks.size()),
      begunUses(clocks.size()) {
  for (WarpClock &clock : clocks)
    clock.resize(clocks.size());
}

//===--- order ---------------------------------------------------------------------------------===

WarpEvent PipelineModel::step(int warp, Operation *op) {
  const auto index = static_cast<size_t>(warp);
  return {op, warp, ++clocks[index][index]};
}

bool PipelineModel::isBefore(const WarpClock &clock, int warp) const {
  const WarpClock &now = clocks[static_cast<size_t>(warp)];
  for (size_t i = 0; i < clock.size(); ++i)
    if (clock[i] > (i < now.size() ? now[i] : 0))
      return false;
  return true;
}

bool PipelineModel::isBefore(const WarpEvent &event, int warp) const {
  return clocks[static_cast<size_t>(warp)][static_cast<size_t>(event.warp)] >= event.tick;
}

bool PipelineModel::endedFor(const Barrier &barrier, int64_t phase, int warp) const {
  if (barrier.phase <= phase)
    return false;
  if (barrier.phase - 1 == phase)
    return isBefore(barrier.ended, warp);
  return barrier.phase - 2 != phase || isBefore(barrier.endedBefore, warp);
}

//===--- mbarriers -----------------------------------------------------------------------------===

void PipelineModel::init(int warp, SharedPlace place, int64_t arrivals, Operation *op) {
  ++changes;
  auto [at, added] = barriers.try_emplace(place);
  Barrier &barrier = at->second;
  const size_t number = added ? clocks.size() + barriers.size() - 1 : barrier.number;
  const uint32_t asyncEnds = barrier.asyncEnds;
  barrier = Barrier();
  barrier.number = number;
  barrier.asyncEnds = asyncEnds;
  barrier.init = step(warp, op);
  barrier.stage = initsOfLine[{place.block, op->getLoc().getAsOpaquePointer()}]++;
  barrier.arrivals = barrier.pending = arrivals;
  if (arrivals < 1)
    report({&barrier}, "{0} begins with " + counted(arrivals, "arrival") + "; at least 1 is needed",
           "Begin it with the number of arrivals that a phase gets.", {{"init", barrier.init}});
}

PipelineModel::Barrier *PipelineModel::begun(int warp, SharedPlace place, const char *what,
                                             Operation *op) {
  auto at = barriers.find(place);
  if (at == barriers.end()) {
    reportNotBegun({Wait::For::Mbarrier, place, 0}, {what, step(warp, op)});
    return nullptr;
  }
  Barrier &barrier = at->second;
  if (!isBefore(barrier.init, warp)) {
    WarpEvent event = step(warp, op);
    report(
        {&barrier}, "{0} may be used before its mbarrier_init: nothing orders them",
        "Synchronise the threads (of the cluster, if another block uses it) after mbarrier_init.",
        {{"init", barrier.init}, {what, event}});
    WarpClock known(clocks.size()); // report it once
    known[static_cast<size_t>(barrier.init.warp)] = barrier.init.tick;
    join(clocks[static_cast<size_t>(warp)], known);
  }
  return &barrier;
}

void PipelineModel::countEarly(Barrier &barrier, SharedPlace place, int warp, int64_t number,
                               bool isBytes, Operation *op) {
  if (barrier.phase == 0)
    return;
  for (Early &early : earlies)
    if (early.place == place && early.isBytes == isBytes && !isBefore(early.ended, warp))
      early.number += number;
  if (isBefore(barrier.ended, warp))
    return;
  for (const Early &early : earlies)
    if (early.place == place)
      return;
  Early early;
  early.place = place;
  early.isBytes = isBytes;
  early.first = step(warp, op);
  early.repeats = llvm::any_of(barrier.lastArrived, [&](const WarpEvent &event) {
    return event.op == op && event.warp == warp;
  });
  early.ended = barrier.ended;
  early.phase = barrier.phase - 1;
  early.expected = isBytes ? barrier.lastExpected : barrier.arrivals;
  early.number = number + (isBytes ? barrier.lastCame : barrier.arrivals);
  earlies.push_back(std::move(early));
}

void PipelineModel::arrive(int warp, SharedPlace place, int64_t count, bool later, Operation *op) {
  Barrier *barrier = begun(warp, place, "arrives", op);
  if (!barrier || count == 0)
    return;
  countEarly(*barrier, place, warp, count, false, op);
  WarpEvent event = step(warp, op);
  reach(event, place.block);
  auto collect = [&] {
    barrier->isAsync |= later;
    join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
    join(barrier->arrivers, clocks[static_cast<size_t>(warp)]);
    barrier->arrived.push_back(event);
  };
  collect();
  while (count > barrier->pending) { // the others count in the next phase
    const int64_t surplus = count - barrier->pending;
    barrier->pending = 0;
    completeIfDone(*barrier);
    if (barrier->pending == 0) {
      report({barrier},
             "phase " + std::to_string(barrier->phase) + " of {0} gets " +
                 counted(barrier->arrivals + surplus, "arrival") + ", but was begun for " +
                 std::to_string(barrier->arrivals) + ", and still waits for " +
                 counted(barrier->outstanding, "byte"),
             "Begin it with " + counted(barrier->arrivals + surplus, "arrival") +
                 ", or let only so many threads arrive as it was begun with.",
             {{"init", barrier->init}, {"arrives", event}});
      return;
    }
    count = surplus;
    countEarly(*barrier, place, warp, count, false, op);
    collect();
  }
  barrier->pending -= count;
  completeIfDone(*barrier);
}

void PipelineModel::expect(int warp, SharedPlace place, int64_t bytes, bool arrives,
                           Operation *op) {
  constexpr int64_t kMostBytes = (1 << 20) - 1;
  Barrier *barrier = begun(warp, place, "expects", op);
  if (!barrier)
    return;
  WarpEvent event = step(warp, op);
  barrier->outstanding += bytes;
  barrier->expected += bytes;
  barrier->expecting.push_back(event);
  if (bytes > kMostBytes)
    report({barrier},
           "{0} is to expect " + std::to_string(bytes) + " bytes; the most is " +
               std::to_string(kMostBytes),
           "Let several barriers, or several phases, count the bytes.", {{"expects", event}});
  if (!arrives && barrier->phase > 0 && !isBefore(barrier->ended, warp))
    report({barrier},
           "the " + counted(bytes, "byte") + " that phase " + std::to_string(barrier->phase) +
               " of {0} is to expect may count in the phase before: nothing makes the operation "
               "come after the end of that phase",
           "Expect them after the wait that allows to fill the stage again.",
           {{"expects", event}, {"ends the phase before", barrier->lastArrived.back()}});
  join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
  if (!arrives)
    completeIfDone(*barrier);
}

void PipelineModel::transfer(int warp, SharedPlace place, int64_t bytes, Operation *op) {
  Barrier *barrier = begun(warp, place, "copies", op);
  if (!barrier)
    return;
  countEarly(*barrier, place, warp, bytes, true, op);
  WarpEvent event = step(warp, op);
  reach(event, place.block);
  barrier->arrived.push_back(event);
  barrier->copy = event;
  barrier->isAsync = true;
  barrier->outstanding -= bytes;
  barrier->came += bytes;
  join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
  completeIfDone(*barrier);
}

/// A wait must see its phase before the next one can end.
void PipelineModel::checkObservers(const Barrier &barrier) {
  for (const WarpEvent &observer : barrier.observers) {
    if (barrier.collecting[static_cast<size_t>(observer.warp)] >= observer.tick)
      continue;
    report({&barrier},
           "a wait for " + phaseName(barrier.phase - 1) + " of {0} may miss it: phase " +
               std::to_string(barrier.phase) +
               " can end before the wait sees that, and then it waits for phase " +
               std::to_string(barrier.phase + 1) + ", or forever",
           "Let the waiting threads arrive, at this barrier or at another one, before the next "
           "phase can end.",
           {{"waits", observer}, {"ends the next phase", barrier.arrived.back()}});
    return;
  }
}

/// Bytes must be expected before the last arrival of their phase can come.
void PipelineModel::checkExpecting(const Barrier &barrier) {
  for (const WarpEvent &event : barrier.expecting) {
    if (barrier.arrivers[static_cast<size_t>(event.warp)] >= event.tick)
      continue;
    report({&barrier},
           "phase " + std::to_string(barrier.phase) +
               " of {0} may end before its bytes are expected: none of its " +
               counted(barrier.arrivals, "arrival") + " must come after the operation",
           "Expect the bytes before the arrival of the same thread, as "
           "mbarrier_arrive_and_expect_tx does.",
           {{"expects", event}, {"arrives", barrier.arrived.back()}});
    return;
  }
}

void PipelineModel::completeIfDone(Barrier &barrier) {
  ++changes;
  if (barrier.pending != 0 || barrier.outstanding != 0)
    return;
  barrier.arrivers.resize(clocks.size());
  checkObservers(barrier);
  checkExpecting(barrier);
  barrier.observers.clear();
  barrier.expecting.clear();
  barrier.endedBefore = std::move(barrier.ended);
  barrier.ended = std::move(barrier.collecting);
  if (barrier.isAsync) { // only a wait shows that it has ended
    barrier.ended.resize(std::max(barrier.ended.size(), barrier.number + 1));
    barrier.ended[barrier.number] = ++barrier.asyncEnds;
  }
  barrier.isAsync = false;
  barrier.collecting = WarpClock(clocks.size());
  barrier.arrivers = WarpClock(clocks.size());
  barrier.lastArrived = std::move(barrier.arrived);
  barrier.arrived.clear();
  barrier.lastCame = barrier.came;
  barrier.lastExpected = barrier.expected;
  barrier.came = barrier.expected = barrier.outstanding = 0;
  barrier.pending = barrier.arrivals;
  ++barrier.phase;
}

bool PipelineModel::wait(int warp, SharedPlace place, int64_t parity, Operation *op) {
  Wait &waiting = waits[static_cast<size_t>(warp)];
  waiting = {Wait::For::Mbarrier, place, parity & 1};
  if (!barriers.contains(place))
    return false; // another warp may begin it
  Barrier &barrier = *begun(warp, place, "waits", op);
  if (((barrier.phase - 1) & 1) != (parity & 1))
    return false;
  waiting = {};
  if (barrier.phase >= 2 && !isBefore(barrier.endedBefore, warp))
    report(
        {&barrier},
        "a wait for " + phaseName(barrier.phase - 1) + " of {0} may see " +
            phaseName(barrier.phase - 3) + " instead: both have parity " +
            std::to_string(parity & 1) + ", and nothing makes the wait come after " +
            phaseName(barrier.phase - 2),
        "Wait for every phase in turn, and flip the parity each time that the stages begin again.",
        {{"waits", step(warp, op)}, {"ends a phase", barrier.lastArrived.back()}});
  if (barrier.phase > 0)
    join(clocks[static_cast<size_t>(warp)], barrier.ended);
  const WarpEvent event = step(warp, op);
  for (WarpEvent &observer : barrier.observers)
    if (observer.warp == warp) {
      observer = event;
      return true;
    }
  barrier.observers.push_back(event);
  return true;
}

} // namespace fairlead::check
