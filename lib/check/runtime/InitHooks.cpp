/// Functions that code instrumented by LLVM's memory sanitizer calls
/// (check/compile/Uninitialised.cpp).
#include <cstring>
#include <vector>

#include "check/runtime/CheckedLaunch.h"
#include "fairlead/CheckCpu.h"

using fairlead::check::CheckedLaunch;

namespace {

/// Shadow of initialised memory, and scratch for data that is never read.
constexpr size_t kScratch = 4096;
alignas(64) thread_local unsigned char clean[kScratch], ignored[kScratch];

FairleadShadow shadowOf(void *address, uint64_t bytes, bool stores) {
  CheckedLaunch *launch = CheckedLaunch::shadowed();
  unsigned char *bits = launch ? launch->initialised.bits(address, bytes) : nullptr;
  if (bits)
    return {bits, ignored};
  if (stores) {
    // The memory spans two pages that are not adjacent: count the bytes written there as values.
    if (launch)
      launch->initialised.set(address, bytes);
    return {ignored, ignored};
  }
  std::memset(clean, 0, bytes < kScratch ? bytes : kScratch);
  return {clean, ignored};
}

} // namespace

FairleadShadow FairleadCheckLoadShadow(void *address, uint64_t bytes) {
  return shadowOf(address, bytes, false);
}
FairleadShadow FairleadCheckStoreShadow(void *address, uint64_t bytes) {
  return shadowOf(address, bytes, true);
}

#define FAIRLEAD_SHADOW_OF(bytes)                                                                  \
  FairleadShadow FairleadCheckLoadShadow##bytes(void *address) {                                   \
    return shadowOf(address, bytes, false);                                                        \
  }                                                                                                \
  FairleadShadow FairleadCheckStoreShadow##bytes(void *address) {                                  \
    return shadowOf(address, bytes, true);                                                         \
  }
FAIRLEAD_SHADOW_OF(1)
FAIRLEAD_SHADOW_OF(2)
FAIRLEAD_SHADOW_OF(4)
FAIRLEAD_SHADOW_OF(8)
#undef FAIRLEAD_SHADOW_OF

void *FairleadCheckContext(void) {
  // Shadow of parameters and results: those of the runtime's calls have values. The sanitizer's
  // structure has four arrays of 800 bytes, their origins, and a few numbers.
  constexpr size_t kBytes = 8192;
  alignas(64) static thread_local unsigned char state[kBytes];
  std::memset(state, 0, sizeof state);
  return state;
}

void FairleadCheckOwn(void *address, uint64_t bytes, const char *) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->initialised.own(address, bytes);
}

void *FairleadCheckSharedShadow(const FairleadLaunch *info, void *shared) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    return launch->initialised.ofShared(shared);
  // Blocks that run at the same time: all has values.
  thread_local std::vector<unsigned char> zeros;
  zeros.assign(static_cast<size_t>(info->shared_bytes), 0);
  return zeros.data();
}

void FairleadCheckUninitialised(void *site, int32_t thread) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->uninitialised({site, static_cast<uint32_t>(thread)});
}

static void copyShadow(void *target, const void *source, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; ++at) {
    auto *to = static_cast<char *>(target) + at;
    auto *from = const_cast<char *>(static_cast<const char *>(source) + at);
    *static_cast<unsigned char *>(shadowOf(to, 1, true).bits) =
        *static_cast<unsigned char *>(shadowOf(from, 1, false).bits);
  }
}

void *FairleadCheckMemcpy(void *target, const void *source, uint64_t bytes) {
  copyShadow(target, source, bytes);
  return std::memcpy(target, source, bytes);
}
void *FairleadCheckMemmove(void *target, const void *source, uint64_t bytes) {
  copyShadow(target, source, bytes);
  return std::memmove(target, source, bytes);
}
void *FairleadCheckMemset(void *target, int32_t value, uint64_t bytes) {
  if (CheckedLaunch *launch = CheckedLaunch::shadowed())
    launch->initialised.set(target, bytes);
  return std::memset(target, value, bytes);
}
