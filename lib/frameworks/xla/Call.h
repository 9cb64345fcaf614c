/// One call that XLA makes.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_XLA_CALL_H_
#define FAIRLEAD_LIB_FRAMEWORKS_XLA_CALL_H_

#include "fairlead/Frameworks.h"
#include "frameworks/xla/Abi.h"

namespace fairlead::frameworks::xla {

/// Answers a question for the handler's version, which comes without a call; false for calls.
bool answersMetadata(Frame *frame, bool commandBuffer);

/// An error of XLA's with the text of the one that is raised in this thread.
Error *takeRaised(const Frame &frame);

/// Calls `function` as the frame says; null, or an error.
Error *call(const Frame &frame, const FairleadXlaFunction &function, int32_t deviceType);

} // namespace fairlead::frameworks::xla
#endif // FAIRLEAD_LIB_FRAMEWORKS_XLA_CALL_H_
