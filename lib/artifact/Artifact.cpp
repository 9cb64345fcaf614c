/// Loading and exporting of artifacts.
#include <algorithm>
#include <string>
#include <utility>

#include "artifact/ArtifactImpl.h"
#include "artifact/CompileKey.h"
#include "artifact/PlainExport.h"
#include "artifact/TracedProgram.h"
#include "base/Sha256.h"
#include "entry/RuntimeCalls.h"
#include "fairlead/Cache.h"
#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/ElfFile.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Device.h"
#include "fairlead/dsl/Function.h"
#include "lower/PhaseTimer.h"
#include "lower/machine/CrashGuard.h"
#include "lower/machine/HostMachine.h"
#include "lower/machine/MachineCode.h"
#include "signature/SignatureBytes.h"
#include "tvm/ffi/c_api.h"

namespace fairlead {
namespace {

/// An object for this machine that defines `__tvm_ffi_<symbol>`: every call raises HostForeign,
/// which names the machine that the function was compiled for.
std::string foreignEntryObject(const std::string &symbol, const std::string &host) {
  auto owned = lower::makeContext();
  llvm::LLVMContext &context = *owned;
  llvm::Module module("foreign", context);
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false),
      llvm::GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  entry::emitRaise(module, b, nullptr, Diagnostic::HostForeign,
                   {{"name", symbol},
                    {"expected", lower::HostMachine::of(host, {}).triple},
                    {"got", lower::HostMachine::native().triple}},
                   nullptr, nullptr);
  b.CreateRet(b.getInt32(static_cast<uint32_t>(-1)));
  lower::optimizeForHost(module, 0);
  return lower::emitObject(module);
}

} // namespace

Artifact::Artifact(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Artifact::~Artifact() = default;

const Signature &Artifact::signature() const { return impl_->program->signature; }
const Target &Artifact::target() const { return impl_->targets.front(); }
const std::vector<Target> &Artifact::targets() const { return impl_->targets; }
bool Artifact::cached() const { return impl_->cached; }
const std::string &Artifact::ptx() const { return impl_->program->ptx(); }

std::vector<Phase> Artifact::phases() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<Phase> phases = impl_->phases;
  if (impl_->loaded)
    phases.push_back({"load", impl_->loadMilliseconds});
  return phases;
}

const std::string &Artifact::object() const {
  std::lock_guard lock(impl_->mutex);
  if (!impl_->object)
    impl_->object = impl_->program->object();
  return *impl_->object;
}

std::vector<KernelShared> Artifact::sharedMemory() const { return impl_->program->sharedMemory(); }
std::string Artifact::ir() const { return impl_->program->ir(); }
std::string Artifact::assembly() const { return impl_->program->assembly(); }

std::string Artifact::cubin() const {
  std::lock_guard lock(impl_->mutex);
  if (impl_->cubin.empty())
    impl_->cubin = impl_->program->cubin();
  return impl_->cubin;
}

std::string Artifact::sass(const std::string &options) const {
  std::string machineCode = cubin();
  if (machineCode.empty())
    return "";
  cuda::Disassembled result = cuda::disassembleCubin(machineCode, splitWords(options));
  if (result.text.empty())
    throw makeError(Diagnostic::ToolFailed, {{"what", "disassembling the machine code"},
                                             {"function", impl_->program->signature.name},
                                             {"message", result.error}});
  return std::move(result.text);
}

/// Takes the raised error of the runtime out of the thread's slot, as text.
static std::string takeRaisedMessage() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (!error)
    return "unknown error";
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  std::string message(cell->message.data, cell->message.size);
  TVMFFIObjectDecRef(error);
  return message;
}

std::shared_ptr<const LoadedProgram> Artifact::Impl::load() const {
  std::lock_guard lock(mutex);
  if (loaded)
    return loaded;
  lower::PhaseTimer timer;
  const std::string &name = program->signature.name;
  auto fail = [&](const std::string &message) {
    throw makeError(Diagnostic::LoadFailed, {{"name", name}, {"message", message}});
  };
  auto hasImages = [](const Target &target) { return target.info().kernelsInImages; };
  const bool loadsImages = std::any_of(targets.begin(), targets.end(), hasImages);
  const bool needsDevice = std::all_of(targets.begin(), targets.end(), hasImages);
  const bool isForeign = !program->host.empty();
  ProgramCode refusal; // an entry that raises an error
  if (isForeign)
    refusal.objects = {foreignEntryObject(name, program->host)};
  auto newProgram = LoadedProgram::load(
      isForeign ? refusal : program->code, std::move(deviceModule), name,
      !isForeign && loadsImages && program->hasKernels(), isForeign ? nullptr : program);
  if (!newProgram)
    fail(llvm::toString(newProgram.takeError()));
  // Load now, so that the first call may be inside a graph capture. Without a GPU the function can
  // still be exported. With code for the CPU it runs regardless of the GPU.
  if ((*newProgram)->loadDevice && cuda::deviceCount() > 0 && (*newProgram)->loadDevice(0) != 0) {
    std::string reason = takeRaisedMessage();
    if (needsDevice)
      fail(reason);
  }
  timer.lap("load");
  loadMilliseconds = timer.phases().front().milliseconds;
  return loaded = std::move(*newProgram);
}

Artifact::Code Artifact::code() const {
  std::shared_ptr<const LoadedProgram> loaded = impl_->load();
  void *entry = loaded->entry;
  return {entry, std::move(loaded)};
}

void *Artifact::entry() const {
  std::shared_ptr<const LoadedProgram> loaded = impl_->load();
  std::lock_guard lock(impl_->mutex);
  if (!std::exchange(impl_->stays, true))
    new std::shared_ptr<const LoadedProgram>(loaded); // leaked: it stays
  return loaded->entry;
}

void Artifact::load(int device) const {
  std::shared_ptr<const LoadedProgram> loaded = impl_->load();
  if (!loaded->loadDevice)
    return;
  int last = device < 0 ? cuda::deviceCount() - 1 : device;
  for (int id = std::max(device, 0); id <= last; ++id)
    if (loaded->loadDevice(id) != 0)
      throw makeError(Diagnostic::LoadFailed,
                      {{"name", impl_->program->signature.name}, {"message", takeRaisedMessage()}});
}

std::vector<KernelAttributes> Artifact::kernelAttributes(int device) const {
  std::shared_ptr<const LoadedProgram> loaded = impl_->load();
  FairleadCudaModule *module = loaded->module ? &loaded->module->module : nullptr;
  std::vector<KernelAttributes> kernels;
  auto ask = [&](int32_t kernel, int32_t attribute) {
    int32_t value = 0;
    if (FairleadCudaKernelAttribute(module, device, kernel, attribute, &value) != 0)
      throw makeError(Diagnostic::LoadFailed,
                      {{"name", impl_->program->signature.name}, {"message", takeRaisedMessage()}});
    return value;
  };
  for (int32_t i = 0; module && i < module->num_kernels; ++i)
    kernels.push_back({module->kernels[i], ask(i, 4), ask(i, 1), ask(i, 3), ask(i, 0)});
  return kernels;
}

void Artifact::exportObject(const std::string &path, const std::string &functionName,
                            const ExportFacts &facts) const {
  if (!isIdentifier(functionName))
    throw makeError(Diagnostic::ExportName, {{"got", functionName}});
  std::string object = impl_->program->exported(functionName, {false, facts});
  writeFiles({{path, object + elfSeal(object)}});
}

// Artifacts as ABI functions.

tvm::ffi::Function makeFunction(std::shared_ptr<const Artifact> artifact) {
  // The function holds the code, and nothing else of the artifact: generated code ignores its
  // handle, which is there for its deleter.
  using Owner = std::shared_ptr<const void>;
  Artifact::Code code = artifact->code();
  auto owner = std::make_unique<Owner>(std::move(code.owner));
  auto function =
      tvm::ffi::Function::FromExternC(owner.get(), reinterpret_cast<TVMFFISafeCallType>(code.entry),
                                      [](void *self) { delete static_cast<Owner *>(self); });
  owner.release();
  return function;
}

// Artifacts as bytes.

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
