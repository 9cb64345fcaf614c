/// Accesses of several neighbouring elements at once. LLVM vectorizes accesses of plain layouts,
/// but does not see that elements behind a swizzle are neighbours. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_MEMORY_VECTORACCESS_H_
#define FAIRLEAD_LIB_DSL_MEMORY_VECTORACCESS_H_

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// True if the tensor has a swizzle of elements or of addresses.
bool isSwizzled(const Tensor &tensor);

/// Returns the number of contiguous elements from linear coordinate `at` on whose address is
/// aligned to their total size: 1, 2, 4, ... up to `most` and 16 bytes.
int64_t neighboursFrom(const Tensor &tensor, int64_t at, int64_t most);

/// Like neighboursFrom for any alignment: the elements of one access if the address is aligned.
int64_t runFrom(const Tensor &tensor, int64_t at, int64_t most);

/// Loads `count` neighbouring elements: a vector, or one element in its form in memory.
mlir::Value loadTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count);
void storeTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count,
                   mlir::Value elements);

/// Copies up to `most` elements in their form in memory, from linear coordinate `at` of both sides
/// on, with one access to each. Returns their number.
int64_t moveTogether(Program::Impl &impl, const Tensor &source, const Tensor &destination,
                     int64_t at, int64_t most);

/// Loads all elements of a tensor of static shape, mode 0 fastest.
Scalars loadVectors(const Tensor &tensor);
void storeVectors(const Tensor &tensor, const Scalars &values);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_MEMORY_VECTORACCESS_H_
