/// The operations of the dialect that MMA atoms emit, and what atoms say of them. Internal to
/// lib/dsl and lib/lower.
#ifndef FAIRLEAD_LIB_DSL_ATOM_PRODUCTTYPES_H_
#define FAIRLEAD_LIB_DSL_ATOM_PRODUCTTYPES_H_

#include <optional>

#include "fairlead/dsl/atom/MmaAtom.h"

namespace fairlead::ir {
class MmaOp;
enum class ProductType : uint32_t;
} // namespace fairlead::ir

namespace fairlead::dsl {

/// Return the type of elements as operations name it; nothing for types that no product has.
std::optional<ir::ProductType> productType(DType type);

/// Return the row of MmaAtom::table() of an operation. Throws fairlead::Error (RuntimeError,
/// CompileFailed) if there is none.
const MmaAtom &atomOf(ir::MmaOp op);

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_PRODUCTTYPES_H_
