/// The scalar types of signatures, tensors and traced values.
#ifndef FAIRLEAD_DTYPE_H_
#define FAIRLEAD_DTYPE_H_

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
};
inline constexpr int kNumDTypes = 13;

/// "Float32": the name of the type in both DSLs.
FAIRLEAD_API std::string_view className(DType type);
/// "float32": the name in signatures and messages (DLPack's text).
FAIRLEAD_API std::string_view dtypeName(DType type);
/// Bits of a value; Boolean is 1, though it takes a byte in memory.
FAIRLEAD_API int bitWidth(DType type);
/// Bytes of one element in memory.
FAIRLEAD_API int byteSize(DType type);
FAIRLEAD_API bool isFloat(DType type);
/// Integers other than Boolean.
FAIRLEAD_API bool isInteger(DType type);
/// Signed integers and floats.
FAIRLEAD_API bool isSigned(DType type);
FAIRLEAD_API DLDataType toDLDataType(DType type);
FAIRLEAD_API std::optional<DType> fromDLDataType(DLDataType type);
/// Accepts both names ("Float32", "float32").
FAIRLEAD_API std::optional<DType> parseDType(std::string_view name);

} // namespace fairlead
#endif // FAIRLEAD_DTYPE_H_
