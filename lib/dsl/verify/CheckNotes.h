/// Notes that tracing leaves in the program for its checks. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_VERIFY_CHECKNOTES_H_
#define FAIRLEAD_LIB_DSL_VERIFY_CHECKNOTES_H_

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// True if the program has a check of this name.
bool hasCheck(Program::Impl &impl, llvm::StringRef name);

/// Returns the address of a tensor's element, checked so that it is used only if the coordinate is
/// in bounds.
mlir::Value checkedAddress(Program::Impl &impl, const Tensor &tensor,
                           const layout::IntTuple &coordinate, mlir::Value address);

/// Records the tensors that a kernel takes. For their elements, checks of the indices suffice.
void noteTensors(Program::Impl &impl, mlir::gpu::GPUFuncOp kernel,
                 const std::vector<Argument> &arguments);

/// Records `bytes` bytes of shared memory at an address.
void noteAllocation(Program::Impl &impl, mlir::Value address, int64_t offset, int64_t bytes);

/// Ends the allocations that extendAllocation made longer where the kernel's shared memory ends.
void endLongAllocations(const Program::Impl::KernelFrame &kernel);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_VERIFY_CHECKNOTES_H_
