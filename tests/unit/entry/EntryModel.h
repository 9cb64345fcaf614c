/// The rules of an entry, written down plainly: the reference for random calls.
#ifndef FAIRLEAD_TESTS_UNIT_ENTRY_ENTRYMODEL_H_
#define FAIRLEAD_TESTS_UNIT_ENTRY_ENTRYMODEL_H_

#include "EntryHarness.h"

namespace fairlead::entry {

struct Outcome {
  std::string error;           ///< "Kind: message", or empty: the host program runs
  std::vector<int64_t> values; ///< what it receives, as HostCall::values
};

/// The outcome of a call on `device` (kDLCPU, kDLCUDA).
Outcome predict(const Signature &signature, DLDeviceType device, const std::string &targets,
                const std::vector<TVMFFIAny> &arguments);

} // namespace fairlead::entry
#endif // FAIRLEAD_TESTS_UNIT_ENTRY_ENTRYMODEL_H_
