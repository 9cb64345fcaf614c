/// A record of compiled programs, which tests/replay.py compares between two builds.
#ifndef FAIRLEAD_LIB_ARTIFACT_CODERECORD_H_
#define FAIRLEAD_LIB_ARTIFACT_CODERECORD_H_

#include "artifact/TracedProgram.h"

namespace fairlead {

/// Appends one line of JSON to the file that FAIRLEAD_CODE_RECORD names: the label in
/// FAIRLEAD_CODE_LABEL, the signature, the targets, the PTX, and a digest of the host's objects.
/// Does nothing if the variable is not set. Safe from any thread and process.
void recordCode(const TracedProgram &program);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_CODERECORD_H_
