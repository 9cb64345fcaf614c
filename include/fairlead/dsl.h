/// The C++ DSL and compiler: all of Fairlead that a program which compiles its own kernels
/// includes.
#ifndef FAIRLEAD_DSL_H_
#define FAIRLEAD_DSL_H_

#include "fairlead/Compile.h"
#include "fairlead/Target.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Coordinates.h"
#include "fairlead/dsl/Copy.h"
#include "fairlead/dsl/Function.h"
#include "fairlead/dsl/LaunchOptions.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/Math.h"
#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Print.h"
#include "fairlead/dsl/Program.h"
#include "fairlead/dsl/Scalar.h"
#include "fairlead/dsl/Tensor.h"
#include "fairlead/dsl/Variable.h"
#include "fairlead/dsl/Warp.h"

namespace fairlead::dsl {
inline constexpr DType f16 = DType::Float16, bf16 = DType::BFloat16, f32 = DType::Float32,
                       f64 = DType::Float64;
inline constexpr DType i32 = DType::Int32, i64 = DType::Int64;
} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_H_
