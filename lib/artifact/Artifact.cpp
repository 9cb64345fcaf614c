/// Compiling a program, and what can be done with the result.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>

#include <unistd.h>

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/MemoryBuffer.h"

#include "artifact/Jit.h"
#include "artifact/ObjectBuilder.h"
#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Device.h"
#include "lower/Lowering.h"
#include "tvm/ffi/c_api.h"

namespace fairlead {

struct Artifact::Impl {
  Signature signature;
  Target target;
  /// The optimised host program before the entry was added: exports start from it.
  std::string bitcode;
  lower::DeviceCode device;
  std::string object;
  std::vector<Phase> phases;

  mutable std::mutex mutex;
  mutable void *loaded = nullptr;
  mutable double loadMilliseconds = 0;

  std::vector<DeviceImage> ptxImages() const {
    if (target.kind != Target::Kind::Cuda || device.ptx.empty())
      return {};
    return {{ptxArch(target.arch), device.ptx}};
  }

  std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context) const {
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "fairlead"), context);
    if (!module)
      throw makeError(Diagnostic::CompileFailed, {{"stage", "reading of the artifact"},
                                                  {"message", llvm::toString(module.takeError())}});
    return std::move(*module);
  }
};

Artifact::Artifact(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Artifact::~Artifact() = default;

const Signature &Artifact::signature() const { return impl_->signature; }
const Target &Artifact::target() const { return impl_->target; }
const std::string &Artifact::object() const { return impl_->object; }
const std::string &Artifact::ptx() const { return impl_->device.ptx; }

std::vector<Phase> Artifact::phases() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<Phase> phases = impl_->phases;
  if (impl_->loaded)
    phases.push_back({"load", impl_->loadMilliseconds});
  return phases;
}

std::string Artifact::ir() const {
  llvm::LLVMContext context;
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl_->parse(context)->print(stream, nullptr);
  return text;
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

void *Artifact::entry() const {
  std::lock_guard lock(impl_->mutex);
  if (impl_->loaded)
    return impl_->loaded;
  lower::PhaseTimer timer;
  const std::string &name = impl_->signature.name;
  auto fail = [&](const std::string &message) {
    throw makeError(Diagnostic::LoadFailed, {{"name", name}, {"message", message}});
  };
  bool cuda = impl_->target.kind == Target::Kind::Cuda;
  std::vector<std::string> symbols{"__tvm_ffi_" + name};
  if (cuda)
    symbols.push_back("__fairlead_load_" + name);
  auto addresses = loadObject(impl_->object, symbols);
  if (!addresses)
    fail(llvm::toString(addresses.takeError()));
  // Eagerly, so that the first call may lie inside a graph capture. Without a GPU the function can
  // still be exported.
  if (cuda && !impl_->device.kernels.empty() && cuda::deviceCount() > 0) {
    auto *load = reinterpret_cast<int32_t (*)(int32_t)>((*addresses)[1]);
    if (load(0) != 0)
      fail(takeRaisedMessage());
  }
  timer.lap("load");
  impl_->loadMilliseconds = timer.phases().front().milliseconds;
  impl_->loaded = addresses->front();
  return impl_->loaded;
}

static bool isIdentifier(const std::string &name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// Written beside the target and renamed, so that no reader meets half a file.
static void writeFile(const std::string &path, const std::string &bytes) {
  std::string temporary = path + ".tmp" + std::to_string(::getpid());
  auto fail = [&] {
    std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    throw makeError(Diagnostic::ExportPath, {{"path", path}, {"reason", reason}});
  };
  std::ofstream file(temporary, std::ios::binary);
  if (!file || !file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())) ||
      !file.flush())
    fail();
  file.close();
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    fail();
}

void Artifact::exportObject(const std::string &path, const std::string &functionName) const {
  if (!isIdentifier(functionName))
    throw makeError(Diagnostic::ExportName, {{"got", functionName}});
  std::vector<DeviceImage> images = impl_->ptxImages();
  if (!images.empty()) {
    // Machine code beside the PTX where an assembler is at hand: it loads faster, and on drivers
    // older than the PTX.
    cuda::Assembled assembled = cuda::assemblePtx(impl_->device.ptx, impl_->target.arch);
    if (!assembled.cubin.empty())
      images.insert(images.begin(), {impl_->target.arch, std::move(assembled.cubin)});
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = impl_->parse(context);
  writeFile(path,
            buildObject(*module,
                        {impl_->signature, impl_->target, std::move(images), impl_->device.kernels},
                        functionName));
}

std::shared_ptr<const Artifact> compile(dsl::Program program, const CompileOptions &options) {
  auto impl = std::make_unique<Artifact::Impl>();
  impl->target = options.target;
  lower::PhaseTimer timer;
  lower::Lowered lowered =
      lower::TargetLowering::get(options.target.kind).lower(program, options, timer);
  timer.lap("optimise");
  // Tracing may have added equalities: the signature is read after it.
  impl->signature = program.signature();
  impl->device = std::move(lowered.device);
  {
    llvm::raw_string_ostream stream(impl->bitcode);
    llvm::WriteBitcodeToFile(*lowered.module, stream);
  }
  impl->object = buildObject(
      *lowered.module, {impl->signature, impl->target, impl->ptxImages(), impl->device.kernels},
      impl->signature.name);
  timer.lap("codegen");
  impl->phases = timer.phases();
  return std::make_shared<const Artifact>(std::move(impl));
}

} // namespace fairlead
