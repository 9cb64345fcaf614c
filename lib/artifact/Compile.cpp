/// compile: from a traced program to an artifact.
#include "fairlead/Compile.h"

#include <cstdlib>
#include <fcntl.h>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <unistd.h>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

#include "artifact/ArtifactImpl.h"
#include "artifact/CompileKey.h"
#include "artifact/CrashReport.h"
#include "artifact/LaterKernels.h"
#include "artifact/TracedProgram.h"
#include "base/Sha256.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/PipelineCheck.h"
#include "lower/Lowering.h"
#include "lower/common/ProgramCopies.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/HostMachine.h"
#include "signature/SignatureBytes.h"
#include "tvm/ffi/c_api.h"
#include "tvm/ffi/extra/json.h"

namespace fairlead {
namespace {

/// Appends one line of JSON to the file that FAIRLEAD_CODE_RECORD names: the label in
/// FAIRLEAD_CODE_LABEL, the signature, the targets, the PTX, and a digest of the host's objects.
/// tests/replay.py compares the records of two builds.
/// Does nothing if the variable is not set. Safe from any thread and process.
void recordCode(const TracedProgram &program) {
  const char *path = std::getenv("FAIRLEAD_CODE_RECORD");
  if (!path || !*path)
    return;
  std::string ptx;
  for (const Variant &variant : program.variants)
    ptx += variant.device.ptx;
  Sha256 objects;
  for (const std::string &object : program.code.objects)
    objects.add(std::to_string(object.size()) + " " + object);
  const char *label = std::getenv("FAIRLEAD_CODE_LABEL");
  const tvm::ffi::json::Object line{
      {"label", std::string(label ? label : "")},  {"signature", program.signature.str()},
      {"targets", joinTargets(program.targets())}, {"ptx", ptx},
      {"objects", toHex(objects.finish())},
  };
  const std::string text = std::string(tvm::ffi::json::Stringify(line)) + "\n";
  // One write to a file opened for appending: lines of several processes do not mix.
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0)
    return;
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
  close(file);
}

/// Targets with device images share the first one's host program, which launches kernels by number.
void requireSameHost(const Signature &signature, const std::vector<Variant> &variants,
                     const Variant &added) {
  if (!added.target.info().kernelsInImages)
    return;
  for (const Variant &variant : variants) {
    if (!variant.target.info().kernelsInImages)
      continue;
    const bool sameKernels = variant.device.kernels == added.device.kernels;
    if (!sameKernels || variant.bitcode != added.bitcode)
      throw makeError(Diagnostic::TargetsDiffer, {{"function", signature.str()},
                                                  {"target", variant.target.str()},
                                                  {"other", added.target.str()},
                                                  {"what", sameKernels ? "launches" : "kernels"}});
    return;
  }
}

/// Memory that one program reads or writes counts as read or written by all of them.
void joinAccesses(std::vector<dsl::Program> &programs) {
  auto mark = [](Signature &signature, const std::vector<Param> &others) {
    for (size_t i = 0; i < std::min(signature.params.size(), others.size()); ++i) {
      MemoryAccess *access = signature.params[i].access();
      const MemoryAccess *other = others[i].access();
      if (access && other)
        *access = *access | *other;
    }
  };
  Signature &first = programs.front().signature();
  for (const dsl::Program &program : programs)
    mark(first, program.signature().params);
  for (dsl::Program &program : programs)
    mark(program.signature(), first.params);
}

/// The bitcode of a program that is kept optimised comes later.
Variant variantOf(const Target &target, lower::Lowered &lowered) {
  const bool isOptimised = lowered.unoptimised.empty();
  return {target, std::move(lowered.unoptimised), std::move(lowered.device), isOptimised};
}

std::string writeBitcode(const llvm::Module &module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

/// Reports the program if lowering crashes. Steps with their own guard report more.
lower::Lowered lowerProgram(const lower::TargetLowering &lowering, dsl::Program &program,
                            const CompileOptions &options, lower::PhaseTimer &timer) {
  std::optional<lower::Lowered> lowered;
  lower::guarded(
      "lowering", [&] { lowered = lowering.lower(program, options, timer); },
      [&](llvm::raw_ostream &stream) { stream << lower::programText(program); });
  return std::move(*lowered);
}

/// Starts work on another thread, or defers it until its result is read if the system has no thread
/// left. The future's destructor waits for it.
template <typename Work> auto startAside(Work work) -> std::future<decltype(work())> {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error &) {
    return std::async(std::launch::deferred, work);
  }
}

/// Starts to build the entry object. It is built once for all programs with the same signature,
/// like the candidates of a tuner.
std::future<std::string> startEntry(const Signature &signature, const Target &target) {
  constexpr size_t kMost = 64;
  static std::mutex mutex;
  static auto *objects = new std::map<std::string, std::string>;
  std::string key = packFields({packSignature(signature), target.str()});
  std::lock_guard lock(mutex);
  if (auto known = objects->find(key); known != objects->end()) {
    std::promise<std::string> object;
    object.set_value(known->second);
    return object.get_future();
  }
  return startAside([&signature, &target, key = std::move(key)] {
    std::string object = buildEntryObject(signature, target);
    std::lock_guard lock(mutex);
    if (objects->size() == kMost)
      objects->clear();
    return (*objects)[key] = std::move(object);
  });
}

/// One compile: looks up the result or makes it.
class Compilation {
public:
  Compilation(std::vector<dsl::Program> traced, const CompileOptions &options)
      : owned(std::move(traced)), programs(*owned), options(options) {
    for (const dsl::Program &program : programs)
      targets.insert(targets.end(), program.targets().begin(), program.targets().end());
    joinAccesses(programs);
    compiled->signature = programs.front().signature(); // with the equalities that tracing added
    for (const dsl::Program &program : llvm::drop_begin(programs))
      if (packSignature(program.signature()) != packSignature(compiled->signature))
        throw makeError(Diagnostic::TargetsDiffer, {{"function", compiled->signature.str()},
                                                    {"target", targets.front().str()},
                                                    {"other", program.targets().front().str()},
                                                    {"what", "demands on its arguments"}});
    for (const dsl::Program &program : programs)
      if (std::string places = lower::placesText(program); !places.empty())
        compiled->places = std::move(places);
    compiled->host = options.host;
    compiled->optLevel = options.optLevel;
    compiled->assemblerOptions = splitWords(options.assemblerOptions);
    compiled->useCache = options.cache && !asksForLog(compiled->assemblerOptions);
    compiled->lineInfo = options.lineInfo;
  }

  std::shared_ptr<const Artifact> run() {
    if (!find()) {
      try {
        make();
      } catch (const lower::Crash &crash) {
        reportCrash(crash, compiled->signature.str(), targets, optionText(), key.program);
      }
      keep();
    }
    recordCode(*compiled);
    auto artifact = std::make_unique<Artifact::Impl>(compiled);
    artifact->deviceModule = std::move(deviceModule);
    artifact->cached = cached;
    artifact->phases = timer.phases();
    return std::make_shared<const Artifact>(std::move(artifact));
  }

private:
  bool find() {
    if (compiled->useCache) {
      cache.emplace("programs");
      key = compileKey(programs, targets, options);
      if (!key.digest.empty() && (read(key.digest) || readOfAnyTools()))
        return cached = true;
      timer.lap("cache");
    }
    if (Cache::neverCompile())
      throw makeError(Diagnostic::NeverCompile,
                      {{"function", compiled->signature.str()},
                       {"targets", joinTargets(targets)},
                       {"folders", cache ? cache->places() : "turned off"}});
    if (cache)
      if (std::optional<std::string> other = cache->awaitOther(key.digest); other && unpack(*other))
        return cached = true;
    return false;
  }

  /// If a tool is missing, or compiling is not allowed, looks for an entry that was compiled with
  /// other tools. This brings entries to machines without a toolkit.
  bool readOfAnyTools() {
    if (key.anyTools.empty() || !(key.lacksTools || Cache::neverCompile()))
      return false;
    std::optional<std::string> other = cache->get(key.anyTools);
    return (other && read(*other)) || (key.withoutTools != key.digest && read(key.withoutTools));
  }

  void keep() {
    if (!cache || key.digest.empty())
      return;
    double milliseconds = 0;
    for (const auto &phase : timer.phases())
      milliseconds += phase.milliseconds;
    const std::string label =
        compiled->signature.str() + " for " + joinTargets(compiled->targets());
    cache->put(key.digest, packFields(compiled->pack()), label, milliseconds * 1e-3);
    if (key.digest != key.withoutTools && !key.lacksTools)
      cache->put(key.anyTools, key.digest, label + ", for machines without its tools");
  }

  bool read(const std::string &digest) {
    std::optional<std::string> bytes = cache->get(digest);
    return bytes && unpack(*bytes);
  }

  bool unpack(const std::string &bytes) {
    auto fields = unpackFields(bytes);
    if (!fields || !compiled->unpack(*fields))
      return false;
    timer.lap("cache");
    return true;
  }

  void make() {
    // Code for a level of the CPU's is behind the check whether this machine has it.
    if (targets.size() == 1 && options.host.empty() && !targets.front().cpuLevel())
      makeHere();
    else
      makeJoined();
  }

  /// For one target, to be run here: what does not depend on one another is compiled at once.
  void makeHere() {
    CompileOptions variantOptions = options;
    variantOptions.target = targets.front();
    auto entry = startEntry(compiled->signature, variantOptions.target);
    const auto &lowering = lower::TargetLowering::get(variantOptions.target);
    lower::Kept<lower::Lowered> kept(
        lowerProgram(lowering, programs.front(), variantOptions, timer));
    lower::Lowered &lowered = *kept;
    compiled->variants.push_back(variantOf(variantOptions.target, lowered));
    Variant &variant = compiled->variants.back();
    compiled->code.kernels = variant.device.kernels;
    auto buildProgram = [&] { // changes the module: only once
      if (variant.isOptimised)
        variant.bitcode = writeBitcode(*lowered.module);
      else
        leaveForLater(*lowered.module);
      return buildProgramObject(*lowered.module, variantOptions.target);
    };
    if (variant.device.ptx.empty()) {
      lowering.optimize(lowered, variantOptions);
      timer.lap("optimise");
      compiled->code.objects = {buildProgram(), entry.get()};
    } else {
      auto host = startAside([&] {
        lowering.optimize(lowered, variantOptions);
        return buildProgram();
      });
      compiled->code.images = compiled->liveImages();
      timer.lap("assemble");
      loadDeviceCode();
      timer.lap("load device code");
      compiled->code.objects = {host.get(), entry.get()};
    }
    timer.lap("codegen");
  }

  /// If there is no ptxas, the driver compiles PTX as it loads it. An image that it refuses is
  /// refused again when the artifact is loaded, with an error.
  void loadDeviceCode() {
    if (!runsOnDeviceHere(targets, options.host))
      return;
    deviceModule = std::make_unique<DeviceModule>(compiled->signature.name, compiled->code.images,
                                                  compiled->code.kernels);
    TVMFFIObjectHandle error = nullptr;
    if (FairleadCudaModuleLoad(&deviceModule->module, 0) != 0)
      TVMFFIErrorMoveFromRaised(&error);
    if (error)
      TVMFFIObjectDecRef(error);
  }

  void makeJoined() {
    for (dsl::Program &program : programs) {
      std::optional<lower::ProgramCopies> copies;
      if (program.targets().size() > 1)
        copies.emplace(program);
      for (const Target &target : program.targets()) {
        if (copies && !(target == program.targets().front()))
          copies->restore();
        addVariant(program, target);
      }
    }
    compiled->code.objects = {compiled->joined()};
    timer.lap("codegen");
  }

  std::string optionText() const {
    return "-O" + std::to_string(options.optLevel) + " --host=" + options.host +
           (options.lineInfo ? " --lines" : "") + (options.fuseMultiplyAdds ? "" : " --no-fmad") +
           " " + options.assemblerOptions;
  }

  void addVariant(dsl::Program &program, const Target &target) {
    CompileOptions variantOptions = options;
    variantOptions.target = target;
    const auto &lowering = lower::TargetLowering::get(target);
    lower::Kept<lower::Lowered> kept(lowerProgram(lowering, program, variantOptions, timer));
    lower::Lowered &lowered = *kept;
    Variant variant = variantOf(target, lowered);
    if (variant.isOptimised) {
      lowering.optimize(lowered, variantOptions);
      variant.bitcode = writeBitcode(*lowered.module);
    }
    requireSameHost(compiled->signature, compiled->variants, variant);
    compiled->variants.push_back(std::move(variant));
    timer.lap("optimise");
  }

  lower::Kept<std::vector<dsl::Program>> owned;
  std::vector<dsl::Program> &programs;
  const CompileOptions &options;
  std::vector<Target> targets;
  std::shared_ptr<TracedProgram> compiled = std::make_shared<TracedProgram>();
  std::optional<Cache> cache;
  CompileKey key;
  std::unique_ptr<DeviceModule> deviceModule;
  bool cached = false;
  lower::PhaseTimer timer;
};

} // namespace

std::shared_ptr<const Artifact> compile(dsl::Program program, const CompileOptions &options) {
  std::vector<dsl::Program> programs;
  programs.push_back(std::move(program));
  return compile(std::move(programs), options);
}

std::shared_ptr<const Artifact> compile(std::vector<dsl::Program> programs,
                                        const CompileOptions &options) {
  for (dsl::Program &program : programs)
    dsl::raisePipelineMistakes(program);
  return Compilation(std::move(programs), options).run();
}

} // namespace fairlead
