/// Elements that whole-tensor expressions read when they are assigned, long after `load()`.
#ifndef FAIRLEAD_LIB_DSL_LATEREADS_H_
#define FAIRLEAD_LIB_DSL_LATEREADS_H_

#include "dsl/Builder.h"
#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// A place in the program that is traced.
struct TracedPlace {
  mlir::Block *block = nullptr;      ///< null: nowhere
  mlir::Operation *before = nullptr; ///< the last operation in front of it; null where it is first
};
TracedPlace placeNow(Program::Impl &impl);

/// Makes sure that the elements of `source`, which belong to `place`, are still the same here.
/// Where memory may have been written to in between, throws fairlead::Error (LoadedLate); where
/// only the run knows, the program checks it.
void requireUnchanged(Program::Impl &impl, const Tensor &source, const TracedPlace &place);

/// Makes sure, when the program runs, that `target` and `source` are the same elements or have none
/// in common: an assignment reads the one as it writes the other.
void requireApart(Program::Impl &impl, const Tensor &target, const Tensor &source);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LATEREADS_H_
