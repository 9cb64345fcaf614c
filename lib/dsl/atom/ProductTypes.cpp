#include "dsl/atom/ProductTypes.h"

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
  case DType::Float6E2M3FN:
    return ProductType::E2M3;
  case DType::Float6E3M2FN:
    return ProductType::E3M2;
  case DType::Float4E2M1FN:
    return ProductType::E2M1;
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

} // namespace fairlead::dsl
