/// Stages in shared memory that copies fill and products read.
#include "check/compile/PipelineModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fairlead::check {

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
  reach(stage.copy, target.block);
  stages[target] = std::move(stage);
}

void PipelineModel::checkReuse(const Stage &stage, int warp, Operation *op) {
  auto counts = barriers.find(stage.barrier);
  const Barrier *barrier = counts == barriers.end() ? nullptr : &counts->second;
  if (!barrier)
    return;
  const std::string name = "the stage that " + phaseName(stage.phase) + " of {0} filled";
  for (const std::shared_ptr<Use> &use : stage.uses) {
    if (isDone(*use, warp))
      continue;
    const bool isOpen = use->endTick == 0;
    report({barrier},
           name + " is copied to while it may still be read: " +
               (isOpen ? "nothing makes the copy come after the end of the product that reads it"
                       : "nothing makes the copy come after the read"),
           isOpen ? "Release the stage when the product is done: after wait_group, or by "
                    "tcgen05.commit to the barrier that the copy waits for."
                  : "Wait before the copy until all readers have released the stage.",
           {{"reads", use->begin}, {"copies", step(warp, op)}}, MistakeKind::Stage);
    return;
  }
  if (!endedFor(*barrier, stage.phase, warp))
    report({barrier},
           "the stage that " + phaseName(stage.phase) +
               " of {0} fills is copied to while that copy may be under way",
           "Wait before the copy until the stage has been filled, read and released.",
           {{"copies", stage.copy}, {"copies", step(warp, op)}}, MistakeKind::Stage);
}

/// True if the warp has seen that an access of a stage is done.
bool PipelineModel::isDone(const Use &use, int warp) const {
  if (use.endTick != 0 && isBefore(WarpEvent{use.begin.op, use.begin.warp, use.endTick}, warp))
    return true;
  return llvm::any_of(use.phases, [&](const auto &end) {
    auto barrier = barriers.find(end.first);
    return barrier != barriers.end() && endedFor(barrier->second, end.second, warp);
  });
}

void PipelineModel::reach(const WarpEvent &event, int block) {
  if (block != blockOf(event.warp))
    reached[{block, event.warp}] = event;
}

void PipelineModel::use(int warp, SharedPlace place, int64_t bytes, UseEnd end, Operation *op) {
  auto at = stages.upper_bound(place);
  if (at == stages.begin())
    return;
  --at;
  Stage &stage = at->second;
  if (at->first.block != place.block || at->first.offset + stage.bytes < place.offset + bytes)
    return;
  auto counts = barriers.find(stage.barrier);
  const WarpEvent event = step(warp, op);
  reach(event, place.block);
  if (counts != barriers.end() && !endedFor(counts->second, stage.phase, warp))
    report({&counts->second},
           "a stage is read before the wait for " + phaseName(stage.phase) +
               " of {0}, which counts the copy to it",
           "Wait for this phase of the barrier before the read.",
           {{"copies", stage.copy}, {"reads", event}}, MistakeKind::Stage);
  auto same = llvm::find_if(stage.uses, [&](const std::shared_ptr<Use> &use) {
    return use->begin.op == op && use->begin.warp == warp;
  });
  if (same == stage.uses.end())
    same = stage.uses.insert(stage.uses.end(), nullptr);
  *same = std::make_shared<Use>(Use{event, end == UseEnd::Now ? event.tick : 0, {}});
  if (end == UseEnd::Group)
    openUses[static_cast<size_t>(warp)].push_back(*same);
  if (end == UseEnd::Commit)
    begunUses[static_cast<size_t>(warp)].push_back(*same);
}

void PipelineModel::arriveAfterUses(int warp, SharedPlace place, int64_t count, Operation *op) {
  auto barrier = barriers.find(place);
  const int64_t phase = barrier == barriers.end() ? 0 : barrier->second.phase;
  auto &uses = begunUses[static_cast<size_t>(warp)];
  llvm::erase_if(uses, [](const std::weak_ptr<Use> &use) { return use.expired(); });
  for (const std::weak_ptr<Use> &use : uses)
    use.lock()->phases.emplace_back(place, phase);
  arrive(warp, place, count, true, op);
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

} // namespace fairlead::check
