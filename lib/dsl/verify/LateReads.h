/// Elements that whole-tensor expressions read when they are assigned, long after `load()`.
#ifndef FAIRLEAD_LIB_DSL_VERIFY_LATEREADS_H_
#define FAIRLEAD_LIB_DSL_VERIFY_LATEREADS_H_

#include "dsl/trace/Builder.h"
#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// A place in the program that is traced.
struct ProgramPoint {
  mlir::Block *block = nullptr;      ///< null: nowhere
  mlir::Operation *before = nullptr; ///< the last operation in front of it; null where it is first
};
ProgramPoint currentPoint(Program::Impl &impl);

/// Ensures that the elements of `source`, which belong to `place`, are still the same here. Throws
/// fairlead::Error (LoadedLate) if memory may have been written in between. If that depends on the
/// run, the program checks it.
void requireUnchanged(Program::Impl &impl, const Tensor &source, const ProgramPoint &place);

/// Emits a check that `target` and `source` are the same elements or share none: an assignment
/// reads one while it writes the other.
void requireApart(Program::Impl &impl, const Tensor &target, const Tensor &source);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_VERIFY_LATEREADS_H_
