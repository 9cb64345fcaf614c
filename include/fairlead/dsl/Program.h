/// A program being traced: a host function with its signature, and the kernels that it launches.
#ifndef FAIRLEAD_DSL_PROGRAM_H_
#define FAIRLEAD_DSL_PROGRAM_H_

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/Signature.h"
#include "fairlead/Target.h"
#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// A stream of the host program; an opaque pointer value.
struct Stream {
  const void *handle = nullptr;
};

using Argument = std::variant<Tensor, Scalar, Stream>;

/// A traced kernel, to be launched by the host program that it was traced in.
struct Kernel {
  std::string symbol;
  /// Host values that its parameters take, in order (set when traced from actual arguments).
  std::vector<const void *> operands;
  int64_t sharedBytes = 0; ///< of shared memory that it reserves
};

struct LaunchConfig {
  std::array<Scalar, 3> grid{1, 1, 1};
  std::array<Scalar, 3> block{1, 1, 1};
  std::optional<Stream> stream = {};      ///< none: the environment's stream on the call's device
  std::optional<Scalar> sharedBytes = {}; ///< none: what the kernel reserves
  Place at = Place::here();               ///< where the braces stand
};

/// The IR under construction. One program is traced by one thread at a time; any number of programs
/// may be traced at once on different threads.
class FAIRLEAD_API Program {
public:
  /// Starts a program with this signature for these targets, at least one; `arguments()` are its
  /// parameters as traced values, environment streams included. The program is current on this
  /// thread from enter() to exit().
  Program(Signature signature, std::vector<Target> targets);
  ~Program();
  Program(Program &&) noexcept;
  Program &operator=(Program &&) noexcept;

  const Signature &signature() const;
  Signature &signature();
  const std::vector<Argument> &arguments() const;

  /// What the program is compiled for.
  const std::vector<Target> &targets() const;
  /// The first of them, for what is traced differently from one target to another. From then on the
  /// program is for that target's family alone: whoever traces for several targets asks
  /// dependsOnTarget(), and traces again for the other families.
  const Target &target();
  bool dependsOnTarget() const;
  /// Throws AtomArchitecture unless all CUDA targets have at least this compute capability
  /// (10 * major + minor). It is no dependence.
  void requireCapability(int least, const std::string &what) const;
  /// Throws AtomArchitecture or AtomFamily unless all CUDA targets have the feature, which `what`
  /// uses. It is no dependence.
  void requireFeature(GpuFeature feature, const std::string &what) const;
  /// Other targets for a program that has been traced.
  void setTargets(std::vector<Target> targets);

  void enter();
  /// Closes the host function when `finished`, and gives the thread's previous program back.
  void exit(bool finished);

  /// Starts a kernel: until endKernel, operations go to its body. `actuals` are host values; the
  /// returned formals are the same values as seen inside.
  std::vector<Argument> beginKernel(const std::string &name, const std::vector<Argument> &actuals);
  Kernel endKernel();
  /// Drops the kernel being traced, after an error.
  void abandonKernel();
  /// True between beginKernel and endKernel.
  bool inKernel() const;
  void launch(const Kernel &kernel, const LaunchConfig &config);

  /// Whether all tensors of the host function lie in memory that it reads itself, as on the CPU: it
  /// then reads whole tensors of few elements where the program says so, as kernels do. Else, as at
  /// first, whole-tensor expressions are evaluated by kernels, where they are assigned.
  bool hostReads() const;
  void setHostReads(bool reads);
  /// Whether a trace with the other setting would differ.
  bool dependsOnHostReads() const;

  /// The IR as text, for dumps and tests.
  std::string str() const;

  /// The program that this thread traces, or NULL.
  static Program *current();

  struct Impl;
  Impl &impl() const { return *impl_; }

private:
  std::unique_ptr<Impl> impl_;
};

/// Programs of one function for these targets: one, or, where what `trace` makes depends on the
/// target, one for each family of them.
FAIRLEAD_API std::vector<Program>
traceFamilies(const std::vector<Target> &targets,
              const std::function<Program(const std::vector<Target> &)> &trace);

struct Dim3 {
  Scalar x, y, z;
};
/// Indices and extents of the running kernel, Int32. Throw fairlead::Error (RuntimeError) outside a
/// kernel.
FAIRLEAD_API Dim3 threadIdx();
FAIRLEAD_API Dim3 blockIdx();
FAIRLEAD_API Dim3 blockDim();
FAIRLEAD_API Dim3 gridDim();

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_PROGRAM_H_
