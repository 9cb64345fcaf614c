#include "check/runtime/Divergence.h"

#include <algorithm>

#include "runtime/cpu/BlockThreads.h"

namespace fairlead::check {

using cpu::BarrierThread, cpu::WaitingThread, cpu::kWarpSize;

//===--- texts ---------------------------------------------------------------------------------===

std::string Divergence::countOf(const Threads &threads) const {
  std::vector<size_t> numbers;
  for (uint32_t thread : threads)
    numbers.push_back(inBlock(thread));
  std::sort(numbers.begin(), numbers.end());
  return std::to_string(numbers.size()) + " (" + cpu::threadRanges(numbers) + ")";
}

std::string Divergence::branchText(uint32_t branch) const {
  return runtime::Site::parse(paths.siteOf(branch)).place();
}

static std::string barrierName(const BarrierThread &thread) {
  if (thread.threads <= 0)
    return "sync_threads";
  return "barrier " + std::to_string(thread.barrier) + " for " + std::to_string(thread.threads) +
         " threads";
}

std::string Divergence::partingHint(const std::vector<WaitingThread> &waiting) const {
  if (waiting.empty())
    return "";
  const uint32_t came = block.numberOf(waiting.front().thread);
  const ThreadPaths::Path &path = paths.pathOf(came);
  for (uint32_t thread : block.threadsHere())
    if (auto branch = paths.parting(path, came, thread))
      return " Thread " + block.threadText(thread) + " does not take the branch in " +
             branchText(*branch) + ".";
  return "";
}

//===--- barriers ------------------------------------------------------------------------------===

void Divergence::arrive(const BarrierThread &thread) {
  arrivals[RunningBlock::barrierOf(thread.barrier)].push_back(
      {thread.waiting, paths.pathOf(at(thread.waiting).thread)});
}

void Divergence::leave(const std::vector<BarrierThread> &threads) {
  auto others = arrivals.extract(RunningBlock::barrierOf(threads.front().barrier));
  if (threads.front().threads <= 0) {
    std::vector<WaitingThread> come;
    for (const BarrierThread &thread : threads)
      come.push_back(thread.waiting);
    return meetOfBlock(come);
  }
  std::vector<Arrival> come;
  for (const BarrierThread &thread : threads)
    come.push_back({thread.waiting, paths.pathOf(at(thread.waiting).thread)});
  if (others)
    come.insert(come.end(), others.mapped().begin(), others.mapped().end());
  meetOfWarps(barrierName(threads.front()), come);
}

/// Reports threads that meet at different lines. Returns false if all are at one.
bool Divergence::differInSite(const std::vector<WaitingThread> &threads, const std::string &name) {
  const WaitingThread &first = threads.front();
  Threads here, there;
  const WaitingThread *other = nullptr;
  for (const WaitingThread &thread : threads) {
    if (thread.site != first.site && !other)
      other = &thread;
    (thread.site == first.site ? here : there).push_back(block.numberOf(thread.thread));
  }
  if (!other)
    return false;
  const uint32_t one = at(first).thread, two = at(*other).thread;
  std::optional<uint32_t> branch = paths.difference(one, two);
  std::vector<Reporter::Step> steps{{"waits", at(first)}, {"waits", at(*other)}};
  if (branch)
    steps.push_back({"parts", {paths.siteOf(*branch), two}});
  reporter.part(steps,
                "threads meet at different lines with " + name + ": " + countOf(here) + " in " +
                    runtime::Site::parse(first.site).place() + ", " + countOf(there) + " in " +
                    runtime::Site::parse(other->site).place(),
                "All threads that meet have to come to one and the same line. Move it out of the "
                "branch, or use cute.arch.barrier with numbers of its own for each side.");
  return true;
}

void Divergence::differInIteration(const std::vector<WaitingThread> &threads,
                                   const std::string &name) {
  const uint32_t one = at(threads.front()).thread;
  for (const WaitingThread &thread : threads) {
    const uint32_t two = at(thread).thread;
    if (paths.pathOf(one) == paths.pathOf(two))
      continue;
    const std::optional<uint32_t> branch = paths.difference(one, two);
    reporter.part({{"waits", at(threads.front())}, {"parts", {paths.siteOf(*branch), two}}},
                  "threads meet at " + name + " in different iterations of a loop",
                  "All threads that meet have to come to it in each iteration, or none.");
    return;
  }
}

/// Returns those of the lanes that neither came nor left the kernel before.
Divergence::Absent Divergence::absentLanes(const Arrival &came, const Threads &lanes) const {
  const uint32_t first = at(came.thread).thread;
  Absent absent;
  for (uint32_t lane : lanes) {
    const bool hasEnded = paths.hasEnded(lane);
    const auto branch =
        hasEnded ? paths.skipped(came.path, first, lane) : paths.parting(came.path, first, lane);
    if (hasEnded && !branch)
      continue;
    absent.threads.push_back(lane);
    if (!absent.branch)
      absent.branch = branch;
  }
  return absent;
}

void Divergence::report(const std::vector<WaitingThread> &came, const Absent &absent,
                        const std::string &name, const std::string &hint) {
  if (absent.threads.empty())
    return;
  Threads threads;
  for (const WaitingThread &thread : came)
    threads.push_back(block.numberOf(thread.thread));
  std::vector<Reporter::Step> steps{{"waits", at(came.front())}};
  if (absent.branch)
    steps.push_back({"skips", {paths.siteOf(*absent.branch), absent.threads.front()}});
  reporter.part(steps,
                "threads go past " + name + ": " + countOf(threads) + " come to it, " +
                    countOf(absent.threads) + " do not",
                hint);
}

void Divergence::meetOfBlock(const std::vector<WaitingThread> &threads) {
  if (differInSite(threads, "sync_threads"))
    return;
  Threads ended = block.threadsHere();
  std::erase_if(ended, [&](uint32_t thread) { return !paths.hasEnded(thread); });
  const Absent absent =
      absentLanes({threads.front(), paths.pathOf(at(threads.front()).thread)}, ended);
  if (absent.threads.empty())
    return differInIteration(threads, "sync_threads");
  report(threads, absent, "sync_threads",
         "All threads of the block that have not left the kernel have to come to it: move it out "
         "of the branch.");
}

void Divergence::meetOfWarps(const std::string &name, const std::vector<Arrival> &come) {
  std::map<uint32_t, std::vector<const Arrival *>> warps;
  for (const Arrival &arrival : come)
    warps[arrival.thread.thread / kWarpSize].push_back(&arrival);
  for (const auto &[warp, ofWarp] : warps) {
    std::vector<WaitingThread> lanes;
    Threads others = block.warpHere(warp * kWarpSize);
    for (const Arrival *arrival : ofWarp) {
      lanes.push_back(arrival->thread);
      std::erase(others, at(arrival->thread).thread);
    }
    if (differInSite(lanes, name))
      return;
    const Absent absent = absentLanes(*ofWarp.front(), others);
    if (!absent.threads.empty())
      return report(lanes, absent, name, "Whole warps have to come to a barrier.");
  }
}

//===--- operations of a warp or a warpgroup ---------------------------------------------------===

void Divergence::meet(const std::vector<WaitingThread> &lanes, const cpu::WarpMeeting &meeting) {
  // Lanes may wait for each other at different lines, but exchange values only at one.
  const auto name = [&] { return cpu::collectiveName(meeting.wait, meeting.mask); };
  if (meeting.wait != kFairleadWaitWarp &&
      std::any_of(lanes.begin(), lanes.end(),
                  [&](const WaitingThread &lane) { return lane.site != lanes.front().site; })) {
    differInSite(lanes, name());
    return;
  }
  const auto leftOut = std::find_if(lanes.begin(), lanes.end(), [&](const WaitingThread &lane) {
    return !(meeting.mask >> lane.thread % kWarpSize & 1);
  });
  if (leftOut != lanes.end())
    return reporter.misuse({at(*leftOut)}, name() + " by a lane that its mask leaves out",
                           "The mask has to name every lane that comes to it.");
  Threads ended = block.warpHere(lanes.front().thread / kWarpSize * kWarpSize);
  std::erase_if(ended, [&](uint32_t lane) {
    return !(meeting.mask >> (inBlock(lane) % kWarpSize) & 1) || !paths.hasEnded(lane);
  });
  const uint32_t first = at(lanes.front()).thread;
  const Absent absent = absentLanes({lanes.front(), paths.pathOf(first)}, ended);
  if (!absent.threads.empty())
    return report(lanes, absent, name(),
                  "All lanes of its mask that have not left the kernel have to come to it.");
  const bool isVote =
      meeting.wait >= kFairleadWaitVoteAny && meeting.wait <= kFairleadWaitVoteBallot;
  if (isVote && !ended.empty() &&
      runtime::Site::parse(lanes.front().site).tensor != runtime::kPresentLanes)
    reporter.note({"votes", at(lanes.front())},
                  name() + " without the votes of " + countOf(ended) + ", which have ended",
                  "Lanes that have ended do not count, and a ballot has 0 for them. If they are to "
                  "vote, let them leave after it; otherwise pass a mask of the other lanes.");
}

void Divergence::reach(const ThreadAt &at, uint32_t group) {
  Reached &operation = reached[at.site];
  operation.group = group;
  if (operation.times.empty())
    operation.times.resize(block.numThreads());
  ++operation.times[at.thread];
  operation.paths.try_emplace(at.thread / group, paths.pathOf(at.thread));
}

void Divergence::compareGroup(void *site, const Reached &operation, const Threads &group) {
  const auto timesOf = [&](uint32_t thread) { return operation.times[thread]; };
  const uint32_t came = *std::max_element(
      group.begin(), group.end(), [&](uint32_t a, uint32_t b) { return timesOf(a) < timesOf(b); });
  if (!timesOf(came))
    return;
  const ThreadPaths::Path &path = operation.paths.at(came / operation.group);
  // PTX requires all threads at operations of a warpgroup, even threads that have left the kernel.
  const bool evenIfEnded = operation.group > static_cast<uint32_t>(kWarpSize);
  Threads present;
  Absent absent;
  for (uint32_t thread : group) {
    if (timesOf(thread) == timesOf(came)) {
      present.push_back(thread);
      continue;
    }
    const auto branch =
        evenIfEnded ? paths.parting(path, came, thread) : paths.skipped(path, came, thread);
    if (!evenIfEnded && !branch)
      continue;
    absent.threads.push_back(thread);
    if (!absent.branch)
      absent.branch = branch;
  }
  if (absent.threads.empty())
    return;
  std::vector<Reporter::Step> steps{{"comes", {site, came}}};
  if (absent.branch)
    steps.push_back({"skips", {paths.siteOf(*absent.branch), absent.threads.front()}});
  const std::string groupName = evenIfEnded ? "warpgroup" : "warp";
  reporter.part(steps,
                "threads of a " + groupName + " go past " + runtime::Site::parse(site).tensor +
                    ": " + countOf(present) + " come to it, " + countOf(absent.threads) + " do not",
                "All threads of the " + groupName + " have to come to it.");
}

void Divergence::endBlock() {
  const Threads here = block.threadsHere();
  for (const auto &[site, operation] : reached) {
    if (isStuck)
      break; // some threads were on their way
    for (size_t first = 0; first < here.size(); first += operation.group) {
      const size_t end = std::min<size_t>(here.size(), first + operation.group);
      compareGroup(site, operation,
                   Threads(here.begin() + static_cast<ptrdiff_t>(first),
                           here.begin() + static_cast<ptrdiff_t>(end)));
    }
  }
}

void Divergence::disagree(const ThreadAt &at, void *branch) {
  const runtime::Site site = runtime::Site::parse(at.site);
  reporter.part({{"comes", at}, {"parts", {branch, at.thread}}},
                "lanes of a warp disagree about a branch around " + site.tensor +
                    ", which takes all lanes",
                "All lanes of the warp have to come to it: move it out of the branch, or decide by "
                "a value that is the same in all lanes.");
}

void ThreadPaths::take(const ThreadAt &at, uint32_t branch, int32_t event) {
  Way &way = ways[at.thread];
  ++way.clock;
  if (event == kFairleadCheckActs) {
    way.acted = way.clock;
    return;
  }
  if (branch >= sites.size())
    sites.resize(branch + 1);
  sites[branch] = at.site;
  if (branch >= way.visits.size())
    way.visits.resize(branch + 1);
  Visits &visits = way.visits[branch];
  const bool isInside = !way.path.empty() && way.path.back().branch == branch;
  if (event == kFairleadCheckLeaves) {
    // Without an iteration the loop is not in the path.
    const bool isLoop = !isInside || way.path.back().iteration > 0;
    visits.left[isLoop ? 0 : way.path.back().side] = way.clock;
    if (isInside)
      way.path.pop_back();
  } else if (event == kFairleadCheckIteration) {
    ++visits.times[1];
    if (isInside)
      ++way.path.back().iteration;
    else
      way.path.push_back({branch, 1, 1});
  } else {
    const uint32_t side = event == kFairleadCheckThen;
    ++visits.times[side];
    way.path.push_back({branch, side, 0});
  }
}

std::optional<ThreadPaths::Step> ThreadPaths::partingStep(const Path &path, uint32_t came,
                                                          uint32_t absent) const {
  for (const Step &step : path)
    if (visitsOf(came, step.branch).times[step.side] !=
        visitsOf(absent, step.branch).times[step.side])
      return step;
  return std::nullopt;
}

std::optional<uint32_t> ThreadPaths::parting(const Path &path, uint32_t came,
                                             uint32_t absent) const {
  const std::optional<Step> step = partingStep(path, came, absent);
  return step ? std::optional(step->branch) : std::nullopt;
}

std::optional<uint32_t> ThreadPaths::skipped(const Path &path, uint32_t came,
                                             uint32_t absent) const {
  const std::optional<Step> step = partingStep(path, came, absent);
  if (!step)
    return std::nullopt;
  const uint32_t left = visitsOf(absent, step->branch).left[1 - step->side];
  return left && ways[absent].acted > left ? std::optional(step->branch) : std::nullopt;
}

std::optional<uint32_t> ThreadPaths::difference(uint32_t one, uint32_t other) const {
  const Path &first = ways[one].path, &second = ways[other].path;
  const size_t common = std::min(first.size(), second.size());
  for (size_t i = 0; i < common; ++i)
    if (first[i] != second[i])
      return first[i].branch;
  if (first.size() == second.size())
    return std::nullopt;
  return (first.size() > common ? first : second)[common].branch;
}

} // namespace fairlead::check
