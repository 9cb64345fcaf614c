/// Artifacts as bytes.
#include "artifact/ArtifactImpl.h"
#include "artifact/BuildIdentity.h"
#include "artifact/TracedProgram.h"
#include "base/Sha256.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "lower/machine/HostMachine.h"
#include "signature/SignatureBytes.h"

namespace fairlead {
namespace {

constexpr char kMagic[] = "fairlead artifact 4";

/// The processors that the host code of each target is for, with their features.
std::string machinesOf(const TracedProgram &program) {
  std::string machines;
  for (const Variant &variant : program.variants)
    machines += lower::HostMachine::of(program.host, variant.target).str() + "\n";
  return machines;
}

Error broken(const std::string &reason) {
  return makeError(Diagnostic::ArtifactBytes, {{"reason", reason}});
}

} // namespace

std::string TracedProgram::save() const {
  std::string body =
      packFields({packSignature(signature), host, std::to_string(optLevel), useCache ? "1" : "0",
                  packFields(assemblerOptions), lineInfo ? "1" : "0", machinesOf(*this),
                  packFields(pack()), places});
  return packFields({kMagic, buildIdentity(), toHex(sha256(body)), body});
}

std::shared_ptr<const TracedProgram> TracedProgram::restore(std::string_view bytes) {
  auto outer = unpackFields(bytes);
  if (!outer || outer->size() != 4 || (*outer)[0] != kMagic)
    throw broken("the bytes are no artifact");
  if ((*outer)[1] != buildIdentity())
    throw broken("it was saved by another build of Fairlead");
  auto fields = unpackFields((*outer)[3]);
  if (toHex(sha256((*outer)[3])) != (*outer)[2] || !fields || fields->size() != 9)
    throw broken("the bytes are damaged");
  auto program = std::make_shared<TracedProgram>();
  auto assemblerOptions = unpackFields((*fields)[4]), code = unpackFields((*fields)[7]);
  if (!unpackSignature((*fields)[0], program->signature) || !assemblerOptions || !code)
    throw broken("the bytes are damaged");
  program->host = (*fields)[1];
  program->optLevel = std::stoi((*fields)[2]);
  program->useCache = (*fields)[3] == "1";
  program->assemblerOptions = std::move(*assemblerOptions);
  program->lineInfo = (*fields)[5] == "1";
  program->places = (*fields)[8];
  if (!program->unpack(*code))
    throw broken("the bytes are damaged");
  if (machinesOf(*program) != (*fields)[6])
    throw makeError(Diagnostic::HostForeign, {{"name", program->signature.name},
                                              {"expected", "another processor than this one"},
                                              {"got", "the processors differ"}});
  return program;
}

std::string Artifact::save() const { return impl_->program->save(); }

std::shared_ptr<const Artifact> Artifact::restore(std::string_view bytes) {
  return std::make_shared<const Artifact>(std::make_unique<Impl>(TracedProgram::restore(bytes)));
}

} // namespace fairlead
