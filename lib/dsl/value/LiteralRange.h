/// The literals that a program may write for a value of a type.
#pragma once

#include <cstdint>

#include "fairlead/DType.h"

namespace fairlead::dsl {

/// Throws fairlead::Error (ScalarRange) if an integer type cannot hold the literal; other types
/// take every number. A literal adopts the bits of the type with either sign: 0xFFFFFFFF as an
/// Int32, -1 as an Uint8. A literal with more bits would become another number.
/// `ordered`: true if the operation compares numbers instead of using only their bits. The literal
/// must then be within the type's range.
void checkLiteral(int64_t number, DType type, bool ordered = false);

} // namespace fairlead::dsl
