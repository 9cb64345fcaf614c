/// One access of a checked kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fairlead/CheckCpu.h"

namespace fairlead::check {

/// The numbers of one launch, from 1 on. A site begins with room for its number.
class Sites {
public:
  Sites() = default;
  Sites(const Sites &) = delete;
  ~Sites() {
    for (void *site : sites) // other launches number them anew
      std::memset(site, 0, sizeof(uint32_t));
  }

  uint32_t numberOf(void *site) {
    uint32_t number;
    std::memcpy(&number, site, sizeof number);
    if (!number) {
      sites.push_back(site);
      number = static_cast<uint32_t>(sites.size());
      std::memcpy(site, &number, sizeof number);
    }
    return number;
  }
  void *at(uint32_t number) const { return sites[number - 1]; }

private:
  std::vector<void *> sites;
};

/// A site, and a thread there by its number in the run.
struct ThreadAt {
  void *site;
  uint32_t thread;
};

/// Number of bytes of an access, from the bits that describe it (FairleadCheckAccessKind).
inline size_t bytesOf(int32_t what) { return static_cast<uint32_t>(what) >> 8 & 0xffff; }
inline int32_t kindOf(int32_t what) { return what & kFairleadCheckKind; }
inline bool isAtomic(int32_t what) { return kindOf(what) == kFairleadCheckAtomic; }
/// True for an atomic that is none for the threads of other blocks.
inline bool isOfBlock(int32_t what) { return what & kFairleadCheckOfBlock; }
inline bool isWrite(int32_t what) {
  return kindOf(what) != kFairleadCheckRead && !(what & kFairleadCheckLoad);
}

/// An access of a thread, or of an agent that works for it.
struct Touch {
  void *site;
  uint32_t number; ///< of the site
  uint32_t thread, who, when;
  int32_t what;      ///< as of FairleadCheckAccess
  const char *value; ///< the bytes that are written, or null if they are not known
  const char *start;
  size_t bytes;
  bool inShared;

  bool writes() const { return isWrite(what); }
  bool isAtomic() const { return check::isAtomic(what); }
  bool isOfBlock() const { return check::isOfBlock(what); }
};

} // namespace fairlead::check
