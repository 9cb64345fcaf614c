/// The inside of an artifact: a compiled program and, once it was loaded, the loaded one.
#ifndef FAIRLEAD_LIB_ARTIFACT_ARTIFACTIMPL_H_
#define FAIRLEAD_LIB_ARTIFACT_ARTIFACTIMPL_H_

#include <memory>
#include <mutex>
#include <optional>

#include "artifact/CompiledProgram.h"
#include "artifact/LoadedProgram.h"

namespace fairlead {

struct Artifact::Impl {
  explicit Impl(std::shared_ptr<const CompiledProgram> compiled)
      : program(std::move(compiled)), targets(program->targets()) {}

  std::shared_ptr<const CompiledProgram> program;
  std::vector<Target> targets;
  bool cached = false; ///< the program came from the cache
  std::vector<Phase> phases;
  /// If the driver had the device code while it was compiled; loading takes it.
  mutable std::unique_ptr<DeviceModule> deviceModule;

  mutable std::mutex mutex;
  mutable std::optional<std::string> object; ///< CompiledProgram::object
  mutable std::string cubin;                 ///< CompiledProgram::cubin, which takes long; or ""
  mutable std::shared_ptr<const LoadedProgram> loaded; ///< null until it is loaded
  mutable bool stays = false; ///< `loaded` is kept for the life of the process
  mutable double loadMilliseconds = 0;

  /// Links the code into the process, and loads device code if the machine has a device, at the
  /// first call. Throws fairlead::Error.
  std::shared_ptr<const LoadedProgram> load() const;
};

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_ARTIFACTIMPL_H_
