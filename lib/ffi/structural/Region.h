/// Shared code of structural equality and hashing.
#pragma once

#include "../reflection/Walk.h"
#include "tvm/ffi/container/tensor.h"

namespace tvm::ffi {

/// The region inside one that is entered in another: a pattern's reaches over all content, and None
/// keeps the current region.
inline TVMFFIDefRegionKind enterRegion(TVMFFIDefRegionKind current, int32_t entered) {
  if (current == kTVMFFIDefRegionKindPattern || entered == kTVMFFIDefRegionKindNone)
    return current;
  if (entered != kTVMFFIDefRegionKindPattern && entered != kTVMFFIDefRegionKindSimple)
    TVM_FFI_THROW(ValueError) << "A region of definitions of unknown kind " << entered;
  return static_cast<TVMFFIDefRegionKind>(entered);
}

inline TVMFFIDefRegionKind enterField(TVMFFIDefRegionKind current, const TVMFFIFieldInfo *field) {
  if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefPattern)
    return enterRegion(current, kTVMFFIDefRegionKindPattern);
  if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefSimple)
    return enterRegion(current, kTVMFFIDefRegionKindSimple);
  return current;
}

/// The region inside a variable's definition.
inline TVMFFIDefRegionKind insideVariable(TVMFFIDefRegionKind current) {
  return current == kTVMFFIDefRegionKindPattern ? current : kTVMFFIDefRegionKindNone;
}

/// Sets a variable until the end of the block.
template <typename T> class Scoped {
public:
  Scoped(T &variable, T value) : variable(variable), before(variable) { variable = value; }
  ~Scoped() { variable = before; }
  Scoped(const Scoped &) = delete;
  Scoped &operator=(const Scoped &) = delete;

private:
  T &variable;
  T before;
};

/// Returns a type's structural kind. Throws TypeError if it has none.
inline TVMFFISEqHashKind structuralKindOf(const TVMFFITypeInfo *type) {
  if (!type->metadata)
    TVM_FFI_THROW(TypeError) << "Type metadata is not set for type `" << nameOf(type->type_key)
                             << "`, so StructuralHash is not supported for this type";
  if (type->metadata->structural_eq_hash_kind == kTVMFFISEqHashKindUnsupported)
    TVM_FFI_THROW(TypeError) << "_type_s_eq_hash_kind is not set for type `"
                             << nameOf(type->type_key)
                             << "`, so StructuralHash is not supported for this type";
  return type->metadata->structural_eq_hash_kind;
}

/// A tensor's bytes. ValueError for one that is not in the CPU's memory, or not compact.
inline std::string_view tensorBytes(const DLTensor &tensor) {
  if (tensor.device.device_type != kDLCPU)
    TVM_FFI_THROW(ValueError) << "The content of a tensor can be compared and hashed only on the "
                                 "CPU; skip_tensor_content leaves it out";
  if (!IsContiguous(tensor))
    TVM_FFI_THROW(ValueError) << "The content of a tensor can be compared and hashed only where "
                                 "it is compact; skip_tensor_content leaves it out";
  return std::string_view(static_cast<const char *>(tensor.data) + tensor.byte_offset,
                          GetDataSize(tensor));
}

inline const DLTensor &tensorOf(const Object *object) {
  return *TVMFFITensorGetDLTensorPtr(const_cast<Object *>(object));
}

} // namespace tvm::ffi
