/// From a traced program to an artifact, and from an artifact to a function.
#ifndef FAIRLEAD_COMPILE_H_
#define FAIRLEAD_COMPILE_H_

#include <memory>
#include <string>
#include <vector>

#include "fairlead/Signature.h"
#include "fairlead/Target.h"
#include "fairlead/dsl/Program.h"

namespace fairlead {

struct CompileOptions {
  Target target;
  int optLevel = 3; ///< 0..3
};

/// Milliseconds spent in one stage of a compile.
struct Phase {
  std::string name; ///< trace, lower, codegen, load
  double milliseconds;
};

/// What a compile makes: the only thing that is called, saved or loaded. Immutable, shared.
class FAIRLEAD_API Artifact {
public:
  ~Artifact();
  const Signature &signature() const;
  const Target &target() const;
  /// A relocatable ELF object that defines `__tvm_ffi_<name>` and its metadata symbols.
  const std::string &object() const;
  /// PTX of the device code; empty for the CPU, and where a kernel came as machine code alone.
  const std::string &ptx() const;
  /// LLVM IR of the host program, with the kernels in it for the CPU, after optimisation.
  std::string ir() const;
  /// trace, lower, (ptx,) optimise, codegen; and load once entry() was called.
  std::vector<Phase> phases() const;

  /// Loads the object into this process (once; device code too, where there is a device) and
  /// returns the address of
  /// `__tvm_ffi_<name>`, a TVMFFISafeCallType. Throws fairlead::Error. What was loaded stays for
  /// the life of the process.
  void *entry() const;
  /// Loads the object, and its device code on a GPU (-1: on each), so that no later call loads
  /// anything: needed before calls inside a graph capture on other GPUs than the first, which
  /// entry() loads. Throws fairlead::Error; does nothing more than entry() for the CPU.
  void load(int device = -1) const;
  /// Writes the object with the entry named `__tvm_ffi_<functionName>`. Throws fairlead::Error for
  /// a path that cannot be written or a name that is no C identifier.
  void exportObject(const std::string &path, const std::string &functionName) const;

  struct Impl;
  explicit Artifact(std::unique_ptr<Impl> impl);

private:
  std::unique_ptr<Impl> impl_;
};

/// Lowers and compiles. The program is spent. Safe from any thread; holds no lock of Python's.
/// Throws fairlead::Error.
FAIRLEAD_API std::shared_ptr<const Artifact> compile(dsl::Program program,
                                                     const CompileOptions &options);

} // namespace fairlead
#endif // FAIRLEAD_COMPILE_H_
