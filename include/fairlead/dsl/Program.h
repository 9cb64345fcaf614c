/// A program being traced: a host function with its signature, and the kernels that it launches.
#pragma once

#include <algorithm>
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
  int64_t restOffset = 0;  ///< see KernelFrame::rests; 0 without any
};

struct LaunchConfig {
  std::array<Scalar, 3> grid{1, 1, 1};
  std::array<Scalar, 3> block{1, 1, 1};
  std::optional<Stream> stream = {};      ///< none: the environment's stream on the call's device
  std::optional<Scalar> sharedBytes = {}; ///< none: what the kernel reserves
  SourceLoc at = SourceLoc::here();       ///< where the braces stand
};

/// The IR under construction. One thread at a time traces a program; any number of programs may be
/// traced concurrently on different threads.
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

  /// The targets to compile for.
  const std::vector<Target> &targets() const;
  /// The first target, for code that is traced differently for each target. From then on the
  /// program is for that target's family alone: to trace for several targets, check
  /// dependsOnTarget(), and trace again for the other families.
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

  /// True if host code can read all tensors of the host function (CPU). It then reads whole tensors
  /// of few elements directly, like kernels do. If false (the default), kernels evaluate
  /// whole-tensor expressions at their assignment.
  bool hostReads() const;
  void setHostReads(bool reads);
  /// True if a trace with the other setting would differ.
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

/// The targets by family, each family at the place of its first target.
FAIRLEAD_API std::vector<std::vector<Target>> targetFamilies(const std::vector<Target> &targets);

/// Traces a function as often as necessary, and returns the traces to compile: one, or one for
/// each family of targets if the function queries its target.
///
/// `trace(targets, hostReads)` traces it once. Its result has the members `Program &program()` and
/// `bool launchesKernels()`. `host`: the target of a function without kernels, instead of
/// `targets`; not empty if all tensors are in host memory and the caller named no target. Host code
/// then reads tensors (Program::hostReads) unless kernels for GPUs would see a difference.
template <typename Trace>
auto traceAll(std::vector<Target> targets, const std::optional<Target> &host, const Trace &trace) {
  const bool targetsRead = std::all_of(targets.begin(), targets.end(), [](const Target &target) {
    return target.info().hostReadsTensors;
  });
  bool hostReads = host || targetsRead;
  std::vector<decltype(trace(targets, hostReads))> traces;
  traces.push_back(trace(targets, hostReads));
  if (host && !traces.front().launchesKernels()) {
    targets = {*host};
    if (traces.front().program().dependsOnTarget())
      traces.front() = trace(targets, hostReads);
    traces.front().program().setTargets(targets);
  } else if (host && !targetsRead && traces.front().program().dependsOnHostReads()) {
    hostReads = false;
    traces.front() = trace(targets, hostReads);
  }
  if (!traces.front().program().dependsOnTarget())
    return traces;
  const std::vector<std::vector<Target>> families = targetFamilies(targets);
  // The first trace was for the first target.
  traces.front().program().setTargets(families.front());
  for (size_t i = 1; i < families.size(); ++i)
    traces.push_back(trace(families[i], hostReads));
  return traces;
}

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
