/// Work that nobody waits for.
#ifndef FAIRLEAD_LIB_ARTIFACT_BACKGROUNDWORK_H_
#define FAIRLEAD_LIB_ARTIFACT_BACKGROUNDWORK_H_

#include <functional>

namespace fairlead {

/// Does the work later, one after another, on a thread of its own. What is not done when the
/// process ends is dropped; where the system has no thread left, so is all of it. The work throws
/// nothing that matters. Safe from any thread.
void startInBackground(std::function<void()> work);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_BACKGROUNDWORK_H_
