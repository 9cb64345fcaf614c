/// compile: from a traced program to an artifact.
#include "fairlead/Compile.h"

#include <optional>

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

#include "artifact/ArtifactImpl.h"
#include "artifact/CompileKey.h"
#include "artifact/CompiledProgram.h"
#include "artifact/SavedArtifact.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "lower/HostMachine.h"
#include "lower/Lowering.h"
#include "lower/ProgramCopies.h"

namespace fairlead {
namespace {

/// Kernels of all CUDA targets are launched by one host program, by number.
void requireSameKernels(const std::vector<Variant> &variants, const Variant &added) {
  for (const Variant &variant : variants)
    if (variant.target.kind == Target::Kind::Cuda && added.target.kind == Target::Kind::Cuda &&
        variant.device.kernels != added.device.kernels)
      throw makeError(Diagnostic::CompileFailed,
                      {{"stage", "joining of the targets' code"},
                       {"message", variant.target.str() + " and " + added.target.str() +
                                       " differ in kernels"}});
}

/// One compile: what it finds or makes.
class Compilation {
public:
  Compilation(dsl::Program program, const CompileOptions &options)
      : program(std::move(program)), options(options), targets(options.targets) {
    if (targets.empty())
      targets.push_back(options.target);
    kept->signature = this->program.signature(); // with the equalities that tracing added
    kept->host = options.host;
    kept->optLevel = options.optLevel;
    kept->useCache = options.cache;
    kept->assemblerOptions = splitWords(options.assemblerOptions);
    kept->lineInfo = options.lineInfo;
  }

  std::shared_ptr<const Artifact> run() {
    if (!find()) {
      make();
      keep();
    }
    return artifact();
  }

private:
  bool find() {
    if (options.cache) {
      cache.emplace("programs");
      key = compileKey(program, targets, options);
      if (!key.digest.empty() && (read(key.digest) || readOfAnyTools()))
        return cached = true;
      timer.lap("cache");
    }
    if (Cache::neverCompile())
      throw makeError(Diagnostic::NeverCompile,
                      {{"function", kept->signature.str()},
                       {"targets", joinTargets(targets)},
                       {"folders", cache ? cache->places() : "turned off"}});
    return false;
  }

  /// Where a tool is missing, or nothing may be compiled, what was made with another one serves: it
  /// is how entries get to machines without a toolkit.
  bool readOfAnyTools() {
    if (key.anyTools.empty() || !(key.lacksTools || Cache::neverCompile()))
      return false;
    std::optional<std::string> other = cache->get(key.anyTools);
    return other && read(*other);
  }

  void keep() {
    if (!cache || key.digest.empty())
      return;
    std::string label = kept->signature.str() + " for " + joinTargets(targets);
    cache->put(key.digest, packFields(result()), label);
    if (!key.anyTools.empty() && !key.lacksTools)
      cache->put(key.anyTools, key.digest, label + ", for machines without its tools");
  }

  bool read(const std::string &digest) {
    std::optional<std::string> bytes = cache->get(digest);
    if (!bytes)
      return false;
    auto fields = unpackFields(*bytes);
    if (!fields || fields->size() < 2 || !kept->unpack(*fields, 1))
      return false;
    object = std::move(fields->front());
    timer.lap("cache");
    return true;
  }

  std::vector<std::string> result() const {
    std::vector<std::string> fields = kept->pack();
    fields.insert(fields.begin(), object);
    return fields;
  }

  void make() {
    std::optional<lower::ProgramCopies> copies;
    if (targets.size() > 1)
      copies.emplace(program);
    std::optional<lower::Lowered> lowered;
    for (const Target &target : targets) {
      if (copies && !kept->variants.empty())
        copies->restore();
      CompileOptions own = options;
      own.target = target;
      lowered.reset();
      lowered.emplace(lower::TargetLowering::get(target.kind).lower(program, own, timer));
      Variant variant{target, "", std::move(lowered->device), std::move(lowered->unoptimised)};
      llvm::raw_string_ostream stream(variant.bitcode);
      llvm::WriteBitcodeToFile(*lowered->module, stream);
      requireSameKernels(kept->variants, variant);
      kept->variants.push_back(std::move(variant));
      timer.lap("optimise");
    }
    object = kept->buildHere(targets.size() == 1 ? lowered->module.get() : nullptr);
    timer.lap("codegen");
  }

  std::shared_ptr<const Artifact> artifact() {
    auto impl = artifactOf(kept, std::move(object), options.optLevel);
    impl->cached = cached;
    impl->phases = timer.phases();
    return std::make_shared<const Artifact>(std::move(impl));
  }

  dsl::Program program;
  const CompileOptions &options;
  std::vector<Target> targets;
  std::shared_ptr<CompiledProgram> kept = std::make_shared<CompiledProgram>();
  std::optional<Cache> cache;
  CompileKey key;
  std::string object;
  bool cached = false;
  lower::PhaseTimer timer;
};

} // namespace

std::shared_ptr<const Artifact> compile(dsl::Program program, const CompileOptions &options) {
  return Compilation(std::move(program), options).run();
}

} // namespace fairlead
