#include "check/runtime/ThreadPaths.h"

#include <algorithm>

namespace fairlead::check {

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
