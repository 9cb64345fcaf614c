/// Memory of a kernel that it reads and that nothing in it writes. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_UNWRITTENMEMORY_H_
#define FAIRLEAD_LIB_DSL_UNWRITTENMEMORY_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// Notes memory that the kernel being traced has allocated, from `base` on. Shared memory of 0
/// bytes is what the launch gives beyond what is reserved: all that follows may be it.
void noteMemory(Program::Impl &impl, mlir::Value base, DType dtype, AddressSpace space,
                int64_t bytes);

/// Throws UnwrittenMemory where the kernel being traced reads shared memory or registers that
/// nothing in it writes, whatever path it takes. What cannot be followed (an address that goes into
/// inline assembly, into memory or through a loop, a copy, an mbarrier) counts as a write.
void requireWritten(Program::Impl &impl);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_UNWRITTENMEMORY_H_
