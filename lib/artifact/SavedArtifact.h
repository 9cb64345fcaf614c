/// Artifacts of compiled programs, and as bytes.
#ifndef FAIRLEAD_LIB_ARTIFACT_SAVEDARTIFACT_H_
#define FAIRLEAD_LIB_ARTIFACT_SAVEDARTIFACT_H_

#include <memory>
#include <string>

#include "artifact/ArtifactImpl.h"
#include "artifact/CompiledProgram.h"

namespace fairlead {

/// The artifact of a program, with what runs here of it.
std::unique_ptr<Artifact::Impl> artifactOf(std::shared_ptr<const CompiledProgram> program,
                                           LiveCode code, int optLevel);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_SAVEDARTIFACT_H_
