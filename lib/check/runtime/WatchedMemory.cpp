#include "check/runtime/WatchedMemory.h"

#include <algorithm>
#include <utility>

namespace fairlead::check {

void WatchedMemory::watch(const CallTensors &tensors) {
  std::vector<std::pair<char *, char *>> parts;
  for (const CallTensor &tensor : tensors)
    if (tensor.begin < tensor.end)
      parts.emplace_back(tensor.begin, tensor.end);
  std::sort(parts.begin(), parts.end());
  std::vector<std::pair<char *, char *>> apart;
  for (auto part : parts)
    if (!apart.empty() && part.first < apart.back().second)
      apart.back().second = std::max(apart.back().second, part.second);
    else
      apart.push_back(part);
  for (auto [begin, end] : apart) {
    int log2 = kCellBytes;
    for (const CallTensor &tensor : tensors)
      if (tensor.begin >= begin && tensor.begin < end)
        log2 = std::min(log2, __builtin_ctz(std::max(1, tensor.bits / 8)));
    const auto bytes = static_cast<size_t>(end - begin);
    global.emplace_back(begin, bytes, log2);
    ranges.push_back({begin, bytes});
  }
}

} // namespace fairlead::check
