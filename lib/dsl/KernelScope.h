/// What may be traced inside a kernel alone.
#ifndef FAIRLEAD_LIB_DSL_KERNELSCOPE_H_
#define FAIRLEAD_LIB_DSL_KERNELSCOPE_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// The program traced on this thread, inside a kernel; throws OutsideTrace or OutsideKernel naming
/// `what`.
inline Program::Impl &kernelImpl(const char *what) {
  Program::Impl &impl = currentImpl(what);
  if (!impl.kernel)
    throw makeError(Diagnostic::OutsideKernel, {{"what", what}});
  return impl;
}

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_KERNELSCOPE_H_
