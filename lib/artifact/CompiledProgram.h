/// A program after lowering, kept in a form that objects under any name are made from.
#ifndef FAIRLEAD_LIB_ARTIFACT_COMPILEDPROGRAM_H_
#define FAIRLEAD_LIB_ARTIFACT_COMPILEDPROGRAM_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "artifact/LiveCode.h"
#include "artifact/ObjectBuilder.h"
#include "fairlead/Compile.h"
#include "lower/Lowering.h"

namespace fairlead {

/// The code for one target.
struct Variant {
  Target target;
  std::string bitcode; ///< the optimised host program, with the kernels in it for the CPU
  lower::DeviceCode device;
  std::string unoptimised; ///< lower::Lowered's
};

struct CompiledProgram {
  Signature signature;
  std::string host; ///< CompileOptions::host
  int optLevel = 3;
  bool useCache = true; ///< of what other tools make
  /// Of the assembler; not empty: objects hold machine code, and not making it is an error.
  std::vector<std::string> assemblerOptions;
  bool lineInfo = false; ///< line tables in machine code
  std::vector<Variant> variants;

  std::vector<Target> targets() const;
  bool hasKernels() const;
  /// PTX of the first variant that has some.
  const std::string &ptx() const;
  /// True when objects, even those that are only run here, hold machine code: then its assembler
  /// is part of what was compiled.
  bool assembles() const;

  /// The object under its own name.
  std::string buildHere() const;
  /// The images of code that runs here. For this machine's GPU they hold machine code if ptxas is
  /// found: the driver's own assembler would start sooner, but drivers of CUDA 13.0 (580.159) make
  /// wrong code of kernels that ptxas 13.0 assembles correctly.
  std::vector<DeviceImage> liveImages() const;
  /// The object to be saved. Throws fairlead::Error.
  std::string buildExport(const std::string &symbol, const ExportExtras &extras) const;
  /// "options" and "source" of an exported function's metadata.
  ExportFacts facts() const;
  /// LLVM IR of the host programs, with the CPU's kernels in them, as text.
  std::string ir() const;
  /// Artifact::cubin and Artifact::assembly.
  std::string cubin() const;
  std::string assembly() const;

  /// For the cache. `unpack` needs what comes before the variants filled in; false for other
  /// bytes.
  std::vector<std::string> pack() const;
  bool unpack(const std::vector<std::string> &fields, size_t from);

private:
  std::string assemble(const Variant &variant, bool required) const;
  std::vector<DeviceImage> images(bool forExport) const;
  std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context, const std::string &bitcode) const;
  /// Code for the very machine that compiled becomes code for every machine of its kind.
  bool addPortable(llvm::LLVMContext &context, const Variant &variant,
                   std::vector<std::unique_ptr<llvm::Module>> &modules,
                   std::vector<HostVariant> &hosts) const;
  std::string build(const std::string &symbol, bool forExport, ExportExtras extras) const;
  std::string buildUnreported(const std::string &symbol, bool forExport, ExportExtras extras) const;
};

/// Whether this machine's first GPU is all that the code is for.
bool runsOnDeviceHere(const std::vector<Target> &targets, const std::string &host);

/// The words of a text; quotes have no meaning.
std::vector<std::string> splitWords(const std::string &text);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_COMPILEDPROGRAM_H_
