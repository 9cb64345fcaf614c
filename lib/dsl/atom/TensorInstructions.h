/// Instructions on tensor memory that atoms emit. Internal to lib/dsl/atom.
#ifndef FAIRLEAD_LIB_DSL_ATOM_TENSORINSTRUCTIONS_H_
#define FAIRLEAD_LIB_DSL_ATOM_TENSORINSTRUCTIONS_H_

#include "dsl/Builder.h"
#include "fairlead/dsl/atom/CopyAtom.h"
#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::dsl {

/// Where the accumulator of a partition of C of this shape lies, in columns and lanes.
layout::Layout tensorMemoryLayout(const MmaAtom &atom, const layout::IntTuple &shape);

/// One product: the accumulator's address, descriptors of A and B, and whether it is added to.
void emitTensorProduct(Program::Impl &impl, const MmaAtom &atom, mlir::Value sum, mlir::Value a,
                       mlir::Value b, mlir::Value added);

/// The words of a thread from the columns of its warp's lanes, which are at one address.
llvm::SmallVector<mlir::Value> emitTensorLoad(Program::Impl &impl, const CopyAtom &atom,
                                              mlir::Value memory);
void emitTensorStore(Program::Impl &impl, const CopyAtom &atom, mlir::Value memory,
                     mlir::ValueRange words);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_TENSORINSTRUCTIONS_H_
