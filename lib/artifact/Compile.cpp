/// compile: from a traced program to an artifact.
#include "fairlead/Compile.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/MemoryBuffer.h"

#include "artifact/ArtifactImpl.h"
#include "artifact/ObjectBuilder.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Assembler.h"
#include "lower/Lowering.h"

namespace fairlead {
namespace {

/// What compile keeps of a program for exports under other names.
struct CompiledProgram {
  Signature signature;
  Target target;
  /// The optimised host program before the entry was added: exports start from it.
  std::string bitcode;
  lower::DeviceCode device;

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

  std::string ir() const {
    llvm::LLVMContext context;
    std::string text;
    llvm::raw_string_ostream stream(text);
    parse(context)->print(stream, nullptr);
    return text;
  }

  std::string build(const std::string &symbol) const {
    std::vector<DeviceImage> images = ptxImages();
    if (!images.empty()) {
      // Machine code beside the PTX where an assembler is at hand: it loads faster, and on drivers
      // older than the PTX.
      cuda::Assembled assembled = cuda::assemblePtx(device.ptx, target.arch);
      if (!assembled.cubin.empty())
        images.insert(images.begin(), {target.arch, std::move(assembled.cubin)});
    }
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = parse(context);
    return buildObject(*module, {signature, target, std::move(images), device.kernels}, symbol);
  }
};

} // namespace

std::shared_ptr<const Artifact> compile(dsl::Program program, const CompileOptions &options) {
  auto kept = std::make_shared<CompiledProgram>();
  CompiledProgram &made = *kept;
  made.target = options.target;
  lower::PhaseTimer timer;
  lower::Lowered lowered =
      lower::TargetLowering::get(options.target.kind).lower(program, options, timer);
  timer.lap("optimise");
  // Tracing may have added equalities: the signature is read after it.
  made.signature = program.signature();
  made.device = std::move(lowered.device);
  {
    llvm::raw_string_ostream stream(made.bitcode);
    llvm::WriteBitcodeToFile(*lowered.module, stream);
  }
  auto impl = std::make_unique<Artifact::Impl>();
  impl->signature = made.signature;
  impl->target = made.target;
  impl->ptx = made.device.ptx;
  impl->hasKernels = !made.device.kernels.empty();
  impl->object = buildObject(*lowered.module,
                             {made.signature, made.target, made.ptxImages(), made.device.kernels},
                             made.signature.name);
  impl->build = [kept](const std::string &symbol) { return kept->build(symbol); };
  impl->ir = [kept] { return kept->ir(); };
  timer.lap("codegen");
  impl->phases = timer.phases();
  return std::make_shared<const Artifact>(std::move(impl));
}

} // namespace fairlead
