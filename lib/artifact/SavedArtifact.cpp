#include "artifact/SavedArtifact.h"

#include <mutex>

#include "artifact/BuildIdentity.h"
#include "base/Sha256.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "lower/HostMachine.h"
#include "signature/SignatureBytes.h"
#include "tvm/ffi/extra/json.h"

namespace fairlead {
namespace {

constexpr char kMagic[] = "fairlead artifact 2";

/// The processor that the host code of a target is for, with what it has.
std::string machineOf(const std::string &host, const Target &target) {
  return lower::HostMachine::of(host, target).str();
}

Error broken(const std::string &reason) {
  return makeError(Diagnostic::ArtifactBytes, {{"reason", reason}});
}

/// Machine code that was asked for: assembling takes as long as all of the rest for long kernels.
struct KeptCubin {
  std::mutex guard;
  std::string bytes;
};

/// The fields of a program: what pack gives behind those that it leaves out.
std::string saveProgram(const CompiledProgram &program, const LiveCode &code, int optLevel) {
  std::string machines;
  for (const Variant &variant : program.variants)
    machines += machineOf(program.host, variant.target) + "\n";
  std::vector<std::string> fields{code.pack(),
                                  std::to_string(optLevel),
                                  program.host,
                                  program.useCache ? "1" : "0",
                                  machines,
                                  packSignature(program.signature),
                                  packFields(program.assemblerOptions),
                                  program.lineInfo ? "1" : "0"};
  for (std::string &field : program.pack())
    fields.push_back(std::move(field));
  std::string body = packFields(fields);
  return packFields({kMagic, buildIdentity(), toHex(sha256(body)), body});
}

} // namespace

std::unique_ptr<Artifact::Impl> artifactOf(std::shared_ptr<const CompiledProgram> program,
                                           LiveCode code, int optLevel) {
  auto impl = std::make_unique<Artifact::Impl>();
  impl->signature = program->signature;
  impl->targets = program->targets();
  if (!program->host.empty())
    impl->host = lower::HostMachine::of(program->host, {}).triple;
  impl->ptx = program->ptx();
  impl->hasKernels = program->hasKernels();
  impl->code = std::make_shared<const LiveCode>(std::move(code));
  impl->build = [program, optLevel](const std::string &symbol, ExportExtras extras) {
    extras.facts.emplace_back(
        "options", tvm::ffi::json::Stringify(tvm::ffi::json::Object{{"opt_level", optLevel}}));
    return program->buildExport(symbol, extras);
  };
  impl->whole = [program] { return program->buildHere(); };
  impl->ir = [program] { return program->ir(); };
  impl->cubin = [program, kept = std::make_shared<KeptCubin>()] {
    std::lock_guard lock(kept->guard);
    if (kept->bytes.empty())
      kept->bytes = program->cubin();
    return kept->bytes;
  };
  impl->assembly = [program] { return program->assembly(); };
  impl->save = [program, optLevel](const LiveCode &code) {
    return saveProgram(*program, code, optLevel);
  };
  return impl;
}

std::string Artifact::save() const {
  if (!impl_->save)
    throw broken("`" + impl_->signature.name +
                 "` is no compiled program: export it, and load the exported file");
  return impl_->save(*impl_->code);
}

std::shared_ptr<const Artifact> Artifact::restore(std::string_view bytes) {
  auto outer = unpackFields(bytes);
  if (!outer || outer->size() != 4 || (*outer)[0] != kMagic)
    throw broken("the bytes are no artifact");
  if ((*outer)[1] != buildIdentity())
    throw broken("it was saved by another build of Fairlead");
  auto fields = unpackFields((*outer)[3]);
  if (toHex(sha256((*outer)[3])) != (*outer)[2] || !fields || fields->size() < 9)
    throw broken("the bytes are damaged");
  auto program = std::make_shared<CompiledProgram>();
  program->host = (*fields)[2];
  program->optLevel = std::stoi((*fields)[1]);
  program->useCache = (*fields)[3] == "1";
  program->lineInfo = (*fields)[7] == "1";
  auto assemblerOptions = unpackFields((*fields)[6]);
  std::optional<LiveCode> code = LiveCode::unpack(fields->front());
  if (!assemblerOptions || !code || !unpackSignature((*fields)[5], program->signature) ||
      !program->unpack(*fields, 8))
    throw broken("the bytes are damaged");
  program->assemblerOptions = std::move(*assemblerOptions);
  const int optLevel = program->optLevel;
  std::string machines;
  for (const Variant &variant : program->variants)
    machines += machineOf(program->host, variant.target) + "\n";
  if (machines != (*fields)[4])
    throw makeError(Diagnostic::HostForeign, {{"name", program->signature.name},
                                              {"expected", "another processor than this one"},
                                              {"got", "the processors differ"}});
  return std::make_shared<const Artifact>(
      artifactOf(std::move(program), std::move(*code), optLevel));
}

} // namespace fairlead
