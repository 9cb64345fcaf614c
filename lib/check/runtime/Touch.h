/// One access of a checked kernel.
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_TOUCH_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_TOUCH_H_

#include <cstddef>
#include <cstdint>

#include "fairlead/CheckCpu.h"

namespace fairlead::check {

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
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_TOUCH_H_
