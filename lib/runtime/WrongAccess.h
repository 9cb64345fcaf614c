/// The finding of an access out of bounds.
#ifndef FAIRLEAD_LIB_RUNTIME_WRONGACCESS_H_
#define FAIRLEAD_LIB_RUNTIME_WRONGACCESS_H_

#include <string>

#include "fairlead/Runtime.h"

namespace fairlead::runtime {

/// The finding in the forms of Findings.h.
struct WrongAccessReport {
  std::string text, fields;
};

/// Describes the access of a thread of a block, both as "(3, 0, 0)"; empty in a host function.
WrongAccessReport describe(const FairleadWrongAccess &access, const std::string &thread,
                           const std::string &block);

/// Raises CheckError with the report.
void raise(FairleadCallContext *context, const WrongAccessReport &report);

} // namespace fairlead::runtime
#endif // FAIRLEAD_LIB_RUNTIME_WRONGACCESS_H_
