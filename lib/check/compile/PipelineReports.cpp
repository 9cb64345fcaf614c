/// Mistakes in words.
#include "check/compile/PipelineModel.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fairlead::check {

void PipelineModel::report(const std::vector<const Barrier *> &about, std::string message,
                           std::string hint, Events events, MistakeKind kind) {
  constexpr size_t kMost = 16;
  PipelineMistake mistake;
  mistake.message = std::move(message);
  mistake.hint = std::move(hint);
  mistake.kind = kind;
  mistake.events = std::move(events);
  for (const Barrier *barrier : about) {
    Operation *init = barrier->init.op;
    const void *line = init->getLoc().getAsOpaquePointer();
    mistake.barriers.push_back(
        {init, barrier->stage, initsOfLine[{blockOf(barrier->init.warp), line}]});
  }
  for (const PipelineMistake &other : reported)
    if (other.message == mistake.message && other.events.size() == mistake.events.size() &&
        llvm::all_of(llvm::zip(other.events, mistake.events), [](auto pair) {
          return std::get<0>(pair).second.op == std::get<1>(pair).second.op;
        }))
      return;
  if (reported.size() < kMost || kind == MistakeKind::Count)
    reported.push_back(std::move(mistake));
}

void PipelineModel::reportEarly(const Early &early) {
  Barrier &barrier = barriers[early.place];
  const std::string phase = phaseName(early.phase) + " of {0}";
  if (early.isBytes)
    return report({&barrier},
                  phase + " expects " + counted(early.expected, "byte") + ", but " +
                      std::to_string(early.number) + " come: it ends before all copies are done",
                  "Expect " + counted(early.number, "byte") + ".",
                  {{"init", barrier.init}, {"copies", early.first}}, MistakeKind::Count);
  if (early.repeats)
    return report({&barrier},
                  phase + " was begun for " + counted(early.expected, "arrival") +
                      ", but a warp can arrive for the next phase before this one has ended: "
                      "nothing makes its arrivals come after the end",
                  "Let the warp wait, before it arrives again, for something that comes after the "
                  "end of the phase. If all its arrivals belong to one phase, begin the barrier "
                  "with " +
                      counted(early.number, "arrival") + ".",
                  {{"init", barrier.init}, {"arrives", early.first}}, MistakeKind::Arrival);
  report({&barrier},
         phase + " ends after " + counted(early.expected, "arrival") + ", but " +
             std::to_string(early.number) + " come for it: the others count in the next phase",
         "Begin the barrier with " + counted(early.number, "arrival") +
             ", or let only so many threads arrive as it was begun with.",
         {{"init", barrier.init}, {"arrives", early.first}}, MistakeKind::Count);
}

void PipelineModel::reportEarly(int64_t id, const Named &barrier) {
  constexpr int64_t kLanes = 32;
  const auto came = static_cast<int64_t>(barrier.comers.size()) * kLanes;
  const std::string name =
      "barrier " + std::to_string(id) + " is for " + counted(barrier.expected, "thread");
  Events events{{"comes", barrier.first}, {"comes", *barrier.early}};
  if (came > barrier.expected)
    return report({},
                  name + ", but " + std::to_string(came) +
                      " come: which of them it lets go on depends on their order",
                  "Give it " + counted(came, "thread") +
                      ", or let the others come to another barrier.",
                  std::move(events));
  report({}, name + ", but a warp can come to its next phase before this one has ended",
         "Let the warp wait, before it comes again, for something that comes after the end of the "
         "phase.",
         std::move(events));
}

//===--- why all wait --------------------------------------------------------------------------===

/// "the warp of thread 32", with its block if the cluster has several.
std::string PipelineModel::warpName(int warp) const {
  constexpr int kLanes = 32;
  std::string name = "the warp of thread " + std::to_string(warp % warps * kLanes);
  if (static_cast<int>(clocks.size()) > warps)
    name += " of block " + std::to_string(blockOf(warp));
  return name;
}

/// Names the barrier that the warp waits for, with its numbers. Adds it to `about`.
std::string PipelineModel::awaited(const WarpEvent &event,
                                   std::vector<const Barrier *> &about) const {
  const Wait &wait = waits[static_cast<size_t>(event.warp)];
  if (wait.what == Wait::For::Cluster)
    return "the barrier of the cluster";
  if (wait.what == Wait::For::Named) {
    const Named &barrier = named.at({blockOf(event.warp), wait.number});
    return "barrier " + std::to_string(wait.number) + " (" +
           std::to_string(barrier.arrivedThreads) + " of " +
           (barrier.expected ? counted(barrier.expected, "thread") : "all threads") + ")";
  }
  auto at = barriers.find(wait.place);
  if (at == barriers.end())
    return "an mbarrier that nothing has begun";
  const Barrier &barrier = at->second;
  std::string text = phaseName(barrier.phase) + " of {" + std::to_string(about.size()) + "} (";
  text += std::to_string(barrier.arrivals - barrier.pending) + " of " +
          counted(barrier.arrivals, "arrival");
  if (barrier.expected)
    text += ", " + std::to_string(barrier.came) + " of " + counted(barrier.expected, "byte");
  about.push_back(&barrier);
  return text + ")";
}

bool PipelineModel::reportBytes(const Barrier &barrier, Events events) {
  events.emplace(events.begin(), "init", barrier.init);
  if (!barrier.expecting.empty())
    events.emplace_back("expects", barrier.expecting.back());
  std::string hint =
      "Let a copy of " + counted(barrier.expected, "byte") + " count at this barrier.";
  if (barrier.came) {
    events.emplace_back("copies", barrier.copy);
    hint = "Expect " + counted(barrier.came, "byte");
    hint += barrier.came < barrier.expected ? ", or let more copies count at this barrier." : ".";
  }
  report({&barrier},
         phaseName(barrier.phase) + " of {0} never ends: it expects " +
             counted(barrier.expected, "byte") + ", but copies bring " +
             std::to_string(barrier.came),
         std::move(hint), std::move(events));
  return true;
}

bool PipelineModel::reportArrivals(const Barrier &barrier, Events events) {
  const int64_t came = barrier.arrivals - barrier.pending;
  events.emplace(events.begin(), "init", barrier.init);
  events.emplace_back("arrives", barrier.arrived.back());
  report({&barrier},
         phaseName(barrier.phase) + " of {0} never ends: it was begun for " +
             counted(barrier.arrivals, "arrival") + ", but only " + std::to_string(came) +
             (came == 1 ? " comes" : " come"),
         "Begin it with " + counted(came, "arrival") + ", or let the missing threads arrive.",
         std::move(events));
  return true;
}

/// True if a warp that waits now has arrived in the barrier's last phase and not yet in this one.
bool PipelineModel::arrivedBefore(const Barrier &barrier) const {
  return llvm::any_of(barrier.lastArrived, [&](const WarpEvent &before) {
    return !exited[static_cast<size_t>(before.warp)] &&
           llvm::none_of(barrier.arrived,
                         [&](const WarpEvent &event) { return event.warp == before.warp; });
  });
}

bool PipelineModel::reportNamed(const Wait &wait, int block, Events events) {
  const Named &barrier = named[{block, wait.number}];
  const std::string expected =
      barrier.expected ? counted(barrier.expected, "thread") : "all threads of the block";
  report({},
         "barrier " + std::to_string(wait.number) + " is for " + expected + ", but only " +
             std::to_string(barrier.arrivedThreads) + " come: they wait forever",
         barrier.expected ? "Let all its threads come to the barrier, or give it " +
                                counted(barrier.arrivedThreads, "thread") + "."
                          : "Let all threads of the block come to the barrier.",
         std::move(events));
  return true;
}

bool PipelineModel::reportCluster(Events events) {
  for (size_t i = 0; i < clocks.size(); ++i) {
    if (waits[i].what != Wait::For::Cluster || clusterArrivals[i] > clusterWaits[i])
      continue;
    report({},
           warpName(static_cast<int>(i)) +
               " waits at the barrier of the cluster, but has not arrived there",
           "Call cluster_arrive before cluster_wait.", std::move(events));
    return true;
  }
  int64_t came = 0, alive = 0;
  std::string missing;
  for (size_t i = 0; i < clocks.size(); ++i) {
    if (exited[i])
      continue;
    ++alive;
    came += clusterArrivals[i] > clusterWaits[i];
    if (clusterArrivals[i] <= clusterWaits[i] && missing.empty())
      missing = warpName(static_cast<int>(i));
  }
  report({},
         "the barrier of the cluster is for all " + counted(alive, "warp") + ", but only " +
             std::to_string(came) + (came == 1 ? " arrives: " : " arrive: ") + missing +
             " does not",
         "Let all threads of all blocks of the cluster arrive there, the same number of times.",
         std::move(events));
  return true;
}

bool PipelineModel::reportNotBegun(const Wait &wait, const std::pair<std::string, WarpEvent> &by) {
  const Barrier *nearest = nullptr;
  int64_t distance = 0;
  for (const auto &[place, barrier] : barriers)
    if (place.block == wait.place.block && place.offset < wait.place.offset) {
      nearest = &barrier;
      distance = wait.place.offset - place.offset;
    }
  const std::string block = static_cast<int>(clocks.size()) > warps
                                ? " of block " + std::to_string(wait.place.block)
                                : "";
  const std::string hint =
      "Begin it with mbarrier_init, and synchronise the threads before they use it.";
  const std::string begins = "nothing has begun the mbarrier";
  if (nearest)
    report({nearest}, begins + " " + counted(distance, "byte") + " after {0}" + block, hint,
           {{"init", nearest->init}, by});
  else
    report({},
           begins + " at byte " + std::to_string(wait.place.offset) + " of shared memory" + block,
           hint, {by});
  return true;
}

void PipelineModel::reportDeadlock(const std::vector<WarpEvent> &waiting, Events events) {
  constexpr size_t kMost = 4;
  std::vector<const Barrier *> about;
  std::vector<std::string> texts;
  std::vector<std::pair<const Operation *, SharedPlace>> listed;
  bool isFirst = true;
  for (const WarpEvent &event : waiting) {
    const Wait &wait = waits[static_cast<size_t>(event.warp)];
    if (llvm::is_contained(listed, std::pair<const Operation *, SharedPlace>(event.op, wait.place)))
      continue;
    listed.emplace_back(event.op, wait.place);
    if (auto at = barriers.find(wait.place);
        wait.what == Wait::For::Mbarrier && at != barriers.end())
      isFirst &= at->second.phase == 0 && at->second.pending == at->second.arrivals;
    if (texts.size() < kMost)
      texts.push_back(warpName(event.warp) + " waits for " + awaited(event, about));
  }
  if (listed.size() > texts.size())
    texts.push_back("at " +
                    counted(static_cast<int64_t>(listed.size() - texts.size()), "other place") +
                    " warps wait as well");
  report(about, "deadlock: " + llvm::join(texts, "; "),
         isFirst && !about.empty() ? "A release or a commit may be missing. If a producer waits "
                                     "here for a stage that was never "
                                     "filled, its wait needs parity 1: the phase before the first."
         : about.empty()
             ? "Give each barrier the number of threads that come to it, and let all of "
               "them come."
             : "Each phase that is waited for needs its arrivals: a release, a commit or an "
               "advance of a state may be missing.",
         std::move(events));
}

void PipelineModel::reportStuck(const std::vector<WarpEvent> &waiting) {
  if (!earlies.empty() || !reported.empty() ||
      llvm::any_of(named, [](const auto &entry) { return entry.second.early.has_value(); }))
    return; // the cause
  Events events;
  for (const WarpEvent &event : waiting)
    if (llvm::none_of(events, [&](const auto &other) { return other.second.op == event.op; }))
      events.emplace_back("waits", event);
  for (const bool onlyBytes : {true, false})
    for (const WarpEvent &event : waiting)
      if (reportMbarrier(event, onlyBytes, events))
        return;
  if (!reportBlock(waiting, events))
    reportDeadlock(waiting, std::move(events));
}

/// Reports a wrong number of an mbarrier that the warp waits for.
bool PipelineModel::reportMbarrier(const WarpEvent &event, bool onlyBytes, const Events &events) {
  const Wait &wait = waits[static_cast<size_t>(event.warp)];
  if (wait.what != Wait::For::Mbarrier)
    return false;
  auto at = barriers.find(wait.place);
  if (at == barriers.end())
    return reportNotBegun(wait, {"waits", event});
  const Barrier &barrier = at->second;
  if (barrier.pending == 0)
    return reportBytes(barrier, events);
  return !onlyBytes && barrier.pending < barrier.arrivals && !arrivedBefore(barrier) &&
         reportArrivals(barrier, events);
}

/// Reports a barrier of a block or cluster, if it is the only one that warps wait for.
bool PipelineModel::reportBlock(const std::vector<WarpEvent> &waiting, const Events &events) {
  const WarpEvent &first = waiting.front();
  const Wait &wait = waits[static_cast<size_t>(first.warp)];
  const bool isOnly = llvm::all_of(waiting, [&](const WarpEvent &event) {
    const Wait &other = waits[static_cast<size_t>(event.warp)];
    return other.what == wait.what && other.number == wait.number;
  });
  if (wait.what == Wait::For::Named)
    return isOnly && reportNamed(wait, blockOf(first.warp), events);
  return wait.what == Wait::For::Cluster && isOnly && reportCluster(events);
}

//===--- the end -------------------------------------------------------------------------------===

/// A block's shared memory must not be accessed after its last warp has ended.
void PipelineModel::reportExits() {
  for (const auto &[key, event] : reached) {
    const int first = key.first * warps;
    bool isSeen = false;
    for (int warp = first; warp < first + warps; ++warp)
      isSeen |= isBefore(event, warp);
    if (isSeen)
      continue;
    report({},
           warpName(event.warp) + " accesses shared memory of block " + std::to_string(key.first) +
               ", which may have ended: no warp of that block waits "
               "for something that comes after the access",
           "End with a wait for it (producer_tail of a pipeline), or with cluster_arrive and "
           "cluster_wait of all threads.",
           {{"accesses", event}});
    return;
  }
}

void PipelineModel::finish(bool complete) {
  for (const Early &early : earlies)
    reportEarly(early);
  for (const auto &[key, barrier] : named)
    if (barrier.early)
      reportEarly(key.second, barrier);
  if (complete)
    reportExits();
  llvm::stable_sort(
      reported, [](const PipelineMistake &a, const PipelineMistake &b) { return a.kind < b.kind; });
  if (!reported.empty() && reported.front().kind == MistakeKind::Count) // stages follow the counts
    llvm::erase_if(reported, [](const PipelineMistake &mistake) {
      return mistake.kind == MistakeKind::Stage;
    });
}

} // namespace fairlead::check
