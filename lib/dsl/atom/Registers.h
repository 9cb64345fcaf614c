/// Fragments in register tensors, and the 32-bit registers that instructions take them in. Internal
/// to lib/dsl/atom.
#pragma once

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Returns the number of elements in a register: 1 for elements of 32 bits and more.
int perRegister(DType type);
/// i32, f32 or f64.
mlir::Type registerType(mlir::OpBuilder &b, DType type);

/// Loads `count` elements of a tensor from linear coordinate `begin` on, the first in the lowest
/// bits. `vectors`: elements that share a register are read as a vector; in register memory they
/// stay one even if other code reads them one by one.
llvm::SmallVector<mlir::Value> loadRegisters(Program::Impl &impl, const Tensor &tensor,
                                             int64_t begin, int count, bool vectors = false);
void storeRegisters(Program::Impl &impl, const Tensor &tensor, int64_t begin,
                    mlir::ValueRange registers, bool vectors = false);

} // namespace fairlead::dsl
