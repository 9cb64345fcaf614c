/// Memory that a kernel reads but never writes. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_VERIFY_UNWRITTENMEMORY_H_
#define FAIRLEAD_LIB_DSL_VERIFY_UNWRITTENMEMORY_H_

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Records memory at `base` that the kernel being traced has allocated. Shared memory of 0 bytes is
/// the part that the launch adds to the reserved one: everything after `base` may belong to it.
void noteMemory(Program::Impl &impl, mlir::Value base, DType dtype, AddressSpace space,
                int64_t bytes);

/// Throws UnwrittenMemory if the kernel being traced reads shared memory or registers that nothing
/// in it writes on any path. An address that cannot be followed (into inline assembly, into memory
/// or through a loop), a copy and an mbarrier count as writes.
void requireWritten(Program::Impl &impl);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_VERIFY_UNWRITTENMEMORY_H_
