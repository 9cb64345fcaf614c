/// Addresses in a traced program.
#pragma once

#include <string>

#include "fairlead/AddressSpace.h"
#include "fairlead/dsl/Scalar.h"
#include "fairlead/layout/ComposedLayout.h"

namespace fairlead::dsl {

using layout::Swizzle;
class Tensor;

/// The address of an element of type `dtype` in a memory space. Arithmetic counts elements.
class FAIRLEAD_API Pointer {
public:
  Pointer() = default;
  /// `handle`: the IR value; NULL for a pointer that only has a type.
  Pointer(DType dtype, const void *handle, AddressSpace space, int64_t alignment = 0);
  /// Points to the tensor's first element.
  explicit Pointer(const Tensor &tensor);
  /// Points to the element at `coordinate`.
  Pointer(const Tensor &tensor, const Scalars &coordinate);

  /// The address that an integer is.
  static Pointer fromInt(DType dtype, const Scalar &address, AddressSpace space,
                         int64_t alignment = 0);

  DType dtype() const { return dtype_; }
  const void *handle() const { return handle_; }
  AddressSpace space() const { return space_; }
  /// Known divisor of the address in bytes.
  int64_t alignment() const { return alignment_; }

  /// A permutation of byte addresses: it maps this address, and all addresses computed from it, to
  /// their place in memory.
  const Swizzle &swizzle() const { return swizzle_; }
  Pointer swizzled(const Swizzle &swizzle) const;

  Pointer operator+(const Scalar &elements) const;
  /// True if a register with elements of whole bytes is here, so that narrower ones lie packed in
  /// it as in memory. In a register tensor of narrow elements each has a byte.
  bool packsRegisters() const { return packsRegisters_; }
  /// Returns the address as a pointer to another element type.
  Pointer recast(DType dtype) const;
  /// Returns the address with the caller's assumption that it is divisible by `bytes`.
  Pointer aligned(int64_t bytes) const;
  /// Returns a pointer of this type to another address.
  Pointer at(const void *handle) const;
  Scalar load() const;
  void store(const Scalar &value) const;
  /// The address as Int64.
  Scalar toInt() const;
  /// A tensor of this layout whose first element is here.
  Tensor tensor(Scalars shape, Scalars strides) const;

  /// `ptr<f32, smem, align<16>>`
  std::string str() const;

private:
  DType dtype_ = DType::Float32;
  AddressSpace space_ = AddressSpace::Global;
  int64_t alignment_ = 0;
  const void *handle_ = nullptr;
  Swizzle swizzle_;
  bool packsRegisters_ = false;
};

/// "f32" of Float32, as in the text of pointers and tensors.
FAIRLEAD_API std::string elementName(DType type);

} // namespace fairlead::dsl
