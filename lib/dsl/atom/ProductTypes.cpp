#include "dsl/atom/ProductTypes.h"

#include "fairlead/Diagnostics.h"
#include "ir/Ops.h"

namespace fairlead::dsl {

std::optional<ir::ProductType> productType(DType type) {
  using ir::ProductType;
  switch (type) {
  case DType::Float16:
    return ProductType::F16;
  case DType::BFloat16:
    return ProductType::BF16;
  case DType::TFloat32:
    return ProductType::TF32;
  case DType::Float8E4M3FN:
    return ProductType::E4M3;
  case DType::Float8E5M2:
    return ProductType::E5M2;
  case DType::Int8:
    return ProductType::S8;
  case DType::Uint8:
    return ProductType::U8;
  case DType::Int4:
    return ProductType::S4;
  case DType::Float32:
    return ProductType::F32;
  case DType::Float64:
    return ProductType::F64;
  case DType::Int32:
    return ProductType::S32;
  default:
    return std::nullopt;
  }
}

const MmaAtom &atomOf(ir::MmaOp op) {
  for (const MmaAtom &atom : MmaAtom::table())
    if (atom.shape == std::array<int, 3>{int(op.getM()), int(op.getN()), int(op.getK())} &&
        productType(atom.a) == op.getAType() && productType(atom.b) == op.getBType() &&
        productType(atom.c) == op.getDType())
      return atom;
  throw makeError(
      Diagnostic::CompileFailed,
      {{"stage", "lowering of atoms"},
       {"message", "no MMA instruction of a warp has the extents " + std::to_string(op.getM()) +
                       " x " + std::to_string(op.getN()) + " x " + std::to_string(op.getK()) +
                       " and the types " + stringifyProductType(op.getDType()).str() + ", " +
                       stringifyProductType(op.getAType()).str() + " and " +
                       stringifyProductType(op.getBType()).str()}});
}

} // namespace fairlead::dsl
