#include "fairlead/DType.h"

namespace fairlead {
namespace {

struct DTypeInfo {
  std::string_view className, name;
  int width;
  DLDataTypeCode code;
};

constexpr DTypeInfo kInfos[kNumDTypes] = {
    {"Boolean", "bool", 1, kDLBool},         {"Int8", "int8", 8, kDLInt},
    {"Int16", "int16", 16, kDLInt},          {"Int32", "int32", 32, kDLInt},
    {"Int64", "int64", 64, kDLInt},          {"Uint8", "uint8", 8, kDLUInt},
    {"Uint16", "uint16", 16, kDLUInt},       {"Uint32", "uint32", 32, kDLUInt},
    {"Uint64", "uint64", 64, kDLUInt},       {"Float16", "float16", 16, kDLFloat},
    {"BFloat16", "bfloat16", 16, kDLBfloat}, {"Float32", "float32", 32, kDLFloat},
    {"Float64", "float64", 64, kDLFloat},
};

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
