#include "runtime/TensorMapFields.h"

#include <cstdio>

namespace fairlead::runtime {
namespace {

/// The bytes in whose multiples addresses and strides are counted.
constexpr int kStep = 16;

} // namespace

std::string problemOf(const FairleadTensorMap &fields) {
  auto address = reinterpret_cast<uintptr_t>(fields.address);
  if (address % kStep) {
    char text[96];
    std::snprintf(text, sizeof text, "expected an address that is a multiple of 16, but got %p",
                  fields.address);
    return text;
  }
  for (int d = 0; d < fields.rank; ++d)
    if (fields.extents[d] < 1 || fields.extents[d] > int64_t{1} << 32)
      return "expected extents from 1 to 2^32, but got " + std::to_string(fields.extents[d]);
  for (int d = 1; d < fields.rank; ++d) {
    if (fields.extents[d] == 1)
      continue; // frameworks give any stride where there is one element
    int64_t stride = fields.strides[d - 1];
    if (stride < 0 || stride % kStep || stride >= int64_t{1} << 40)
      return "expected strides in multiples of 16 bytes, below 2^40, but got " +
             std::to_string(stride) + " bytes";
  }
  return {};
}

} // namespace fairlead::runtime
