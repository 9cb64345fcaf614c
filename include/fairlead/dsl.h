/// The C++ DSL and compiler: all of Fairlead that a program which compiles its own kernels
/// includes.
#pragma once

#include "fairlead/Compile.h"
#include "fairlead/Target.h"
#include "fairlead/dsl/Assembly.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Copy.h"
#include "fairlead/dsl/Function.h"
#include "fairlead/dsl/Instructions.h"
#include "fairlead/dsl/LaunchOptions.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/Math.h"
#include "fairlead/dsl/Mbarrier.h"
#include "fairlead/dsl/Operation.h"
#include "fairlead/dsl/Pipeline.h"
#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Print.h"
#include "fairlead/dsl/Program.h"
#include "fairlead/dsl/Scalar.h"
#include "fairlead/dsl/Tensor.h"
#include "fairlead/dsl/TensorProducts.h"
#include "fairlead/dsl/Variable.h"
#include "fairlead/dsl/Views.h"
#include "fairlead/dsl/Warp.h"
#include "fairlead/dsl/atom/TensorCopy.h"
#include "fairlead/dsl/atom/TiledMma.h"

namespace fairlead::dsl {
inline constexpr DType f16 = DType::Float16, bf16 = DType::BFloat16, f32 = DType::Float32,
                       f64 = DType::Float64;
inline constexpr DType tf32 = DType::TFloat32;
inline constexpr DType f8e5m2 = DType::Float8E5M2, f8e4m3 = DType::Float8E4M3,
                       f8e4m3fn = DType::Float8E4M3FN, f8e4m3b11fnuz = DType::Float8E4M3B11FNUZ,
                       f8e8m0fnu = DType::Float8E8M0FNU, f6e3m2fn = DType::Float6E3M2FN,
                       f6e2m3fn = DType::Float6E2M3FN, f4e2m1fn = DType::Float4E2M1FN;
inline constexpr DType boolean = DType::Boolean;
inline constexpr DType i4 = DType::Int4, i8 = DType::Int8, i16 = DType::Int16, i32 = DType::Int32,
                       i64 = DType::Int64, i128 = DType::Int128;
inline constexpr DType u8 = DType::Uint8, u16 = DType::Uint16, u32 = DType::Uint32,
                       u64 = DType::Uint64, u128 = DType::Uint128;
} // namespace fairlead::dsl
