/// From a traced program to an artifact, and from an artifact to a function.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/Signature.h"
#include "fairlead/Target.h"
#include "fairlead/dsl/Program.h"

namespace fairlead {

struct CompileOptions {
  Target target;
  int optLevel = 3; ///< 0..3
  /// Several targets in one artifact, instead of `target`: each call runs the code that fits the
  /// device of its tensors best. A program without tensor arguments runs on the first one's kind.
  std::vector<Target> targets = {};
  /// For which machine host code is: "" for this one; "aarch64-unknown-linux-gnu", `linux-aarch64`,
  /// `llvm -mtriple=... [-mcpu=...] [-mattr=...]` for another, where the artifact can be exported
  /// and not run.
  std::string host = "";
  bool cache = true; ///< look the result up in the cache on disk, and keep it there (Cache.h)
  /// Line tables for debuggers and profilers, of the places that recordLocations noted while
  /// tracing (fairlead/dsl/Location.h).
  bool lineInfo = false;
  /// In kernels, `a * b + c`, `a * b - c` and `c - a * b` of Float32 and Float64 are rounded once,
  /// as fused multiply-adds, on every target alike; otherwise each operation is.
  bool fuseMultiplyAdds = true;
  /// For the assembler of CUDA targets with machine code, separated by spaces: "-maxrregcount=32".
  /// The code is then assembled at once, and not by the driver. What the assembler prints ("-v")
  /// goes to the standard error stream; a compile that asks for it takes nothing from the cache.
  std::string assemblerOptions = "";
  /// Checks to run while kernels run on the CPU, as for dsl::setChecks: "bounds,race", "none".
  /// compileArtifact of a dsl::JitFunction traces with them, by default with "guards" if a
  /// target is the CPU; compile takes programs that are already traced.
  std::string checks = "";
};

/// Milliseconds spent in one stage of a compile.
struct Phase {
  std::string name; ///< trace, lower, codegen, load
  double milliseconds;
};

/// More members of an exported function's metadata: a name and its JSON text, such as
/// {"doc", "\"Adds one.\""}.
using ExportFacts = std::vector<std::pair<std::string, std::string>>;

/// Attributes of a loaded kernel, as the driver reports them.
struct KernelAttributes {
  std::string name;
  int32_t registers;   ///< a thread's, of 32 bits
  int32_t sharedBytes; ///< of static shared memory, a block's
  int32_t localBytes;  ///< a thread's: registers that were spilled, and arrays
  int32_t maxThreads;  ///< of a block that can be launched
};

/// The dynamic shared memory of a kernel, as far as it is known before a launch.
struct KernelShared {
  std::string name;
  int64_t bytes; ///< the most that a launch asks for; -1 if a launch computes it
};

/// The result of a compile: the only object that is called, saved or loaded. Immutable, shared.
class FAIRLEAD_API Artifact {
public:
  ~Artifact();
  const Signature &signature() const;
  /// The first target.
  const Target &target() const;
  const std::vector<Target> &targets() const;
  /// True when the code came from the cache on disk.
  bool cached() const;
  /// A relocatable ELF object that defines `__tvm_ffi_<name>` and its metadata symbols.
  const std::string &object() const;
  /// PTX of the device code; empty for the CPU, and where a kernel came as machine code alone.
  const std::string &ptx() const;
  /// LLVM IR of the host program, with the kernels in it for the CPU, after optimisation.
  std::string ir() const;
  /// Machine code of the first CUDA target (an ELF file), assembled if it has not been; "" without
  /// such a target. Throws fairlead::Error if the assembler is missing or fails.
  std::string cubin() const;
  /// Output of nvdisasm for cubin(); "" without a CUDA target. Options are separated by spaces.
  /// Throws fairlead::Error if nvdisasm is missing or fails.
  std::string sass(const std::string &options = "-g -c") const;
  /// Assembly text of the host program with its kernels, of each CPU target; "" without one.
  std::string assembly() const;
  /// trace, lower, (ptx,) optimise, codegen; of a cached one: cache; and load once entry() was
  /// called.
  std::vector<Phase> phases() const;

  /// Loads the object into this process once, and its device code if the process has a device.
  /// Returns the address of `__tvm_ffi_<name>`, a TVMFFISafeCallType. Throws fairlead::Error. The
  /// code then stays for the life of the process, because the holders of the address are unknown;
  /// use code() or makeFunction for code that is unloaded.
  void *entry() const;
  /// The address of entry(), valid while a copy of `owner` exists. Once the last copy and the
  /// artifact are gone, the code is unloaded; device code after its work has ended.
  struct Code {
    void *entry;
    std::shared_ptr<const void> owner;
  };
  Code code() const;
  /// Loads the object, and its device code on a GPU (-1: on each), so that no later call loads
  /// anything: needed before calls inside a graph capture on other GPUs than the first, which
  /// entry() loads. Throws fairlead::Error; does nothing more than entry() for the CPU.
  void load(int device = -1) const;
  /// The kernels as they are loaded on a GPU; loads them if they are not. Empty for code that was
  /// not compiled for the GPU of this machine alone. Throws fairlead::Error.
  std::vector<KernelAttributes> kernelAttributes(int device = 0) const;
  /// The dynamic shared memory of each GPU kernel, without loading anything; empty for the CPU.
  std::vector<KernelShared> sharedMemory() const;
  /// Writes the object with the entry named `__tvm_ffi_<functionName>`. Throws fairlead::Error for
  /// a path that cannot be written or a name that is no C identifier.
  void exportObject(const std::string &path, const std::string &functionName,
                    const ExportFacts &facts = {}) const;
  /// Writes a shared library for loaders and linkers: the exported object, linked by the C compiler
  /// `compiler` (a name on PATH, or a path) with the runtime libraries of this process. Throws what
  /// exportObject throws, and fairlead::Error (NoCompiler, LinkFailed) if the compiler is missing
  /// or fails.
  void exportLibrary(const std::string &path, const std::string &functionName,
                     const std::string &compiler = "gcc", const ExportFacts &facts = {}) const;
  /// Writes `<folder>/<fileName>.o` and `.h`: the function in the plain C ABI, whose names start
  /// with `prefix`. The folder's last part is made if it is missing. Files are replaced whole, or
  /// left alone. Throws fairlead::Error for a path that cannot be written, a prefix that is no C
  /// identifier, a file name with a slash, and parameters that C has no type for.
  void exportC(const std::string &folder, const std::string &fileName, const std::string &prefix,
               const ExportFacts &facts = {}) const;

  /// The artifact as bytes. Throws fairlead::Error (ValueError) for a kernel from source or machine
  /// code, which is saved as an exported object.
  std::string save() const;
  /// Restores the bytes of save(), also from another process with the same build of Fairlead. Code
  /// for the CPU without a level only runs on processors like the one that compiled it. Throws
  /// fairlead::Error (ValueError) for other bytes, (RuntimeError) for another processor. The bytes
  /// are code: take them only from sources that you would take programs from.
  static std::shared_ptr<const Artifact> restore(std::string_view bytes);

  struct Impl;
  explicit Artifact(std::unique_ptr<Impl> impl);

private:
  std::unique_ptr<Impl> impl_;
};

/// Lowers and compiles for the program's targets (ignores those of `options`), or returns the
/// cached result of the same program. Safe from any thread; does not hold the GIL. Throws
/// fairlead::Error.
FAIRLEAD_API std::shared_ptr<const Artifact> compile(dsl::Program program,
                                                     const CompileOptions &options);
/// Compiles one function whose behaviour depends on the target, traced once for each family of its
/// targets (Target::family). The host functions of all CUDA targets must be equal; throws
/// ValueError (TargetsDiffer) otherwise.
FAIRLEAD_API std::shared_ptr<const Artifact> compile(std::vector<dsl::Program> programs,
                                                     const CompileOptions &options);

} // namespace fairlead
