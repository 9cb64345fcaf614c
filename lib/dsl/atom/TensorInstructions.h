/// Helpers of instructions on tensor memory. Internal to lib/dsl/atom.
#pragma once

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

inline constexpr int kTensorMemoryColumns = 512;
/// The bits that are set in the high words of all descriptors of these instructions.
inline constexpr int64_t kTensorDescriptorVersion = 1 << 14;

/// The name of PTX's instruction: that of the operation without the dialect's.
template <typename Op> std::string instructionName() {
  return Op::getOperationName().split('.').second.str();
}

/// Return the program, inside a kernel. Throws fairlead::Error (NoCpuForm, AtomArchitecture,
/// AtomFamily) unless all targets have tensor memory, which `what` uses.
Program::Impl &requireTensorMemory(const std::string &what);
/// Throws fairlead::Error (AtomFamily) unless all targets have tensor memory and a compute
/// capability of 10.3, or with `orLater` one from there on.
void requireCapability103(const std::string &what, bool orLater);

} // namespace fairlead::dsl
