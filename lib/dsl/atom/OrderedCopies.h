/// Copies between memory and registers whose accesses have an order (CopyOp::order). Internal to
/// lib/dsl/atom.
#ifndef FAIRLEAD_LIB_DSL_ATOM_ORDEREDCOPIES_H_
#define FAIRLEAD_LIB_DSL_ATOM_ORDEREDCOPIES_H_

#include "dsl/atom/CopyInstruction.h"

namespace fairlead::dsl {

/// Throws fairlead::Error (TypeError) if PTX has no access of the operation's order for
/// elements of this type.
void requireOrder(const CopyOp &op, DType type);

/// Throws fairlead::Error (TypeError) unless one side is in registers and the other one in
/// memory that the order can be of, and unless all targets have the scope.
void requireOrderedSides(const CopySides &sides);

/// Copies `count` elements from linear coordinate `at` of both sides on, in accesses as wide as
/// layouts, alignments and the order allow: 8 bytes for atomic ones.
void copyOrdered(const CopySides &sides, int64_t at, int64_t count);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_ORDEREDCOPIES_H_
