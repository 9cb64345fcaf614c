/// fairlead/Kernel.h: kernels that come with a signature and a launch.
#include "fairlead/Kernel.h"

#include <algorithm>

#include "llvm/Support/raw_ostream.h"

#include "artifact/ArtifactImpl.h"
#include "artifact/CompileKey.h"
#include "artifact/CrashReport.h"
#include "entry/Entry.h"
#include "entry/LaunchStub.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "foreign/Foreign.h"
#include "lower/Lowering.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/MachineCode.h"

namespace fairlead {
namespace {

/// A launch as one text, for the key of its object.
std::string launchText(const KernelLaunch &launch) {
  std::vector<std::string> fields = {launch.shared, launch.cooperative ? "cooperative" : "",
                                     launch.programmatic ? "programmatic" : ""};
  for (const std::vector<std::string> &list : {launch.grid, launch.block, launch.cluster})
    fields.push_back(packFields(list));
  if (launch.args)
    fields.push_back(packFields(*launch.args));
  return packFields(fields);
}

/// A kernel in CUDA C++, PTX or machine code, with its launch.
struct KernelProgram final : CompiledProgram {
  entry::LaunchPlan plan;
  Target target;
  std::string targetNames; ///< for messages: "cuda:sm_80, sm_90a"
  std::string doc;
  std::vector<DeviceImage> images;
  std::vector<std::string> kernels;  ///< symbols, each once
  std::vector<int> kernelOfInstance; ///< index in `kernels`
  std::string text;                  ///< PTX, if an image is that

  std::vector<Target> targets() const override { return {target}; }
  bool hasKernels() const override { return true; }
  const std::string &ptx() const override { return text; }

  std::string exported(const std::string &symbol, const ExportExtras &extras) const override {
    return build(symbol, extras);
  }

  std::string save() const override {
    throw makeError(Diagnostic::ArtifactBytes,
                    {{"reason", "`" + signature.name +
                                    "` is no compiled program: export it, and load the exported "
                                    "file"}});
  }

  std::unique_ptr<llvm::Module> emit(llvm::LLVMContext &context, const std::string &symbol,
                                     const ExportExtras &extras = {}) const {
    auto module = std::make_unique<llvm::Module>("kernel", context);
    entry::EntryOptions options{kDLCUDA, targetNames,
                                doc.empty() ? signature.text() : signature.text() + "\n\n" + doc,
                                exportedFacts(signature, symbol, extras.facts), !extras.plainC};
    std::vector<llvm::Function *> entries;
    bool single = signature.numInstances() == 1;
    for (int i = 0; i < signature.numInstances(); ++i) {
      Signature instance = signature.instance(i);
      llvm::Function *host = entry::emitLaunchStub(*module, instance, plan, kernelOfInstance[i],
                                                   lower::kCudaModuleSymbol);
      std::string name = single ? symbol : symbol + "." + std::to_string(i);
      entries.push_back(entry::emitEntry(*module, instance, host, name, options));
      if (!single)
        entries.back()->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    if (!single)
      entry::emitDispatch(*module, signature, entries, symbol);
    const std::vector<Target> all{target};
    const std::string here;
    llvm::GlobalVariable *deviceModule =
        defineCudaModule(*module, {signature, all, here, images, kernels, needs()}, symbol);
    if (extras.plainC)
      entry::emitPlainFunction(*module, signature, symbol, options,
                               plainDigest(signature, symbol, extras.facts), deviceModule);
    else {
      entry::emitMetadata(*module, signature, symbol, options);
      entry::emitXlaHandler(*module, signature, symbol, options.deviceType);
      entry::emitTorchOperators(*module, symbol, options);
    }
    lower::optimizeForHost(*module, 0, lower::HostMachine::portable());
    return module;
  }

  std::string build(const std::string &symbol, const ExportExtras &extras = {}) const {
    lower::Kept<std::unique_ptr<llvm::LLVMContext>> context(lower::makeContext());
    return reported(signature.str(), {target}, [&] {
      lower::Kept<std::unique_ptr<llvm::Module>> module(emit(**context, symbol, extras));
      selectFast(**module);
      return lower::emitObject(**module, lower::HostMachine::portable());
    });
  }

  std::string ir() const override {
    auto owned = lower::makeContext();
    llvm::LLVMContext &context = *owned;
    std::string text;
    llvm::raw_string_ostream stream(text);
    emit(context, signature.name)->print(stream, nullptr);
    return text;
  }

  std::vector<KernelNeeds> needs() const {
    std::vector<KernelNeeds> needs(kernels.size());
    for (int i = 0; i < signature.numInstances(); ++i) {
      Signature instance = signature.instance(i);
      KernelNeeds &kernel = needs[kernelOfInstance[i]];
      kernel.paramSizes.clear();
      for (const KernelArgument &argument : plan.args)
        kernel.paramSizes.push_back(entry::argumentSize(argument, instance));
      if (plan.sharedBytes.kind == Expression::Kind::Constant)
        kernel.sharedBytes = static_cast<int32_t>(plan.sharedBytes.constant);
    }
    return needs;
  }

  std::vector<KernelShared> sharedMemory() const override {
    const bool isKnown = plan.sharedBytes.kind == Expression::Kind::Constant;
    std::vector<KernelShared> shared;
    for (const std::string &kernel : kernels)
      shared.push_back({kernel, isKnown ? plan.sharedBytes.constant : -1});
    return shared;
  }

  /// The key of the object: covers everything that changes a byte of it.
  std::string key(const std::string &launchText) const {
    CacheKey key;
    key.add("object 4").add(buildIdentity()).add(lower::HostMachine::portable().str());
    key.add(signature.name).add(signature.text()).add(launchText);
    key.add(targetNames).add(doc).add(kernels);
    for (int kernel : kernelOfInstance)
      key.add(std::to_string(kernel));
    for (const Param &param : signature.params)
      if (const MemoryAccess *access = param.access())
        key.add(access->name());
    for (const DeviceImage &image : images)
      key.add(image.arch).add(image.data);
    return key.digest();
  }

  /// The object under the signature's own name, from the cache if it is there.
  std::string cachedObject(const std::string &launchText, bool useCache) const {
    if (!useCache)
      return build(signature.name);
    Cache cache("objects");
    std::string digest = key(launchText);
    if (std::optional<std::string> cached = cache.get(digest))
      return std::move(*cached);
    if (Cache::neverCompile())
      throw makeError(
          Diagnostic::NeverCompile,
          {{"function", signature.str()}, {"targets", targetNames}, {"folders", cache.places()}});
    if (std::optional<std::string> received = cache.awaitOther(digest))
      return std::move(*received);
    std::string object = build(signature.name);
    cache.put(digest, object, signature.str() + " for " + targetNames);
    return object;
  }

  /// The number of a kernel's symbol, which is added if new.
  int kernelNumber(const std::string &symbol) {
    auto position = std::find(kernels.begin(), kernels.end(), symbol);
    if (position == kernels.end())
      position = kernels.insert(position, symbol);
    return static_cast<int>(position - kernels.begin());
  }
};

/// The device images, and in `names` the kernels of the instances as the images know them.
std::vector<kernels::Image> collectImages(const std::vector<std::string> &sources,
                                          std::vector<std::string> &names,
                                          const KernelOptions &options) {
  std::vector<kernels::Image> images;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!kernels::isCudaText(sources[i])) {
      kernels::appendImages(images, sources[i], static_cast<int>(i), names.front());
      continue;
    }
    if (sources.size() > 1)
      throw makeError(Diagnostic::KernelOption,
                      {{"option", "the source"},
                       {"expected", "one CUDA C++ text, or images alone"},
                       {"got", std::to_string(sources.size()) + " sources with a text"}});
    kernels::Compiled compiled = kernels::compileText(sources[i], names, options);
    images = std::move(compiled.images);
    names = std::move(compiled.symbols);
  }
  return images;
}

} // namespace

std::shared_ptr<const Artifact> kernelArtifact(const std::vector<std::string> &sources,
                                               const std::string &name, const Signature &signature,
                                               const KernelLaunch &launch,
                                               const KernelOptions &options) {
  if (sources.empty() || sources.front().find_first_not_of(" \t\r\n") == std::string::npos)
    throw makeError(Diagnostic::KernelNoSource, {{"kernel", name}});
  lower::PhaseTimer timer;
  auto program = std::make_shared<KernelProgram>();
  program->signature = signature;
  program->plan = kernels::makePlan(signature, launch);
  program->doc = options.doc;
  std::vector<std::string> names, distinct;
  for (int i = 0; i < signature.numInstances(); ++i) {
    names.push_back(kernels::instanceName(name, signature, i));
    if (std::find(distinct.begin(), distinct.end(), names.back()) == distinct.end())
      distinct.push_back(names.back());
  }
  std::vector<std::string> symbols = distinct;
  std::vector<kernels::Image> images = collectImages(sources, symbols, options);
  timer.lap("images");
  for (int i = 0; i < signature.numInstances(); ++i) {
    auto position = std::find(distinct.begin(), distinct.end(), names[i]) - distinct.begin();
    program->kernelOfInstance.push_back(program->kernelNumber(
        kernels::resolveKernel(images, symbols[position], signature.instance(i), program->plan)));
  }
  kernels::noteWrites(program->signature, program->plan, program->kernels, sources);
  for (kernels::Image &image : images) {
    if (image.arch.starts_with("compute_") && program->text.empty() && image.kernelsKnown)
      program->text = image.data;
    program->targetNames += (program->targetNames.empty() ? "cuda:" : ", ") + image.arch;
    program->images.push_back({image.arch, std::move(image.data)});
  }
  program->target = Target::cuda(images.front().arch);
  program->code.objects = {program->cachedObject(launchText(launch), options.cache)};
  timer.lap("codegen");
  auto impl = std::make_unique<Artifact::Impl>(program);
  impl->phases = timer.phases();
  return std::make_shared<const Artifact>(std::move(impl));
}

tvm::ffi::Function kernel(const std::string &source, const std::string &name,
                          std::string_view signature, std::string_view launch,
                          const KernelOptions &options) {
  return makeFunction(kernelArtifact({source}, name, Signature::parse(signature),
                                     KernelLaunch::parse(launch), options));
}

} // namespace fairlead
