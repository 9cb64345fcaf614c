#include "fairlead/DType.h"

namespace fairlead {
namespace {

struct DTypeInfo {
  std::string_view className, name;
  int width;
  DLDataTypeCode code;
};

constexpr DTypeInfo kInfos[kNumDTypes] = {
    {"Boolean", "bool", 1, kDLBool},
    {"Int8", "int8", 8, kDLInt},
    {"Int16", "int16", 16, kDLInt},
    {"Int32", "int32", 32, kDLInt},
    {"Int64", "int64", 64, kDLInt},
    {"Uint8", "uint8", 8, kDLUInt},
    {"Uint16", "uint16", 16, kDLUInt},
    {"Uint32", "uint32", 32, kDLUInt},
    {"Uint64", "uint64", 64, kDLUInt},
    {"Float16", "float16", 16, kDLFloat},
    {"BFloat16", "bfloat16", 16, kDLBfloat},
    {"Float32", "float32", 32, kDLFloat},
    {"Float64", "float64", 64, kDLFloat},
    {"TFloat32", "tfloat32", 32, kDLFloat},
    {"Float8E5M2", "float8_e5m2", 8, kDLFloat8_e5m2},
    {"Float8E4M3", "float8_e4m3", 8, kDLFloat8_e4m3},
    {"Float8E4M3FN", "float8_e4m3fn", 8, kDLFloat8_e4m3fn},
    {"Float8E4M3B11FNUZ", "float8_e4m3b11fnuz", 8, kDLFloat8_e4m3b11fnuz},
    {"Float8E8M0FNU", "float8_e8m0fnu", 8, kDLFloat8_e8m0fnu},
    {"Float6E3M2FN", "float6_e3m2fn", 6, kDLFloat6_e3m2fn},
    {"Float6E2M3FN", "float6_e2m3fn", 6, kDLFloat6_e2m3fn},
    {"Float4E2M1FN", "float4_e2m1fn", 4, kDLFloat4_e2m1fn},
    {"Int4", "int4", 4, kDLInt},
    {"Int128", "int128", 128, kDLInt},
    {"Uint128", "uint128", 128, kDLUInt},
};
static_assert(!kInfos[kNumDTypes - 1].name.empty());

const DTypeInfo &get(DType type) { return kInfos[static_cast<int>(type)]; }

} // namespace

std::string_view className(DType type) { return get(type).className; }
std::string_view dtypeName(DType type) { return get(type).name; }
int bitWidth(DType type) { return get(type).width; }
int byteSize(DType type) { return (get(type).width + 7) / 8; }
bool isFloat(DType type) {
  return get(type).code == kDLFloat || get(type).code == kDLBfloat || isNarrowFloat(type);
}
bool isNarrowFloat(DType type) { return type >= DType::TFloat32 && type <= DType::Float4E2M1FN; }
bool isParameterType(DType type) { return type <= DType::Float64 || type == DType::TFloat32; }
bool isInteger(DType type) { return get(type).code == kDLInt || get(type).code == kDLUInt; }
bool isSigned(DType type) { return get(type).code == kDLInt || isFloat(type); }

DLDataType toDLDataType(DType type) {
  // DLPack counts a Boolean as the byte that it takes.
  int bits = type == DType::Boolean ? 8 : get(type).width;
  return {static_cast<uint8_t>(get(type).code), static_cast<uint8_t>(bits), 1};
}

std::optional<DType> fromDLDataType(DLDataType type) {
  if (type.lanes != 1)
    return std::nullopt;
  for (int i = 0; i < kNumDTypes; ++i)
    if (toDLDataType(static_cast<DType>(i)).code == type.code &&
        toDLDataType(static_cast<DType>(i)).bits == type.bits)
      return static_cast<DType>(i); // TFloat32 comes after Float32, which has the same memory
  return std::nullopt;
}

std::optional<DType> parseDType(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (kInfos[i].className == name || kInfos[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace fairlead
