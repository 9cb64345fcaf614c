#include "check/runtime/ProductRegisters.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "check/runtime/WatchedMemory.h"

namespace fairlead::check {

void ProductRegisters::issue(const ThreadAt &by) {
  if (fenced.insert(by.thread).second)
    reporter.misuse({by}, "a product without a fence of its registers before",
                    "cute.nvgpu.warpgroup.fence() has to be before the first product.");
}

void ProductRegisters::write(const ThreadAt &by, const char *address, int64_t bytes) {
  auto &pieces = registers[by.thread];
  const uint32_t group = clocks.openProducts(by.thread);
  const char *end = address + bytes;
  // Neighbours of one product are one piece.
  auto next = pieces.upper_bound(address);
  if (next != pieces.begin()) {
    Piece &last = std::prev(next)->second;
    if (last.end >= address && last.site == by.site) {
      last.group = group;
      last.end = std::max(last.end, end);
      return;
    }
  }
  pieces[address] = {end, group, by.site};
}

void ProductRegisters::use(const ThreadAt &by, const char *address, int64_t bytes) {
  auto &pieces = registers[by.thread];
  auto next = pieces.lower_bound(address + bytes);
  if (next == pieces.begin())
    return;
  auto piece = std::prev(next);
  if (piece->second.end <= address)
    return;
  if (piece->second.group <= clocks.endedProducts(by.thread)) {
    pieces.erase(piece);
    return;
  }
  reporter.unordered({"product", {piece->second.site, by.thread}}, {"access", by}, "registers",
                     "registers of a product that may not be done yet",
                     "The warpgroup has to wait before: cute.nvgpu.warpgroup.wait_group(0).");
}

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
