#include "artifact/TracedProgram.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <sstream>
#include <utility>

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "artifact/CrashReport.h"
#include "artifact/LaterKernels.h"
#include "base/Sha256.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Device.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/HostMachine.h"
#include "lower/machine/MachineCode.h"
#include "tvm/ffi/extra/json.h"

namespace fairlead {
namespace {

/// True if the kernels of the variant are a device image.
bool hasImage(const Variant &variant) { return variant.target.info().kernelsInImages; }

} // namespace

std::vector<std::string> splitWords(const std::string &text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool asksForLog(const std::vector<std::string> &assemblerOptions) {
  static constexpr std::string_view kOptions[] = {"-v",
                                                  "--verbose",
                                                  "-warn-spills",
                                                  "--warn-on-spills",
                                                  "-warn-lmem-usage",
                                                  "--warn-on-local-memory-usage"};
  return std::any_of(
      assemblerOptions.begin(), assemblerOptions.end(), [](const std::string &option) {
        return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
      });
}

/// Machine code of a variant's PTX. Where no assembler takes it: "", or an error if it is required.
/// It takes tens of milliseconds, and is kept in the cache.
std::string TracedProgram::assemble(const Variant &variant, bool required) const {
  std::vector<std::string> options = assemblerOptions;
  if (lineInfo)
    options.push_back("-lineinfo");
  const std::string &ptx = variant.device.ptx, &arch = variant.target.arch;
  std::optional<Cache> cache;
  std::string digest;
  if (useCache) {
    cache.emplace("cubins");
    CacheKey key;
    key.add("cubin 3").add(cuda::assemblerIdentity()).add(arch).add(ptx);
    for (const std::string &option : options)
      key.add(option);
    digest = key.digest();
    if (std::optional<std::string> cached = cache->get(digest))
      return std::move(*cached);
  }
  cuda::Assembled assembled = cuda::assemblePtx(ptx, arch, options);
  if (assembled.cubin.empty() && required)
    throw makeError(Diagnostic::ToolFailed, {{"what", "assembling the kernels"},
                                             {"function", signature.name},
                                             {"message", assembled.error}});
  if (!assemblerOptions.empty() && !assembled.log.empty())
    printLog(arch, assembled.log);
  if (!assembled.cubin.empty() && cache)
    cache->put(digest, assembled.cubin, "machine code for " + arch);
  return std::move(assembled.cubin);
}

void TracedProgram::printLog(const std::string &arch, const std::string &log) const {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (logged.insert(arch).second)
    llvm::errs() << log;
}

std::vector<Target> TracedProgram::targets() const {
  std::vector<Target> targets;
  for (const Variant &variant : variants)
    targets.push_back(variant.target);
  return targets;
}

bool TracedProgram::hasKernels() const {
  return std::any_of(variants.begin(), variants.end(),
                     [](const Variant &variant) { return !variant.device.kernels.empty(); });
}

const std::string &TracedProgram::ptx() const {
  static const std::string *none = new std::string;
  for (const Variant &variant : variants)
    if (!variant.device.ptx.empty())
      return variant.device.ptx;
  return *none;
}

bool TracedProgram::assembles() const { return assemblesFor(targets()); }

std::vector<DeviceImage> TracedProgram::images(bool forExport) const {
  const bool required = !assemblerOptions.empty();
  const bool machineCode =
      forExport || required || assembles() || runsOnDeviceHere(targets(), host);
  const auto numImages = std::count_if(variants.begin(), variants.end(), hasImage);
  std::vector<DeviceImage> cubins, texts;
  for (const Variant &variant : variants) {
    if (!hasImage(variant) || variant.device.ptx.empty())
      continue;
    const std::string &arch = variant.target.arch;
    std::string cubin;
    if (machineCode && arch.starts_with("sm_"))
      cubin = assemble(variant, required);
    // Machine code loads faster, and on drivers older than the PTX. Add PTX for later devices to a
    // single target; a list of targets names its PTX itself. Never add it to sm_90a and the like,
    // which have no later devices.
    const bool isExact = std::isalpha(static_cast<unsigned char>(arch.back()));
    if (cubin.empty() || (numImages == 1 && !isExact))
      texts.push_back({ptxArch(arch), variant.device.ptx});
    if (!cubin.empty())
      cubins.push_back({arch, std::move(cubin)});
  }
  cubins.insert(cubins.end(), std::make_move_iterator(texts.begin()),
                std::make_move_iterator(texts.end()));
  return cubins;
}

std::unique_ptr<llvm::Module> TracedProgram::parse(llvm::LLVMContext &context,
                                                   const std::string &bitcode) const {
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "fairlead"), context);
  if (!module)
    throw makeError(Diagnostic::CompileFailed, {{"stage", "reading of the artifact"},
                                                {"message", llvm::toString(module.takeError())}});
  return std::move(*module);
}

std::unique_ptr<llvm::Module> TracedProgram::parseOptimised(llvm::LLVMContext &context,
                                                            const Variant &variant) const {
  std::unique_ptr<llvm::Module> module = parse(context, variant.bitcode);
  if (!variant.isOptimised)
    lower::optimizeForHost(*module, optLevel, lower::HostMachine::of(host, variant.target));
  return module;
}

std::string TracedProgram::ir() const {
  auto owned = lower::makeContext();
  llvm::LLVMContext &context = *owned;
  std::string text;
  llvm::raw_string_ostream stream(text);
  // The host programs of device images are all the same.
  bool printed = false;
  for (const Variant &variant : variants) {
    if (hasImage(variant) && std::exchange(printed, true))
      continue;
    parseOptimised(context, variant)->print(stream, nullptr);
  }
  return text;
}

bool TracedProgram::addPortable(llvm::LLVMContext &context, const Variant &variant,
                                std::vector<std::unique_ptr<llvm::Module>> &modules,
                                std::vector<HostVariant> &hosts) const {
  if (variant.isOptimised)
    return false;
  if (!lower::HostMachine::native().isX86()) { // one level: the processor's base
    modules.push_back(parse(context, variant.bitcode));
    lower::optimizeForHost(*modules.back(), optLevel, lower::HostMachine::portable());
    hosts.push_back({variant.target, modules.back().get()});
    return true;
  }
  for (const Target &level : Target::parseList("cpu:any", "")) {
    // A list may name the level too.
    if (std::any_of(variants.begin(), variants.end(),
                    [&](const Variant &other) { return other.target == level; }))
      continue;
    modules.push_back(parse(context, variant.bitcode));
    lower::optimizeForHost(*modules.back(), optLevel, lower::HostMachine::of(host, level));
    hosts.push_back({level, modules.back().get()});
  }
  return true;
}

std::string TracedProgram::cubin() const {
  for (const Variant &variant : variants)
    if (!variant.device.ptx.empty() && variant.target.arch.starts_with("sm_"))
      return assemble(variant, /*required=*/true);
  return "";
}

std::string TracedProgram::assembly() const {
  std::string text;
  lower::Kept<std::unique_ptr<llvm::LLVMContext>> context(lower::makeContext());
  for (const Variant &variant : variants) {
    if (hasImage(variant))
      continue;
    lower::Kept<std::unique_ptr<llvm::Module>> parsed(parseOptimised(**context, variant));
    std::unique_ptr<llvm::Module> &module = *parsed;
    selectFast(*module);
    text += reported(signature.str(), targets(), [&] {
      return lower::emitAssembly(*module, lower::HostMachine::of(host, variant.target));
    });
  }
  return text;
}

std::string TracedProgram::laterObject() const {
  const Variant &variant = variants.front(); // programs for several targets leave nothing
  lower::Kept<std::unique_ptr<llvm::LLVMContext>> context(lower::makeContext());
  lower::Kept<std::unique_ptr<llvm::Module>> parsed(parse(**context, variant.bitcode));
  llvm::Module &module = **parsed;
  keepLaterKernels(module);
  for (llvm::Function &function : module) { // now they are worth it
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
  return reported(signature.str(), targets(), [&] {
    lower::optimizeForHost(module, optLevel, lower::HostMachine::of(host, variant.target));
    return buildProgramObject(module, variant.target);
  });
}

bool runsOnDeviceHere(const std::vector<Target> &targets, const std::string &host) {
  return targets.size() == 1 && host.empty() && targets.front().info().kernelsInImages &&
         targets.front().arch == cuda::deviceArch(0);
}

std::vector<DeviceImage> TracedProgram::liveImages() const { return images(/*forExport=*/false); }

std::string TracedProgram::build(const std::string &symbol, bool forExport,
                                 ExportExtras extras) const {
  return reported(signature.str(), targets(),
                  [&] { return buildUnreported(symbol, forExport, std::move(extras)); });
}

/// Returns the table of places with the names of files alone: exports from other folders are equal.
static std::string withoutFolders(const std::string &places) {
  std::string names;
  for (llvm::StringRef rest = places; !rest.empty();) {
    auto [place, others] = rest.split('\x1e');
    auto [file, line] = place.split('\x1f');
    names += (file.substr(file.rfind('/') + 1) + "\x1f" + line + "\x1e").str();
    rest = others;
  }
  return names;
}

std::string TracedProgram::buildUnreported(const std::string &symbol, bool forExport,
                                           ExportExtras extras) const {
  std::vector<DeviceImage> deviceImages = images(forExport);
  struct Parsed { // the context outlives the modules
    std::unique_ptr<llvm::LLVMContext> context;
    std::vector<std::unique_ptr<llvm::Module>> modules = {};
  };
  lower::Kept<Parsed> kept(lower::makeContext());
  llvm::LLVMContext &context = *kept->context;
  std::vector<std::unique_ptr<llvm::Module>> &parsed = kept->modules;
  std::vector<HostVariant> hosts;
  const std::vector<std::string> *kernels = nullptr;
  for (const Variant &variant : variants) {
    if (hasImage(variant)) {
      if (kernels)
        continue;
      kernels = &variant.device.kernels;
    }
    if (forExport && addPortable(context, variant, parsed, hosts))
      continue;
    parsed.push_back(parseOptimised(context, variant));
    hosts.push_back({variant.target, parsed.back().get()});
  }
  static const std::vector<std::string> *none = new std::vector<std::string>;
  std::vector<Target> all = targets();
  // The entry, too, must run on every machine of the kind.
  const bool isPortable = forExport && host.empty() && !lower::HostMachine::native().isX86();
  const std::string forHost = isPortable ? lower::HostMachine::portable().triple : host;
  return buildObject(hosts,
                     {signature,
                      all,
                      forHost,
                      std::move(deviceImages),
                      kernels ? *kernels : *none,
                      {},
                      std::move(extras),
                      forExport ? std::optional(withoutFolders(places)) : std::nullopt},
                     symbol);
}

std::vector<KernelShared> TracedProgram::sharedMemory() const {
  std::vector<KernelShared> shared;
  auto variant = std::find_if(variants.begin(), variants.end(), hasImage);
  if (variant != variants.end())
    for (size_t i = 0; i < variant->device.sharedBytes.size(); ++i)
      shared.push_back({variant->device.kernels[i], variant->device.sharedBytes[i]});
  return shared;
}

std::string TracedProgram::joined() const { return build(signature.name, false, {}); }

std::string TracedProgram::object() const {
  return code.objects.size() == 1 ? code.objects.front() : joined();
}

ExportFacts TracedProgram::facts() const {
  Sha256 source;
  // For code compiled for this machine, use its source: exports are the same on every machine.
  for (const Variant &variant : variants)
    for (const std::string *part : {&variant.bitcode, &variant.device.ptx})
      source.add(std::to_string(part->size()) + " " + *part);
  using tvm::ffi::json::Stringify;
  tvm::ffi::json::Array writes;
  for (int argument : signature.writtenArguments())
    writes.push_back(argument);
  tvm::ffi::json::Object accesses;
  for (const Param &param : signature.params)
    if (const MemoryAccess *access = param.access())
      accesses.Set(param.name, std::string(access->name()));
  ExportFacts facts{
      {"options", Stringify(tvm::ffi::json::Object{{"opt_level", optLevel}})},
      {"source", Stringify(toHex(source.finish()))},
      {"writes", Stringify(writes)},
      {"accesses", Stringify(accesses)},
  };
  if (!host.empty())
    facts.emplace_back("host", Stringify(host));
  if (std::any_of(variants.begin(), variants.end(), hasImage))
    facts.emplace_back("cuda", Stringify("12.0")); // the oldest driver that the runtime takes
  tvm::ffi::json::Object shared;
  for (const KernelShared &kernel : sharedMemory())
    if (kernel.bytes >= 0)
      shared.Set(kernel.name, kernel.bytes);
  if (!shared.empty())
    facts.emplace_back("dynamic_shared", Stringify(shared));
  return facts;
}

std::string TracedProgram::exported(const std::string &symbol, const ExportExtras &extras) const {
  ExportExtras all = extras;
  for (auto &fact : facts())
    all.facts.push_back(std::move(fact));
  return build(symbol, true, std::move(all));
}

std::vector<std::string> TracedProgram::pack() const {
  std::vector<std::string> fields{code.pack()};
  for (const Variant &variant : variants) {
    fields.push_back(variant.target.str());
    fields.push_back(variant.bitcode);
    fields.push_back(variant.device.ptx);
    fields.push_back(packFields(variant.device.kernels));
    std::vector<std::string> sharedBytes;
    for (int64_t bytes : variant.device.sharedBytes)
      sharedBytes.push_back(std::to_string(bytes));
    fields.push_back(packFields(sharedBytes));
    fields.push_back(variant.isOptimised ? "1" : "0");
  }
  return fields;
}

bool TracedProgram::unpack(const std::vector<std::string> &fields) {
  constexpr size_t kFields = 6; // of a variant
  if (fields.size() < 2 || fields.size() % kFields != 1)
    return false;
  std::optional<ProgramCode> unpacked = ProgramCode::unpack(fields.front());
  if (!unpacked)
    return false;
  std::vector<Variant> all;
  for (size_t i = 1; i < fields.size(); i += kFields) {
    auto kernels = unpackFields(fields[i + 3]), numbers = unpackFields(fields[i + 4]);
    if (!kernels || !numbers)
      return false;
    std::vector<int64_t> sharedBytes;
    for (const std::string &number : *numbers)
      sharedBytes.push_back(std::strtoll(number.c_str(), nullptr, 10));
    all.push_back({Target::parse(fields[i], "the cache"),
                   fields[i + 1],
                   {fields[i + 2], std::move(*kernels), std::move(sharedBytes)},
                   fields[i + 5] == "1"});
  }
  code = std::move(*unpacked);
  variants = std::move(all);
  return true;
}

} // namespace fairlead
