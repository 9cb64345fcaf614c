/// Accesses of several neighbouring elements at once. LLVM finds those of plain layouts by itself;
/// behind a swizzle it does not see that elements are neighbours. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_VECTORACCESS_H_
#define FAIRLEAD_LIB_DSL_VECTORACCESS_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// A swizzle of elements or of addresses.
bool isSwizzled(const Tensor &tensor);

/// How many elements from linear coordinate `at` on lie one after the other, from an address that
/// is a multiple of what they take: 1, 2, 4, ... up to `most` and 16 bytes.
int64_t neighboursFrom(const Tensor &tensor, int64_t at, int64_t most);

/// The same, whatever the address is a multiple of: what one access could take if it is aligned.
int64_t runFrom(const Tensor &tensor, int64_t at, int64_t most);

/// So many elements, which are neighbours: a vector, or one element as it is in memory.
mlir::Value loadTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count);
void storeTogether(Program::Impl &impl, const Tensor &tensor, int64_t at, int64_t count,
                   mlir::Value elements);

/// Copies up to `most` elements from linear coordinate `at` of both sides on, as they are in
/// memory, in one access of each. Returns how many.
int64_t moveTogether(Program::Impl &impl, const Tensor &source, const Tensor &destination,
                     int64_t at, int64_t most);

/// All elements of a tensor of a static shape, mode 0 fastest.
Scalars loadVectors(const Tensor &tensor);
void storeVectors(const Tensor &tensor, const Scalars &values);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_VECTORACCESS_H_
