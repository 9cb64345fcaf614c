/// The functions of fairlead/CheckCpu.h.
#include <algorithm>
#include <cstring>

#include "check/runtime/CheckedLaunch.h"
#include "check/runtime/Outputs.h"
#include "fairlead/CheckCpu.h"

using namespace fairlead::check;

namespace {

/// Here, because every program that launches checked kernels has FairleadCheckTensor in it.
[[maybe_unused]] const fairlead::cpu::MakeObserver replaced =
    fairlead::cpu::observeLaunchesWith(CheckedLaunch::make);

ThreadAt at(void *site, int32_t thread) { return {site, static_cast<uint32_t>(thread)}; }

} // namespace

void FairleadCheckTensor(int32_t index, const char *text, void *data, int32_t bits, int32_t rank,
                         const int64_t *extents, const int64_t *strides) {
  CallTensors &tensors = callTensors();
  if (index < 0)
    return callOutputs().endCall();
  if (index == 0) {
    tensors.clear();
    callOutputs().begin();
  }
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
    launch->index(at(site, thread), mode, index, extent);
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
  return launch ? launch->inTensor(at(site, thread), static_cast<char *>(address), base, bytes)
                : address;
}

void *FairleadCheckRange(void *site, int32_t thread, void *address, void *base, int64_t size,
                         int32_t bytes) {
  CheckedLaunch *launch = CheckedLaunch::current();
  auto *place = static_cast<char *>(address), *begin = static_cast<char *>(base);
  // 0: not known, in objects of before; -1: none.
  if (!launch || !size)
    return address;
  size = std::max<int64_t>(size, 0);
  return launch->inside(at(site, thread), place, bytes, begin, begin + size, nullptr);
}

void FairleadCheckAccess(void *site, int32_t thread, void *address, int32_t what, int64_t low,
                         int64_t high) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->access(at(site, thread), static_cast<char *>(address), what, low, high);
}

void FairleadCheckOrder(void *site, int32_t thread, int32_t what, void *address, int64_t number,
                        void *barrier) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->order(at(site, thread), what, address, number, barrier);
}

void FairleadCheckTogether(int32_t first) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->together(first);
}

void FairleadCheckFinite(void *site, int32_t thread, double result) {
  if (CheckedLaunch *launch = CheckedLaunch::current())
    launch->notFinite(at(site, thread), result);
}

void FairleadCheckBranch(void *site, int32_t thread, int32_t branch, int32_t event) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->branch(at(site, thread), static_cast<uint32_t>(branch), event);
}

void FairleadCheckReaches(void *site, int32_t thread, int32_t group) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->reach(at(site, thread), static_cast<uint32_t>(group));
}

void FairleadCheckDisagrees(void *site, void *branch, int32_t thread) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->disagree(at(site, thread), branch);
}

int32_t FairleadCheckRepeats(int32_t step, int64_t x, int64_t y, int64_t z, int32_t thread) {
  CheckedLaunch *launch = CheckedLaunch::current();
  const int64_t threads[3] = {x, y, z};
  return launch && launch->repeats(step, threads, static_cast<uint32_t>(thread));
}

int32_t FairleadCheckSpans(const FairleadCheckSpan *spans, int32_t number, int64_t x, int64_t y,
                           int64_t z, int32_t thread) {
  CheckedLaunch *launch = CheckedLaunch::current();
  const int64_t threads[3] = {x, y, z};
  return !launch || launch->takeSpans({spans, static_cast<size_t>(number), threads,
                                       static_cast<uint32_t>(thread)});
}
