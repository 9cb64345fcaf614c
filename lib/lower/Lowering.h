/// From a traced program to LLVM IR for the host (with CPU kernels in it) and PTX for the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "fairlead/Compile.h"
#include "lower/PhaseTimer.h"

namespace fairlead::lower {

/// The device side of a lowered program for CUDA.
struct DeviceCode {
  std::string ptx;
  std::vector<std::string> kernels; ///< in the order that launches number them
  /// The most bytes of dynamic shared memory that a launch asks for, by kernel; -1 if a launch
  /// computes them.
  std::vector<int64_t> sharedBytes = {};
};

struct Lowered {
  // The context outlives the module: keep this order.
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  DeviceCode device; ///< empty for the CPU
  /// Bitcode of the module before it was optimised for this machine, for exports to other machines;
  /// "" if the target names the required machine features.
  std::string unoptimised;
};

/// The name of the external global of type FairleadCudaModule that launches refer to. The writer of
/// the object defines it.
inline constexpr char kCudaModuleSymbol[] = "fairlead_cuda_module";

/// Marks the block functions of CPU kernels, which are worth slow code generation.
inline constexpr char kKernelAttribute[] = "fairlead-kernel";

/// Marks the block functions that few launches run: dry runs, and copies of kernels with guards.
inline constexpr char kLaterAttribute[] = "fairlead-later";

/// A back end: the part of a compile that differs between kinds of targets. One per kind.
class TargetLowering {
public:
  virtual ~TargetLowering() = default;
  /// Lowers the program's module in place: it cannot be lowered again. Throws fairlead::Error and
  /// Crash.
  virtual Lowered lower(dsl::Program &program, const CompileOptions &options,
                        PhaseTimer &timer) const = 0;
  /// Optimises the LLVM IR that lowering made.
  virtual void optimize(Lowered &lowered, const CompileOptions &options) const = 0;

  static const TargetLowering &get(const Target &target);
};

const TargetLowering &cpuLowering();
const TargetLowering &cudaLowering();

} // namespace fairlead::lower
