/// FairleadCpuTensorMap: kernels compiled for the CPU get the fields of a tensor map.
#include "fairlead/TensorMap.h"

#include <cstring>
#include <string>

#include "runtime/Raise.h"

namespace fairlead::cpu {
namespace {

/// The bytes in whose multiples addresses and strides are counted.
constexpr int kStep = 16;

/// What of the fields no GPU would take; empty for those that it would.
std::string problemOf(const FairleadTensorMap &fields) {
  if (reinterpret_cast<uintptr_t>(fields.address) % kStep)
    return "expected an address that is a multiple of 16";
  for (int d = 0; d < fields.rank; ++d)
    if (fields.extents[d] < 1 || fields.extents[d] > int64_t{1} << 32)
      return "expected extents from 1 to 2^32, but got " + std::to_string(fields.extents[d]);
  for (int d = 1; d < fields.rank; ++d) {
    int64_t stride = fields.strides[d - 1];
    if (stride < 0 || stride % kStep || stride >= int64_t{1} << 40)
      return "expected strides in multiples of 16 bytes, below 2^40, but got " +
             std::to_string(stride);
  }
  return {};
}

} // namespace
} // namespace fairlead::cpu

void FairleadCpuTensorMap(FairleadCallContext *context, const FairleadTensorMap *fields,
                          void *target) {
  using namespace fairlead;
  if (context->status != 0)
    return;
  static_assert(sizeof *fields <= 128);
  std::memcpy(target, fields, sizeof *fields);
  if (std::string problem = cpu::problemOf(*fields); !problem.empty()) [[unlikely]]
    runtime::raise(context, Diagnostic::LaunchText, {{"what", "tensor map"}, {"problem", problem}});
}
