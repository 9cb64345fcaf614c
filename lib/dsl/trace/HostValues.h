/// Values of a kernel that the host function can compute before it launches the kernel. Internal to
/// lib/dsl.
#pragma once

#include "mlir/IR/IRMapping.h"

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Copies computations of the kernel being traced to the host function, in front of the launch.
class HostValues {
public:
  explicit HostValues(Program::Impl &impl) : impl(impl) {}

  /// Returns the host's value of a kernel's one; null if it depends on more than the kernel's
  /// arguments.
  mlir::Value of(mlir::Value value);

private:
  Program::Impl &impl;
  mlir::IRMapping values;
};

} // namespace fairlead::dsl
