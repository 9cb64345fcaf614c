/// Numbers of threads as text.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_THREADRANGES_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_THREADRANGES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace fairlead::cpu {

/// "0-39, 48": of ascending numbers.
inline std::string threadRanges(const std::vector<size_t> &threads) {
  constexpr size_t kMost = 4;
  std::string text;
  for (size_t i = 0, number = 0; i < threads.size(); ++number) {
    size_t last = i;
    while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1)
      ++last;
    if (number == kMost)
      return text + ", ...";
    text += (number ? ", " : "") + std::to_string(threads[i]);
    if (last > i)
      text += "-" + std::to_string(threads[last]);
    i = last + 1;
  }
  return text;
}

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_THREADRANGES_H_
