#include "check/runtime/ProductRegisters.h"

#include <algorithm>
#include <iterator>

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

} // namespace fairlead::check
