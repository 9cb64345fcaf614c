#include "check/runtime/CallTensors.h"

#include <algorithm>
#include <numeric>

namespace fairlead::check {

CallTensors &callTensors() {
  static thread_local CallTensors tensors;
  return tensors;
}

const CallTensor *tensorAt(const CallTensors &tensors, const void *address) {
  for (const CallTensor &tensor : tensors)
    if (address >= tensor.begin && address < tensor.end)
      return &tensor;
  return nullptr;
}

std::string CallTensor::element(const char *address) const {
  // Coordinates from the farthest stride down; those of memory that is no element's do not come
  // out even.
  int64_t offset = (address - data) * 8 / bits;
  if ((address - data) * 8 % bits)
    return name;
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  std::vector<int64_t> at(extents.size(), 0);
  for (size_t mode : order) {
    if (strides[mode] <= 0)
      continue;
    at[mode] = offset / strides[mode];
    offset -= at[mode] * strides[mode];
    if (at[mode] < 0 || at[mode] >= extents[mode])
      return name;
  }
  if (offset)
    return name;
  std::string text = name + "[";
  for (size_t mode = 0; mode < at.size(); ++mode)
    text += (mode ? ", " : "") + std::to_string(at[mode]);
  return text + "]";
}

std::string CallTensor::str() const {
  std::string text = name + ": " + type + " (";
  for (size_t mode = 0; mode < extents.size(); ++mode)
    text += (mode ? ", " : "") + std::to_string(extents[mode]);
  return text + (extents.size() == 1 ? ",)" : ")");
}

} // namespace fairlead::check
