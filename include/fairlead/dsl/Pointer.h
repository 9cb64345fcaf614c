/// Addresses in a traced program.
#ifndef FAIRLEAD_DSL_POINTER_H_
#define FAIRLEAD_DSL_POINTER_H_

#include <string>

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// The address of an element of type `dtype` in a memory space ("gmem", "smem", "generic").
/// Arithmetic counts elements.
class FAIRLEAD_API Pointer {
public:
  Pointer() = default;
  Pointer(DType dtype, const void *handle, std::string space, int64_t alignment = 0);
  /// Of the tensor's first element.
  explicit Pointer(const Tensor &tensor);
  /// Of the element at `coordinate`.
  Pointer(const Tensor &tensor, const Scalars &coordinate);

  /// The address that an integer is.
  static Pointer fromInt(DType dtype, const Scalar &address, std::string space,
                         int64_t alignment = 0);

  DType dtype() const { return dtype_; }
  const void *handle() const { return handle_; }
  const std::string &space() const { return space_; }
  /// Bytes by which the address is known to be divisible.
  int64_t alignment() const { return alignment_; }

  /// A swizzle of addresses, which tensors at this pointer have.
  const Swizzle &swizzle() const { return swizzle_; }
  Pointer swizzled(const Swizzle &swizzle) const;

  Pointer operator+(const Scalar &elements) const;
  /// The same address for elements of another type.
  Pointer recast(DType dtype) const;
  /// The same address, with the caller's word that it is divisible by `bytes`.
  Pointer aligned(int64_t bytes) const;
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
  const void *handle_ = nullptr;
  std::string space_ = "gmem";
  int64_t alignment_ = 0;
  Swizzle swizzle_;
};

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_POINTER_H_
