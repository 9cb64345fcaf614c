/// What an artifact holds, whatever it was made from.
#ifndef FAIRLEAD_LIB_ARTIFACT_ARTIFACTIMPL_H_
#define FAIRLEAD_LIB_ARTIFACT_ARTIFACTIMPL_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "artifact/LiveCode.h"
#include "artifact/PlainExport.h"
#include "fairlead/Compile.h"

namespace fairlead {

struct Artifact::Impl {
  Signature signature;
  std::vector<Target> targets;
  std::string host;                     ///< of another machine: its triple; else ""
  bool cached = false;                  ///< the object came from the cache
  std::shared_ptr<const LiveCode> code; ///< null for another machine's
  /// Of `code`, where the driver has had it while it was compiled; loading takes it.
  mutable std::unique_ptr<LiveModule> liveModule;
  std::string ptx;
  bool hasKernels = false; ///< device code to load
  std::vector<Phase> phases;
  /// The object under another name; throws fairlead::Error.
  std::function<std::string(const std::string &symbol, const ExportExtras &extras)> build;
  std::function<std::string()> ir;
  std::function<std::string()> whole; ///< all of the code as one object under its own name
  std::function<std::string()> cubin, assembly; ///< may be empty
  /// The artifact as bytes; null where there is no way back from them.
  std::function<std::string(const LiveCode &code)> save;

  mutable std::mutex mutex;
  mutable std::optional<std::string> object;       ///< what `whole` gave
  mutable std::shared_ptr<const LiveProgram> live; ///< null until it is loaded
  mutable bool stays = false;                      ///< `live` is kept for the life of the process
  mutable double loadMilliseconds = 0;

  /// Links the code into the process, and loads device code where there is a device, if that was
  /// not done. Throws fairlead::Error.
  std::shared_ptr<const LiveProgram> load() const;
};

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_ARTIFACTIMPL_H_
