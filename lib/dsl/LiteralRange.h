/// Which numbers a program may write where a type is wanted.
#ifndef FAIRLEAD_LIB_DSL_LITERALRANGE_H_
#define FAIRLEAD_LIB_DSL_LITERALRANGE_H_

#include <cstdint>

#include "fairlead/DType.h"

namespace fairlead::dsl {

/// Throws fairlead::Error (ScalarRange) for a literal that is none of an integer type; of other
/// types every number is one. A literal takes the bits of the type that it adopts, with either
/// sign: 0xFFFFFFFF as an Int32, -1 as an Uint8; one that has more would be another number.
/// `ordered`: the size of the number counts, not its bits alone, so that it has to be one of the
/// type's own.
void checkLiteral(int64_t number, DType type, bool ordered = false);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_LITERALRANGE_H_
