/// Loading and exporting of artifacts.
#include <algorithm>
#include <utility>

#include "artifact/ArtifactImpl.h"
#include "artifact/FileWriter.h"
#include "artifact/ForeignEntry.h"
#include "artifact/TracedProgram.h"
#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/ElfFile.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Device.h"
#include "lower/PhaseTimer.h"
#include "tvm/ffi/c_api.h"

namespace fairlead {

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

} // namespace fairlead
