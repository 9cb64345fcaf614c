/// A traced program after lowering, kept in a form that objects under any name are made from.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/CompiledProgram.h"
#include "lower/Lowering.h"

namespace fairlead {

/// The code for one target.
struct Variant {
  Target target;
  std::string bitcode; ///< the host program, with the kernels in it for the CPU
  lower::DeviceCode device;
  /// False for lower::Lowered::unoptimised, which is optimised again when it is needed.
  bool isOptimised;
};

struct TracedProgram final : CompiledProgram {
  int optLevel = 3;
  bool useCache = true; ///< for the results of other tools
  /// If not empty, objects hold machine code, and failing to make it is an error.
  std::vector<std::string> assemblerOptions;
  bool lineInfo = false; ///< line tables in machine code
  std::vector<Variant> variants;

  std::vector<Target> targets() const override;
  bool hasKernels() const override;
  const std::string &ptx() const override;
  std::string object() const override;
  std::string laterObject() const override;
  std::string exported(const std::string &symbol, const ExportExtras &extras) const override;
  std::string ir() const override;
  std::string cubin() const override;
  std::string assembly() const override;
  std::string save() const override;
  std::vector<KernelShared> sharedMemory() const override;

  /// Links the variants into one object under the program's own name.
  std::string joined() const;
  /// Returns true if objects hold machine code even when they are only run here: the key of the
  /// cache then includes the assembler.
  bool assembles() const;
  /// Returns the images of code that runs here. For this machine's GPU they hold machine code if
  /// ptxas is found: the driver's own assembler would start sooner, but drivers of CUDA 13.0
  /// (580.159) make wrong code of kernels that ptxas 13.0 assembles correctly.
  std::vector<DeviceImage> liveImages() const;

  /// The code and the variants as fields, for the cache. `unpack` returns false for other fields,
  /// and needs the members before the variants.
  std::vector<std::string> pack() const;
  bool unpack(const std::vector<std::string> &fields);
  /// Returns what `save` gave. Throws fairlead::Error for other bytes and other processors.
  static std::shared_ptr<const TracedProgram> restore(std::string_view bytes);

private:
  std::string assemble(const Variant &variant, bool required) const;
  /// Prints the assembler's log for an architecture, the first time.
  void printLog(const std::string &arch, const std::string &log) const;
  std::vector<DeviceImage> images(bool forExport) const;
  ExportFacts facts() const;
  std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context, const std::string &bitcode) const;
  std::unique_ptr<llvm::Module> parseOptimised(llvm::LLVMContext &context,
                                               const Variant &variant) const;
  /// Code for the very machine that compiled becomes code for every machine of its kind.
  bool addPortable(llvm::LLVMContext &context, const Variant &variant,
                   std::vector<std::unique_ptr<llvm::Module>> &modules,
                   std::vector<HostVariant> &hosts) const;
  std::string build(const std::string &symbol, bool forExport, ExportExtras extras) const;
  std::string buildUnreported(const std::string &symbol, bool forExport, ExportExtras extras) const;

  mutable std::set<std::string> logged; ///< architectures
};

/// Returns true if the code is for this machine's first GPU alone.
bool runsOnDeviceHere(const std::vector<Target> &targets, const std::string &host);

/// True if options of the assembler ask it to print the use of registers and spills.
bool asksForLog(const std::vector<std::string> &assemblerOptions);

/// The words of a text; quotes have no meaning.
std::vector<std::string> splitWords(const std::string &text);

} // namespace fairlead
