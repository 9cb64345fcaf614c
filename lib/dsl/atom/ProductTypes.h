/// Types of elements as operations of products name them. Internal to lib/dsl/atom.
#ifndef FAIRLEAD_LIB_DSL_ATOM_PRODUCTTYPES_H_
#define FAIRLEAD_LIB_DSL_ATOM_PRODUCTTYPES_H_

#include <optional>
#include <string>

#include "fairlead/DType.h"

namespace fairlead::ir {
enum class ProductType : uint32_t;
} // namespace fairlead::ir

namespace fairlead::dsl {

/// Return the type of elements as operations name it; nothing for types that no product has.
std::optional<ir::ProductType> productType(DType type);

inline bool isByte(DType type) { return type == DType::Int8 || type == DType::Uint8; }
inline bool isFloat8(DType type) {
  return type == DType::Float8E4M3FN || type == DType::Float8E5M2;
}
/// True for floats of 4, 6 and 8 bits.
inline bool isSmallFloat(DType type) {
  return isFloat8(type) || type == DType::Float6E2M3FN || type == DType::Float6E3M2FN ||
         type == DType::Float4E2M1FN;
}

/// True if instructions of warpgroups, and those with tensor memory, multiply these types.
inline bool canMultiply(DType a, DType b) {
  const bool squares = a == DType::Float16 || a == DType::BFloat16 || a == DType::TFloat32;
  return (squares && a == b) || (isFloat8(a) && isFloat8(b)) || (isByte(a) && isByte(b));
}

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_PRODUCTTYPES_H_
