#include "artifact/ObjectBuilder.h"

#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include "dlpack/dlpack.h"
#include "dsl/trace/Symbols.h"
#include "entry/Entry.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/Runtime.h"
#include "lower/Lowering.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/MachineCode.h"

namespace fairlead {

void selectFast(llvm::Module &module) {
  // Kernels are where the time of a call goes; the code around them is selected fast.
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute(lower::kKernelAttribute)) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
    }
}

bool assemblesFor(const std::vector<Target> &targets) { return targets.size() > 1; }

namespace {

/// Moves all host programs into the module of the first, and makes one for each kind of device.
class HostJoiner {
public:
  HostJoiner(const std::vector<HostVariant> &hosts, const ObjectContents &contents)
      : hosts(hosts), contents(contents), module(*hosts.front().module) {}

  llvm::Module &join() {
    for (size_t i = 0; i < hosts.size(); ++i)
      add(hosts[i], "host." + std::to_string(i));
    // Several objects may be linked into one library: only the exported names are global.
    for (const auto &[target, host] : programs) {
      host->setLinkage(llvm::GlobalValue::InternalLinkage);
      (target.info().kernelsInImages ? cuda : cpu) = host;
    }
    std::vector<entry::LevelProgram> levels;
    for (const auto &[target, host] : programs)
      if (const int level = target.cpuLevel())
        levels.push_back({level, host});
    if (!levels.empty()) {
      // Code compiled for this machine has at least this machine's level.
      const int here = contents.host.empty() ? FairleadCpuLevel() : 1;
      for (const auto &[target, host] : programs)
        if (target.isForThisMachine())
          levels.push_back({here, host});
      cpu = entry::emitLevelDispatch(module, contents.signature, levels,
                                     joinTargets(contents.targets));
    }
    return module;
  }

  llvm::Function *cpu = nullptr, *cuda = nullptr;

private:
  void add(const HostVariant &variant, const std::string &name) {
    variant.module->getFunction(dsl::kHostSymbol)->setName(name);
    if (variant.module != &module &&
        llvm::Linker::linkModules(module, llvm::CloneModule(*variant.module)))
      throw makeError(Diagnostic::CompileFailed,
                      {{"stage", "joining of the targets' code"}, {"message", name}});
    programs.emplace_back(variant.target, module.getFunction(name));
  }

  const std::vector<HostVariant> &hosts;
  const ObjectContents &contents;
  llvm::Module &module;
  std::vector<std::pair<Target, llvm::Function *>> programs;
};

entry::EntryOptions entryOptions(const std::vector<Target> &targets) {
  return {targets.front().info().deviceType, joinTargets(targets)};
}

void emitEntries(llvm::Module &module, const HostJoiner &joined, const ObjectContents &contents,
                 const std::string &symbol, llvm::GlobalVariable *deviceModule) {
  entry::EntryOptions options = entryOptions(contents.targets);
  options.facts = exportedFacts(contents.signature, symbol, contents.extras.facts);
  options.requireData = !contents.extras.plainC;
  if (!joined.cpu || !joined.cuda) {
    entry::emitEntry(module, contents.signature, joined.cpu ? joined.cpu : joined.cuda, symbol,
                     options);
  } else {
    auto emit = [&](llvm::Function *host, DLDeviceType device, const char *suffix,
                    const char *where) {
      entry::EntryOptions deviceOptions = options;
      deviceOptions.deviceType = device;
      deviceOptions.targets +=
          std::string(" (in one call all on one kind of device, which is ") + where + " here)";
      llvm::Function *made =
          entry::emitEntry(module, contents.signature, host, symbol + suffix, deviceOptions);
      made->setLinkage(llvm::GlobalValue::InternalLinkage);
      return made;
    };
    entry::DeviceEntries entries{emit(joined.cpu, kDLCPU, ".cpu", "the CPU"),
                                 emit(joined.cuda, kDLCUDA, ".cuda", "CUDA")};
    entry::emitDeviceDispatch(module, contents.signature, entries, symbol, options);
  }
  if (contents.extras.plainC)
    entry::emitPlainFunction(module, contents.signature, symbol, options,
                             plainDigest(contents.signature, symbol, contents.extras.facts),
                             deviceModule);
  else {
    entry::emitMetadata(module, contents.signature, symbol, options);
    entry::emitXlaHandler(module, contents.signature, symbol,
                          joined.cpu && joined.cuda ? 0 : options.deviceType);
    entry::emitTorchOperators(module, symbol, options);
  }
}

/// The machine that the object as a whole is compiled for; host programs may have their own
/// machine.
lower::HostMachine commonMachine(const std::vector<HostVariant> &hosts,
                                 const ObjectContents &contents) {
  if (hosts.size() == 1)
    return lower::HostMachine::of(contents.host, contents.targets.front());
  return lower::HostMachine::portable(contents.host);
}

/// Defines the table of places of the program if its code refers to it.
void definePlaces(llvm::Module &module, const std::string &places) {
  llvm::GlobalVariable *declared = module.getGlobalVariable(dsl::kPlacesSymbol);
  if (!declared)
    return;
  llvm::Constant *text = llvm::ConstantDataArray::getString(module.getContext(), places);
  auto *defined = new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                           llvm::GlobalValue::PrivateLinkage, text);
  declared->replaceAllUsesWith(defined);
  declared->eraseFromParent();
}

/// Each local name costs a symbol of the object; profilers want those of kernels.
void dropLocalNames(llvm::Module &module) {
  for (llvm::GlobalValue &value : module.global_values()) {
    auto *function = llvm::dyn_cast<llvm::Function>(&value);
    if (value.hasInternalLinkage() &&
        !(function && function->hasFnAttribute(lower::kKernelAttribute)))
      value.setLinkage(llvm::GlobalValue::PrivateLinkage);
  }
}

} // namespace

std::string buildEntryObject(const Signature &signature, const Target &target) {
  lower::Kept<std::unique_ptr<llvm::LLVMContext>> owned(lower::makeContext());
  llvm::LLVMContext &context = **owned;
  lower::Kept<llvm::Module> made("entry", context);
  llvm::Module &module = *made;
  auto *host = llvm::Function::Create(entry::hostType(context, signature),
                                      llvm::GlobalValue::ExternalLinkage, dsl::kHostSymbol, module);
  const entry::EntryOptions options = entryOptions({target});
  entry::emitEntry(module, signature, host, signature.name, options);
  entry::emitMetadata(module, signature, signature.name, options);
  const lower::HostMachine machine = lower::HostMachine::of("", target);
  lower::optimizeForHost(module, 0, machine);
  selectFast(module);
  return lower::emitObject(module, machine);
}

std::string buildProgramObject(llvm::Module &module, const Target &target) {
  selectFast(module);
  return lower::emitObject(module, lower::HostMachine::of("", target));
}

std::string buildObject(const std::vector<HostVariant> &hosts, const ObjectContents &contents,
                        const std::string &symbol) {
  HostJoiner joined(hosts, contents);
  llvm::Module &module = joined.join();
  llvm::GlobalVariable *deviceModule =
      joined.cuda ? defineCudaModule(module, contents, symbol) : nullptr;
  emitEntries(module, joined, contents, symbol, deviceModule);
  entry::bindLevelDispatch(module);
  if (contents.places)
    definePlaces(module, *contents.places);
  selectFast(module);
  if (contents.extras.plainC)
    dropLocalNames(module);
  return lower::emitObject(module, commonMachine(hosts, contents));
}

} // namespace fairlead
