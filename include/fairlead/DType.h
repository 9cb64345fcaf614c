/// The scalar types of signatures, tensors and traced values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dlpack/dlpack.h"
#include "fairlead/Export.h"

namespace fairlead {

enum class DType : uint8_t {
  Boolean,
  Int8,
  Int16,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  // Below: of kernels only. They are no scalar parameters, and the narrow floats are computed with
  // in Float32.
  TFloat32, ///< Float32 with 10 bits of fraction, in the memory of a Float32
  Float8E5M2,
  Float8E4M3,
  Float8E4M3FN,
  Float8E4M3B11FNUZ,
  Float8E8M0FNU,
  Float6E3M2FN,
  Float6E2M3FN,
  Float4E2M1FN,
  Int4,
  Int128,
  Uint128,
};
inline constexpr int kNumDTypes = 25;

/// "Float32": the name of the type in both DSLs.
FAIRLEAD_API std::string_view className(DType type);
/// "float32": the name in signatures and messages (DLPack's text).
FAIRLEAD_API std::string_view dtypeName(DType type);
/// Bits of a value; Boolean is 1, though it takes a byte in memory.
FAIRLEAD_API int bitWidth(DType type);
/// Bytes of one element in memory.
FAIRLEAD_API int byteSize(DType type);
FAIRLEAD_API bool isFloat(DType type);
/// True for TFloat32 and the floats of 8, 6 and 4 bits, which no processor computes with directly.
FAIRLEAD_API bool isNarrowFloat(DType type);
/// True for types that cross the boundary of a compiled function as a number.
FAIRLEAD_API bool isParameterType(DType type);
/// Integers other than Boolean.
FAIRLEAD_API bool isInteger(DType type);
/// Signed integers and floats.
FAIRLEAD_API bool isSigned(DType type);
FAIRLEAD_API DLDataType toDLDataType(DType type);
FAIRLEAD_API std::optional<DType> fromDLDataType(DLDataType type);
/// Accepts both names ("Float32", "float32").
FAIRLEAD_API std::optional<DType> parseDType(std::string_view name);

} // namespace fairlead
