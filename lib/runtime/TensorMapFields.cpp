#include "runtime/LaunchShape.h"

#include <cstdio>

namespace fairlead::runtime {
namespace {

/// True for floats of 4 or 6 bits of which 16 take 16 bytes of shared memory: 16U4_ALIGN16B and
/// 16U6_ALIGN16B of CUtensorMapDataType.
bool isPadded(const FairleadTensorMap &fields) { return fields.type == 14 || fields.type == 15; }

/// The bytes in whose multiples addresses and strides are counted.
int stepOf(const FairleadTensorMap &fields) { return isPadded(fields) ? 32 : 16; }

} // namespace

std::string problemOf(const FairleadTensorMap &fields) {
  auto address = reinterpret_cast<uintptr_t>(fields.address);
  const int step = stepOf(fields);
  if (address % static_cast<uintptr_t>(step)) {
    char text[96];
    std::snprintf(text, sizeof text, "expected an address that is a multiple of %d, but got %p",
                  step, fields.address);
    return text;
  }
  for (int d = 0; d < fields.rank; ++d)
    if (fields.extents[d] < 1 || fields.extents[d] > int64_t{1} << 32)
      return "expected extents from 1 to 2^32, but got " + std::to_string(fields.extents[d]);
  for (int d = 1; d < fields.rank; ++d) {
    if (fields.extents[d] == 1)
      continue; // frameworks give any stride where there is one element
    int64_t stride = fields.strides[d - 1];
    if (stride < 0 || stride % step || stride >= int64_t{1} << 40)
      return "expected strides in multiples of " + std::to_string(step) +
             " bytes, below 2^40, but got " + std::to_string(stride) + " bytes";
  }
  constexpr int kPaddedBox = 128;
  if (isPadded(fields) && fields.extents[0] % kPaddedBox)
    return "expected an extent of dimension 0 in multiples of 128 for padded elements, but got " +
           std::to_string(fields.extents[0]);
  return {};
}

} // namespace fairlead::runtime
