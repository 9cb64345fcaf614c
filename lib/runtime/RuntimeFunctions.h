/// The functions that generated code calls, as data: a constant `runtime::<name>` for each row of
/// RuntimeFunctions.def, with the type of the function's declaration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fairlead/AsyncCpu.h"
#include "fairlead/CheckCpu.h"
#include "fairlead/Coverage.h"
#include "fairlead/Frameworks.h"
#include "fairlead/OnnxRuntime.h"
#include "fairlead/PlainC.h"
#include "fairlead/Runtime.h"
#include "fairlead/TensorMap.h"
#include "fairlead/TensorMemoryCpu.h"
#include "fairlead/Timeline.h"
#include "fairlead/Trace.h"
#include "fairlead/Unload.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead {

/// A type of a parameter or a result.
enum class RuntimeType : uint8_t { Void, Pointer, TwoPointers, Unsigned16, Int32, Int64, Float64 };

/// The kind of a call by generated code. RuntimeFunctions.def explains the members.
enum class RuntimeBinding : uint8_t { None, Lazy, Eager };

/// Return a type of the table as a type of some IR. `types` makes those: none(), pointer(), pair()
/// of pointers, integer(bits) and float64().
template <typename Types> auto irTypeOf(RuntimeType type, const Types &types) {
  switch (type) {
  case RuntimeType::Void:
    return types.none();
  case RuntimeType::Pointer:
    return types.pointer();
  case RuntimeType::TwoPointers:
    return types.pair();
  case RuntimeType::Unsigned16:
    return types.integer(16);
  case RuntimeType::Int32:
    return types.integer(32);
  case RuntimeType::Int64:
    return types.integer(64);
  case RuntimeType::Float64:
    return types.float64();
  }
  __builtin_unreachable();
}

struct RuntimeFunction {
  static constexpr size_t kMostParameters = 9;

  const char *name = nullptr;
  RuntimeBinding binding = RuntimeBinding::None;
  RuntimeType result = RuntimeType::Void;
  size_t numParameters = 0;
  std::array<RuntimeType, kMostParameters> parameters{};
  bool isVariadic = false;
};

namespace runtime {

template <typename T> constexpr RuntimeType typeOf() {
  if constexpr (std::is_void_v<T>)
    return RuntimeType::Void;
  else if constexpr (std::is_pointer_v<T>)
    return RuntimeType::Pointer;
  else if constexpr (std::is_same_v<T, FairleadShadow>)
    return RuntimeType::TwoPointers;
  else if constexpr (std::is_same_v<T, double>)
    return RuntimeType::Float64;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return RuntimeType::Unsigned16;
  else {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "the table has no such type");
    return sizeof(T) == 4 ? RuntimeType::Int32 : RuntimeType::Int64;
  }
}

template <typename Result, typename... Parameters>
constexpr RuntimeFunction describe(const char *name, RuntimeBinding binding,
                                   Result (*)(Parameters...)) {
  return {name, binding, typeOf<Result>(), sizeof...(Parameters), {typeOf<Parameters>()...}, false};
}
template <typename Result, typename... Parameters>
constexpr RuntimeFunction describe(const char *name, RuntimeBinding binding,
                                   Result (*)(Parameters..., ...)) {
  return {name, binding, typeOf<Result>(), sizeof...(Parameters), {typeOf<Parameters>()...}, true};
}

#define FAIRLEAD_RUNTIME_FUNCTION(binding, name)                                                   \
  inline constexpr RuntimeFunction name = describe(#name, RuntimeBinding::binding, &::name);
#define FAIRLEAD_ABI_FUNCTION FAIRLEAD_RUNTIME_FUNCTION
#include "runtime/RuntimeFunctions.def"
#undef FAIRLEAD_ABI_FUNCTION
#undef FAIRLEAD_RUNTIME_FUNCTION

} // namespace runtime
} // namespace fairlead
