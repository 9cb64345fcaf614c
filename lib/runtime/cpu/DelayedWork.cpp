#include "runtime/cpu/DelayedWork.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace fairlead::cpu {

std::optional<AsyncMode> AsyncMode::read() {
  const char *value = std::getenv("FAIRLEAD_CPU_ASYNC");
  const std::string_view text = value ? value : "";
  constexpr std::string_view kRandom = "random:";
  if (text.empty() || text == "eager")
    return AsyncMode();
  if (text == "late")
    return AsyncMode{Kind::Late};
  AsyncMode mode{Kind::Random};
  if (text.substr(0, kRandom.size()) != kRandom)
    return std::nullopt;
  const char *end = text.data() + text.size();
  auto [rest, failure] = std::from_chars(text.data() + kRandom.size(), end, mode.seed);
  return failure == std::errc() && rest == end ? std::optional(mode) : std::nullopt;
}

DelayedWork::DelayedWork(bool seesThreads, uint64_t block) {
  if (!seesThreads)
    mode = AsyncMode::ofEnvironment().value_or(AsyncMode());
  random.seed(mode.seed + static_cast<uint32_t>(block * 0x9e3779b9u) + 1);
  ofThread() = this;
}

bool DelayedWork::runOne() {
  if (operations.empty())
    return false;
  const std::function<void()> operation = std::move(operations.front());
  operations.pop_front();
  isRunning = true;
  operation();
  isRunning = false;
  return true;
}

void DelayedWork::add(std::function<void()> operation) {
  operations.push_back(std::move(operation));
  // How far the queue gets: to the operation itself at most.
  while (mode.kind == AsyncMode::Kind::Random && random() >> 8 & 1 && runOne()) {
  }
}

} // namespace fairlead::cpu
