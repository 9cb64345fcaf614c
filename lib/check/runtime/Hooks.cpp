/// The functions of fairlead/CheckCpu.h.
#include <algorithm>
#include <cstring>

#include "check/runtime/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"

using namespace fairlead::cpu;
using namespace fairlead::cpu::check;

namespace {

std::unique_ptr<LaunchObserver> makeCheckedLaunch(const char *kernel,
                                                  const FairleadLaunch &launch) {
  return std::make_unique<CheckedLaunch>(kernel, launch);
}

/// Here, because every program that launches checked kernels has FairleadCheckTensor in it.
[[maybe_unused]] const MakeObserver before = observeLaunchesWith(makeCheckedLaunch);

} // namespace

void FairleadCheckTensor(int32_t index, const char *text, void *data, int32_t bits, int32_t rank,
                         const int64_t *extents, const int64_t *strides) {
  std::vector<CallTensor> &tensors = callTensors();
  if (index == 0)
    tensors.clear();
  if (rank < 0)
    return; // a call without tensors
  const char *type = std::strchr(text, '\x1f');
  CallTensor tensor{std::string(text, type),
                    type + 1,
                    static_cast<char *>(data),
                    nullptr,
                    nullptr,
                    bits,
                    {extents, extents + rank},
                    {strides, strides + rank}};
  int64_t first = 0, last = 0;
  bool some = true;
  for (int32_t mode = 0; mode < rank; ++mode) {
    some = some && extents[mode] > 0;
    int64_t reach = (extents[mode] - 1) * strides[mode];
    first += std::min<int64_t>(reach, 0);
    last += std::max<int64_t>(reach, 0);
  }
  tensor.begin = tensor.data + first * bits / 8;
  tensor.end = some ? tensor.data + ((last + 1) * bits + 7) / 8 : tensor.begin;
  tensors.push_back(std::move(tensor));
}

void FairleadCheckIndex(void *site, int32_t thread, int32_t mode, int64_t index, int64_t extent) {
  if (CheckedLaunch *launch = CheckedLaunch::current())
    launch->index(site, thread, mode, index, extent);
}

void *FairleadCheckInstead(void *address) {
  return goesOnAfterFindings() ? address : FairleadCheckSink();
}

void *FairleadCheckSink(void) {
  alignas(64) static thread_local char sink[256];
  std::memset(sink, 0, sizeof sink);
  return sink;
}

void *FairleadCheckTensorRange(void *site, int32_t thread, void *address, void *base,
                               int32_t bytes) {
  CheckedLaunch *launch = CheckedLaunch::current();
  return launch ? launch->inTensor(site, thread, static_cast<char *>(address), base, bytes)
                : address;
}

void *FairleadCheckRange(void *site, int32_t thread, void *address, void *base, int64_t size,
                         int32_t bytes) {
  CheckedLaunch *launch = CheckedLaunch::current();
  auto *place = static_cast<char *>(address), *begin = static_cast<char *>(base);
  // 0: not known, in objects of before; -1: none.
  if (!launch || !size || (place >= begin && place + bytes <= begin + size))
    return address;
  size = std::max<int64_t>(size, 0);
  return launch->outside(site, thread, place, bytes, begin, begin + size, nullptr);
}

void FairleadCheckAccess(void *site, int32_t thread, void *address, int32_t what, int64_t low,
                         int64_t high) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->access(site, launch->numbered(static_cast<uint32_t>(thread)),
                   static_cast<char *>(address), what, low, high);
}

void FairleadCheckOrder(void *site, int32_t thread, int32_t what, void *address, int64_t number,
                        void *barrier) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->order(site, launch->numbered(static_cast<uint32_t>(thread)), what, address, number,
                  barrier);
}

void FairleadCheckTogether(int32_t first) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->together(first);
}

void FairleadCheckFinite(void *site, int32_t thread, double result) {
  if (CheckedLaunch *launch = CheckedLaunch::current())
    launch->notFinite(site, thread, result);
}
