#include "frameworks/torch/Kernel.h"

#include <algorithm>
#include <vector>

namespace fairlead::frameworks::torch {
namespace {

/// The steps of a mode: `size` bytes each. A distance includes 0 to `most` of them.
struct Steps {
  uintptr_t size, most;
};

/// Finds out if the steps, of falling sizes, add up to a distance. The layouts of typical programs
/// need a few tries for each step; `tries` limits the search for others.
class Search {
public:
  explicit Search(std::vector<Steps> steps) : all(std::move(steps)), reach(all.size() + 1) {
    for (size_t i = all.size(); i-- > 0;)
      reach[i] = reach[i + 1] + all[i].size * all[i].most;
  }

  bool find(uintptr_t distance, size_t from = 0) {
    if (!distance)
      return true;
    if (from == all.size() || distance > reach[from] || !tries)
      return false;
    const Steps &steps = all[from];
    const uintptr_t rest = reach[from + 1];
    uintptr_t least = distance > rest ? (distance - rest + steps.size - 1) / steps.size : 0;
    uintptr_t most = std::min(steps.most, distance / steps.size);
    for (uintptr_t count = most + 1; count-- > least && tries;) {
      --tries;
      if (find(distance - count * steps.size, from + 1))
        return true;
    }
    return false;
  }

private:
  std::vector<Steps> all;
  std::vector<uintptr_t> reach; ///< of the steps from each place on
  int tries = 10000;
};

/// Adds the steps to the bytes of a tensor from its first one.
void addSteps(const DLTensor &tensor, std::vector<Steps> &steps) {
  const uintptr_t width = tensor.dtype.bits / 8;
  for (int i = 0; i < tensor.ndim; ++i)
    if (tensor.shape[i] > 1 && tensor.strides[i])
      steps.push_back({tensor.strides[i] * width, static_cast<uintptr_t>(tensor.shape[i] - 1)});
  if (width > 1)
    steps.push_back({1, width - 1});
}

} // namespace

bool haveCommonElements(const DLTensor &some, const DLTensor &other) {
  const Span first(some), second(other);
  if (!first.meets(second))
    return false;
  // A byte of both: begin + steps of one == begin + steps of the other. Counted backwards from the
  // last byte, the other's steps go to the same side as the first one's.
  std::vector<Steps> steps;
  addSteps(some, steps);
  addSteps(other, steps);
  std::sort(steps.begin(), steps.end(),
            [](const Steps &a, const Steps &b) { return a.size > b.size; });
  size_t count = 0;
  for (const Steps &each : steps)
    if (count && steps[count - 1].size == each.size)
      steps[count - 1].most += each.most;
    else
      steps[count++] = each;
  steps.resize(count);
  return Search(std::move(steps)).find(second.begin + second.size - 1 - first.begin);
}

bool isSameTensor(const DLTensor &some, const DLTensor &other) {
  if (some.data != other.data || some.ndim != other.ndim || some.dtype.bits != other.dtype.bits)
    return false;
  for (int i = 0; i < some.ndim; ++i)
    if (some.shape[i] != other.shape[i] ||
        (some.shape[i] > 1 && some.strides[i] != other.strides[i]))
      return false;
  return true;
}

} // namespace fairlead::frameworks::torch
