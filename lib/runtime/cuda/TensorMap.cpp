/// FairleadCudaTensorMap: tensor maps as the driver writes them.
#include "fairlead/TensorMap.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>

#include "runtime/LaunchShape.h"
#include "runtime/Raise.h"
#include "runtime/cuda/DeviceContext.h"
#include "runtime/cuda/Driver.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

constexpr size_t kMapBytes = 128;

/// The maps that a thread made last: a map is nothing but a function of its fields. Each has two
/// places by a few bits of them, as the three tensors of a launch often have the same extents.
class Remembered {
public:
  struct Entry {
    FairleadTensorMap fields;
    alignas(64) std::array<unsigned char, kMapBytes> map;

    bool isOf(const FairleadTensorMap &wanted) const {
      return std::memcmp(&fields, &wanted, sizeof fields) == 0;
    }
  };

  /// Returns the entry with these fields, or the less recently used one of its two places.
  Entry &entryFor(const FairleadTensorMap &fields) {
    uint64_t mixed = reinterpret_cast<uint64_t>(fields.address) >> 8;
    for (int d = 0; d < fields.rank; ++d)
      mixed = mixed * 31 + static_cast<uint64_t>(fields.extents[d]) + fields.box[d];
    mixed *= 0x9e3779b97f4a7c15u;
    Pair &pair = pairs[mixed >> 59];
    int place = pair.entries[1 - pair.older].isOf(fields) ? 1 - pair.older : pair.older;
    pair.older = 1 - place;
    return pair.entries[place];
  }

private:
  struct Pair {
    std::array<Entry, 2> entries;
    int older; ///< which was used longer ago
  };
  std::array<Pair, 32> pairs{};
};

/// Returns the fields with zeros beyond the rank: compiled programs leave these uninitialized.
FairleadTensorMap withoutUnusedDimensions(FairleadTensorMap fields) {
  for (int d = fields.rank; d < 5; ++d) {
    fields.extents[d] = 0;
    fields.strides[d - 1] = 0;
    fields.box[d] = 0;
  }
  return fields;
}

CUresult encode(const Table &table, const FairleadTensorMap &fields, void *map) {
  cuuint64_t extents[5], strides[4] = {};
  cuuint32_t box[5], steps[5];
  for (int d = 0; d < 5; ++d) {
    extents[d] = static_cast<cuuint64_t>(fields.extents[d]);
    box[d] = static_cast<cuuint32_t>(fields.box[d]);
    steps[d] = 1;
  }
  // The stride of a dimension of one element is never used, but the driver looks at it.
  auto compactStride =
      static_cast<cuuint64_t>((fields.extents[0] * fields.element_size + 15) / 16 * 16);
  for (int d = 0; d + 1 < fields.rank; ++d) {
    strides[d] =
        fields.extents[d + 1] == 1 ? compactStride : static_cast<cuuint64_t>(fields.strides[d]);
    compactStride = strides[d] * extents[d + 1];
  }
  constexpr int kNoInterleave = 0, kPromoteTo128 = 2, kFillZeros = 0;
  return table.cuTensorMapEncodeTiled(map, fields.type, static_cast<cuuint32_t>(fields.rank),
                                      fields.address, extents, strides, box, steps, kNoInterleave,
                                      fields.swizzle, kPromoteTo128, kFillZeros);
}

template <typename Number> std::string listed(const Number *numbers, int count) {
  std::string text = "(";
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + ")";
}

[[gnu::cold]] std::string textOf(const FairleadTensorMap &fields) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", fields.address);
  return "of address " + std::string(address) + " (a multiple of 16), extents " +
         listed(fields.extents, fields.rank) + ", strides " +
         listed(fields.strides, fields.rank - 1) + " bytes (multiples of 16), box " +
         listed(fields.box, fields.rank) + ", elements of " + std::to_string(fields.element_size) +
         " bytes, swizzle " +
         std::to_string(fields.swizzle ? 16 << std::min(fields.swizzle, 3) : 0) + " bytes";
}

void make(FairleadCallContext *context, const FairleadTensorMap &fields, void *target) {
  thread_local Remembered remembered;
  Remembered::Entry &entry = remembered.entryFor(fields);
  if (!entry.isOf(fields)) [[unlikely]] {
    const Driver &driver = Driver::get();
    if (!driver.usable)
      return runtime::raise(context, Diagnostic::CudaDriver, {{"reason", driver.reason}});
    if (!driver.table.cuTensorMapEncodeTiled)
      return runtime::raise(context, Diagnostic::CudaDriver,
                            {{"reason", "a driver without cuTensorMapEncodeTiled"}});
    // A thread of a framework may have no context yet, without which the driver encodes nothing.
    const DeviceContext *device = DeviceContext::get(context, context->device_id);
    if (!device)
      return;
    DeviceGuard guard(driver.table, *device);
    CUresult error = guard.error();
    if (error == CUDA_SUCCESS)
      error = encode(driver.table, fields, entry.map.data());
    if (error != CUDA_SUCCESS) {
      entry.fields = {};
      if (std::string problem = runtime::problemOf(fields); !problem.empty())
        return runtime::raise(
            context, Diagnostic::LaunchText,
            {{"what", "tensor map"}, {"problem", problem + ": it is " + textOf(fields)}});
      return runtime::raise(context, Diagnostic::CudaCall,
                            {{"error", describeError(driver.table, error)},
                             {"action", "making the tensor map " + textOf(fields)}});
    }
    entry.fields = fields;
  }
  std::memcpy(target, entry.map.data(), kMapBytes);
}

} // namespace
} // namespace fairlead::cuda

void FairleadCudaTensorMap(FairleadCallContext *context, const FairleadTensorMap *fields,
                           void *target) {
  if (context->status != 0)
    return;
  try {
    using namespace fairlead::cuda;
    make(context, withoutUnusedDimensions(*fields), target);
  } catch (const std::exception &failure) {
    context->status = -1;
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
}
