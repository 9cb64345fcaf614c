#include "check/compile/PipelineModel.h"

#include <algorithm>

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fairlead::check {
namespace {

void join(WarpClock &clock, const WarpClock &other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

std::string counted(int64_t number, const char *one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

} // namespace

PipelineModel::PipelineModel(int numBlocks, int warpsOfBlock)
    : warps(warpsOfBlock), clocks(static_cast<size_t>(numBlocks * warpsOfBlock)),
      exited(clocks.size()), clusterArrivals(clocks.size()), clusterWaits(clocks.size()),
      openUses(clocks.size()), groups(clocks.size()) {
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
    if (clock[i] > now[i])
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
  Barrier &barrier = barriers[place];
  barrier = Barrier();
  barrier.init = step(warp, op);
  barrier.stage = initsOfLine[{place.block, op->getLoc().getAsOpaquePointer()}]++;
  barrier.arrivals = barrier.pending = arrivals;
  if (arrivals < 1)
    report(&barrier,
           "{barrier} begins with " + counted(arrivals, "arrival") + "; at least 1 is needed", "",
           {{"init", barrier.init}});
}

PipelineModel::Barrier *PipelineModel::begun(int warp, SharedPlace place, const char *what,
                                             Operation *op) {
  auto at = barriers.find(place);
  if (at == barriers.end()) {
    WarpEvent event = step(warp, op);
    report(nullptr,
           std::string("an mbarrier at byte ") + std::to_string(place.offset) +
               " of shared memory is used that nothing has begun",
           "Begin it with mbarrier_init, and synchronise the threads before they use it.",
           {{what, event}});
    return nullptr;
  }
  Barrier &barrier = at->second;
  if (!isBefore(barrier.init, warp)) {
    WarpEvent event = step(warp, op);
    report(
        &barrier, "{barrier} may be used before its mbarrier_init: nothing orders them",
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
  early.other = barrier.lastArrived.empty() ? barrier.init : barrier.lastArrived.back();
  early.ended = barrier.ended;
  early.phase = barrier.phase - 1;
  early.expected = isBytes ? barrier.lastExpected : barrier.arrivals;
  early.number = number + (isBytes ? barrier.lastCame : barrier.arrivals);
  earlies.push_back(std::move(early));
}

void PipelineModel::arrive(int warp, SharedPlace place, int64_t count, Operation *op) {
  Barrier *barrier = begun(warp, place, "arrives", op);
  if (!barrier)
    return;
  countEarly(*barrier, place, warp, count, false, op);
  WarpEvent event = step(warp, op);
  join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
  barrier->arrived.push_back(event);
  while (count > barrier->pending) { // the others count in the next phase
    count -= barrier->pending;
    barrier->pending = 0;
    completeIfDone(*barrier);
    if (barrier->pending == 0) {
      report(barrier,
             "a phase of {barrier} gets more than the " + counted(barrier->arrivals, "arrival") +
                 " that it was begun with, while it waits for bytes",
             "Begin it with the number of arrivals that a phase gets.",
             {{"init", barrier->init}, {"arrives", event}});
      return;
    }
    countEarly(*barrier, place, warp, count, false, op);
    join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
    barrier->arrived.push_back(event);
  }
  barrier->pending -= count;
  completeIfDone(*barrier);
}

void PipelineModel::expect(int warp, SharedPlace place, int64_t bytes, Operation *op) {
  constexpr int64_t kMostBytes = (1 << 20) - 1;
  Barrier *barrier = begun(warp, place, "expects", op);
  if (!barrier)
    return;
  WarpEvent event = step(warp, op);
  barrier->outstanding += bytes;
  barrier->expected += bytes;
  if (bytes < 0 || bytes > kMostBytes)
    report(barrier,
           "{barrier} is to expect " + std::to_string(bytes) + " bytes; the most is " +
               std::to_string(kMostBytes),
           "", {{"expects", event}});
  join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
}

void PipelineModel::transfer(int warp, SharedPlace place, std::optional<int64_t> bytes,
                             Operation *op) {
  Barrier *barrier = begun(warp, place, "copies", op);
  if (!barrier)
    return;
  countEarly(*barrier, place, warp, bytes.value_or(0), true, op);
  WarpEvent event = step(warp, op);
  barrier->arrived.push_back(event);
  barrier->takesAnyBytes |= !bytes;
  barrier->outstanding -= bytes.value_or(0);
  barrier->came += bytes.value_or(0);
  join(barrier->collecting, clocks[static_cast<size_t>(warp)]);
  completeIfDone(*barrier);
}

void PipelineModel::completeIfDone(Barrier &barrier) {
  ++changes;
  if (barrier.pending != 0 || (barrier.outstanding != 0 && !barrier.takesAnyBytes))
    return;
  for (const WarpEvent &observer : barrier.observers) {
    const auto index = static_cast<size_t>(observer.warp);
    if (barrier.collecting[index] < observer.tick) {
      report(&barrier,
             "a wait for {barrier} may miss its phase: the next phase can end before the wait sees "
             "that this one "
             "has ended, and then it waits for a later one, or forever",
             "Let the waiting threads arrive, at this barrier or at another one, before the next "
             "phase can end.",
             {{"waits", observer}, {"ends the next phase", barrier.arrived.back()}});
      break;
    }
  }
  barrier.observers.clear();
  barrier.endedBefore = std::move(barrier.ended);
  barrier.ended = std::move(barrier.collecting);
  barrier.collecting = WarpClock(clocks.size());
  barrier.lastArrived = std::move(barrier.arrived);
  barrier.arrived.clear();
  barrier.lastCame = barrier.came;
  barrier.lastExpected = barrier.expected;
  barrier.came = barrier.expected = barrier.outstanding = 0;
  barrier.pending = barrier.arrivals;
  barrier.takesAnyBytes = false;
  ++barrier.phase;
}

bool PipelineModel::wait(int warp, SharedPlace place, int64_t parity, Operation *op) {
  if (!barriers.contains(place))
    return false; // another warp may begin it
  Barrier &barrier = *begun(warp, place, "waits", op);
  if (((barrier.phase - 1) & 1) != (parity & 1))
    return false;
  if (barrier.phase >= 2 && !isBefore(barrier.endedBefore, warp))
    report(
        &barrier,
        "a wait for {barrier} may see an earlier phase than the one that it is for: both have "
        "parity " +
            std::to_string(parity & 1) +
            ", and nothing makes the wait come after the phase between them",
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

//===--- barriers of a block and of a cluster --------------------------------------------------===

int PipelineModel::aliveWarps(int block) const {
  int alive = 0;
  for (int i = 0; i < warps; ++i)
    alive += !exited[static_cast<size_t>(block * warps + i)];
  return alive;
}

void PipelineModel::complete(Named &barrier) {
  ++changes;
  ++barrier.generation;
  barrier.ended = std::move(barrier.collecting);
  barrier.collecting = WarpClock(clocks.size());
  barrier.arrivedThreads = 0;
  for (auto &[warp, isReleased] : barrier.released)
    if (!isReleased) {
      join(clocks[static_cast<size_t>(warp)], barrier.ended);
      isReleased = true;
    }
}

void PipelineModel::arriveNamed(int warp, int64_t id, int64_t threads, Operation *op) {
  constexpr int64_t kLanes = 32;
  const int block = blockOf(warp);
  Named &barrier = named[{block, id}];
  const WarpEvent event = step(warp, op);
  if (barrier.arrivedThreads == 0) {
    barrier.expected = threads;
    barrier.first = event;
  } else if (barrier.expected != threads) {
    report(nullptr,
           "barrier " + std::to_string(id) + " is for " + counted(barrier.expected, "thread") +
               " by one warp, and for " + std::to_string(threads) + " by another",
           "Give all threads of a barrier the same number.",
           {{"comes", barrier.first}, {"comes", event}});
  }
  ++changes;
  barrier.arrivedThreads += kLanes;
  join(barrier.collecting, clocks[static_cast<size_t>(warp)]);
  const int64_t all =
      threads ? (threads + kLanes - 1) / kLanes * kLanes : kLanes * aliveWarps(block);
  if (barrier.arrivedThreads >= all)
    complete(barrier);
}

bool PipelineModel::sync(int warp, int64_t id, int64_t threads, Operation *op) {
  Named &barrier = named[{blockOf(warp), id}];
  if (!barrier.released.contains(warp)) {
    barrier.released[warp] = false;
    arriveNamed(warp, id, threads, op);
  }
  if (!barrier.released[warp])
    return false;
  barrier.released.erase(warp);
  return true;
}

void PipelineModel::arriveCluster(int warp, Operation *op) {
  ++changes;
  step(warp, op);
  const auto index = static_cast<size_t>(warp);
  const auto generation = static_cast<size_t>(clusterArrivals[index]++);
  if (clusterClocks.size() <= generation)
    clusterClocks.resize(generation + 1, WarpClock(clocks.size()));
  join(clusterClocks[generation], clocks[index]);
}

bool PipelineModel::waitCluster(int warp, Operation *op) {
  const auto index = static_cast<size_t>(warp);
  const int64_t generation = clusterWaits[index];
  if (clusterArrivals[index] <= generation)
    return false;
  for (size_t i = 0; i < clocks.size(); ++i)
    if (!exited[i] && clusterArrivals[i] <= generation)
      return false;
  ++clusterWaits[index];
  join(clocks[index], clusterClocks[static_cast<size_t>(generation)]);
  step(warp, op);
  return true;
}

void PipelineModel::exit(int warp) {
  ++changes;
  exited[static_cast<size_t>(warp)] = true;
  completeFullBarriers(blockOf(warp));
}

void PipelineModel::completeFullBarriers(int block) {
  constexpr int64_t kLanes = 32;
  for (auto &[key, barrier] : named)
    if (key.first == block && barrier.expected == 0 && barrier.arrivedThreads > 0 &&
        barrier.arrivedThreads >= kLanes * aliveWarps(block))
      complete(barrier);
}

//===--- stages --------------------------------------------------------------------------------===

void PipelineModel::copyTo(int warp, SharedPlace target, int64_t bytes, SharedPlace barrier,
                           Operation *op) {
  if (bytes <= 0)
    return;
  auto at = stages.upper_bound(target);
  if (at != stages.begin()) {
    auto before = std::prev(at);
    if (before->first.block == target.block &&
        before->first.offset + before->second.bytes > target.offset)
      at = before;
  }
  while (at != stages.end() && at->first.block == target.block &&
         at->first.offset < target.offset + bytes) {
    checkReuse(at->second, warp, op);
    at = stages.erase(at);
  }
  Stage stage;
  stage.bytes = bytes;
  stage.barrier = barrier;
  auto counts = barriers.find(barrier);
  stage.phase = counts == barriers.end() ? 0 : counts->second.phase;
  stage.copy = step(warp, op);
  stages[target] = std::move(stage);
}

void PipelineModel::checkReuse(const Stage &stage, int warp, Operation *op) {
  auto counts = barriers.find(stage.barrier);
  const Barrier *barrier = counts == barriers.end() ? nullptr : &counts->second;
  for (const std::shared_ptr<Use> &use : stage.uses) {
    const WarpEvent end{use->begin.op, use->begin.warp, use->endTick};
    if (use->endTick != 0 && isBefore(end, warp))
      continue;
    const bool isOpen = use->endTick == 0;
    report(barrier,
           std::string("a stage of {barrier} is copied to while it may still be read: ") +
               (isOpen ? "the product that reads it is not known to be done"
                       : "nothing orders the copy after the read"),
           isOpen
               ? "Release the stage after the wait for the product (wait_group, or tcgen05.commit)."
               : "Wait before the copy until all readers have released the stage.",
           {{"reads", use->begin}, {"copies", step(warp, op)}});
    return;
  }
  if (barrier && !endedFor(*barrier, stage.phase, warp))
    report(barrier, "a stage of {barrier} is copied to while another copy to it may be under way",
           "Wait before the copy until the stage has been filled, read and released.",
           {{"copies", stage.copy}, {"copies", step(warp, op)}});
}

void PipelineModel::use(int warp, SharedPlace place, int64_t bytes, bool later, Operation *op) {
  auto at = stages.upper_bound(place);
  if (at == stages.begin())
    return;
  --at;
  Stage &stage = at->second;
  if (at->first.block != place.block || at->first.offset + stage.bytes < place.offset + bytes)
    return;
  auto counts = barriers.find(stage.barrier);
  const WarpEvent event = step(warp, op);
  if (counts != barriers.end() && !endedFor(counts->second, stage.phase, warp))
    report(&counts->second, "a stage of {barrier} is read before the wait for the copy to it",
           "Wait for the barrier's phase first.", {{"copies", stage.copy}, {"reads", event}});
  auto same = llvm::find_if(stage.uses, [&](const std::shared_ptr<Use> &use) {
    return use->begin.op == op && use->begin.warp == warp;
  });
  if (same == stage.uses.end())
    same = stage.uses.insert(stage.uses.end(), nullptr);
  *same = std::make_shared<Use>(Use{event, later ? 0 : event.tick});
  if (later)
    openUses[static_cast<size_t>(warp)].push_back(*same);
}

void PipelineModel::commitUses(int warp) {
  const auto index = static_cast<size_t>(warp);
  groups[index].push_back(std::move(openUses[index]));
  openUses[index].clear();
}

void PipelineModel::finishUses(int warp, size_t pending) {
  const auto index = static_cast<size_t>(warp);
  const WarpEvent now = step(warp, nullptr);
  while (groups[index].size() > pending) {
    for (const std::shared_ptr<Use> &use : groups[index].front())
      use->endTick = now.tick;
    groups[index].erase(groups[index].begin());
  }
}

//===--- reports -------------------------------------------------------------------------------===

void PipelineModel::report(const Barrier *barrier, std::string message, std::string hint,
                           std::vector<std::pair<std::string, WarpEvent>> events) {
  constexpr size_t kMost = 16;
  PipelineMistake mistake;
  mistake.message = std::move(message);
  mistake.hint = std::move(hint);
  mistake.events = std::move(events);
  if (barrier && barrier->init.op) {
    mistake.init = barrier->init.op;
    mistake.stage = barrier->stage;
    mistake.stages =
        initsOfLine[{blockOf(barrier->init.warp), barrier->init.op->getLoc().getAsOpaquePointer()}];
  }
  for (const PipelineMistake &other : found)
    if (other.message == mistake.message && other.events.size() == mistake.events.size() &&
        llvm::all_of(llvm::zip(other.events, mistake.events), [](auto pair) {
          return std::get<0>(pair).second.op == std::get<1>(pair).second.op;
        }))
      return;
  if (found.size() < kMost)
    found.push_back(std::move(mistake));
}

void PipelineModel::reportEarly(const Early &early) {
  Barrier &barrier = barriers[early.place];
  const std::string phase = "phase " + std::to_string(early.phase) + " of {barrier}";
  if (early.isBytes) {
    report(&barrier,
           phase + " expects " + counted(early.expected, "byte") + ", but " +
               std::to_string(early.number) + " come: it ends before all copies are done",
           "Expect " + counted(early.number, "byte") + ".",
           {{"init", barrier.init}, {"copies", early.first}});
    return;
  }
  report(&barrier,
         phase + " ends after " + counted(early.expected, "arrival") + ", but " +
             std::to_string(early.number) + " come for it: the others count in the next phase",
         "Begin the barrier with " + counted(early.number, "arrival") +
             ", or let only so many threads arrive as it was begun with.",
         {{"init", barrier.init}, {"arrives", early.first}});
}

bool PipelineModel::reportCounts(const Barrier &barrier, const std::vector<WarpEvent> &waiting) {
  std::vector<std::pair<std::string, WarpEvent>> events{{"init", barrier.init}};
  for (const WarpEvent &event : waiting)
    events.emplace_back("waits", event);
  const std::string phase = "phase " + std::to_string(barrier.phase) + " of {barrier}";
  if (barrier.pending == 0 && barrier.outstanding != 0) {
    events.emplace_back("copies", barrier.arrived.back());
    report(&barrier,
           phase + " never ends: it expects " + counted(barrier.expected, "byte") +
               ", but copies bring " + std::to_string(barrier.came),
           "Expect " + counted(barrier.came, "byte") + ".", std::move(events));
    return true;
  }
  const int64_t came = barrier.arrivals - barrier.pending;
  if (came == 0)
    return false;
  events.emplace_back("arrives", barrier.arrived.back());
  report(&barrier,
         phase + " never ends: it was begun for " + counted(barrier.arrivals, "arrival") +
             ", but only " + std::to_string(came) + (came == 1 ? " comes" : " come"),
         "Begin it with " + counted(came, "arrival") + ", or let the missing threads arrive.",
         std::move(events));
  return true;
}

void PipelineModel::reportStuck(const std::vector<WarpEvent> &waiting) {
  if (!earlies.empty() || !found.empty())
    return; // the cause
  std::vector<std::pair<std::string, WarpEvent>> events;
  for (const WarpEvent &event : waiting)
    if (llvm::none_of(events, [&](const auto &other) { return other.second.op == event.op; }))
      events.emplace_back("waits", event);
  bool reported = false;
  std::vector<WarpEvent> places;
  for (const auto &event : events)
    places.push_back(event.second);
  for (const auto &[place, barrier] : barriers)
    if (!reported && barrier.pending == 0 && barrier.outstanding != 0)
      reported = reportCounts(barrier, places);
  for (const auto &[place, barrier] : barriers)
    if (!reported && barrier.pending > 0 && barrier.pending < barrier.arrivals)
      reported = reportCounts(barrier, places);
  if (reported)
    return;
  for (const auto &[key, barrier] : named)
    if (!reported && barrier.arrivedThreads > 0) {
      std::string expected = barrier.expected ? std::to_string(barrier.expected) : "all";
      report(nullptr,
             "barrier " + std::to_string(key.second) + " is for " + expected +
                 " threads, but only " + std::to_string(barrier.arrivedThreads) +
                 " come: they wait forever",
             "Let all its threads come to the barrier, or give it their number.", events);
      reported = true;
    }
  if (!reported)
    report(nullptr,
           "deadlock: every thread that is left waits, and none can end what another one waits for",
           "Check that the first wait of producers is for the phase before the first (parity 1), "
           "and that every "
           "phase that is waited for gets its arrivals.",
           events);
}

void PipelineModel::finish() {
  for (const Early &early : earlies)
    reportEarly(early);
}

} // namespace fairlead::check
