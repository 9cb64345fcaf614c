#include "TensorCheck.h"

#include <algorithm>

#include "tvm/ffi/container/tensor.h"
#include "tvm/ffi/error.h"

using namespace tvm::ffi;

namespace {

// Far above any framework's; a rank beyond it is a field that was never set.
constexpr int32_t kMaxRank = 4096;

void requireShape(const DLTensor &tensor, const char *function) {
  if (TVM_FFI_PREDICT_FALSE(tensor.ndim < 0))
    TVM_FFI_THROW(ValueError) << function << ": ndim is " << tensor.ndim
                              << ", but at least 0 is expected";
  if (TVM_FFI_PREDICT_FALSE(tensor.ndim > kMaxRank))
    TVM_FFI_THROW(ValueError) << function << ": ndim is " << tensor.ndim << ", but at most "
                              << kMaxRank << " is expected";
  if (TVM_FFI_PREDICT_FALSE(tensor.ndim > 0 && !tensor.shape))
    TVM_FFI_THROW(ValueError) << function << ": shape is a null pointer, but " << tensor.ndim
                              << " extents are expected";
  for (int32_t i = 0; i < tensor.ndim; ++i)
    if (TVM_FFI_PREDICT_FALSE(tensor.shape[i] < 0))
      TVM_FFI_THROW(ValueError) << function << ": extent " << i << " is " << tensor.shape[i]
                                << ", but at least 0 is expected";
}

[[noreturn]] TVM_FFI_COLD_CODE void failSize(const char *function) {
  TVM_FFI_THROW(ValueError) << function
                            << ": shape and dtype make more bytes than an address can count";
  TVM_FFI_UNREACHABLE();
}

/// Bits of an element, never 0, so that huge shapes count also where the type has no size.
int64_t elementBits(DLDataType dtype) {
  // Scalable vectors have negative lanes; how many is known to their machine alone.
  auto lanes = static_cast<int16_t>(dtype.lanes);
  return std::max<int64_t>(1, int64_t(dtype.bits) * std::max<int64_t>(1, lanes));
}

/// Returns the number of elements. Throws if their bits overflow.
int64_t countElements(const DLTensor &tensor, const char *function) {
  int64_t bits = elementBits(tensor.dtype), count = 1;
  bool overflow = false;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0)
      return 0;
    overflow |= __builtin_mul_overflow(bits, tensor.shape[i], &bits);
    count =
        static_cast<int64_t>(static_cast<uint64_t>(count) * static_cast<uint64_t>(tensor.shape[i]));
  }
  if (TVM_FFI_PREDICT_FALSE(overflow))
    failSize(function);
  return count;
}

/// Throws where the last element lies further away than an offset can say.
void requireReach(const DLTensor &tensor, const char *function) {
  int64_t bits = elementBits(tensor.dtype), before = 0, after = 0;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    int64_t reach = 0;
    bool overflow =
        __builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach) ||
        __builtin_mul_overflow(reach, bits, &reach) ||
        __builtin_add_overflow(reach < 0 ? before : after, reach, reach < 0 ? &before : &after);
    if (TVM_FFI_PREDICT_FALSE(overflow))
      TVM_FFI_THROW(ValueError) << function << ": stride " << i << " is " << tensor.strides[i]
                                << ", which reaches beyond all addresses with extent "
                                << tensor.shape[i];
  }
}

} // namespace

void tvm::ffi::requireValidTensor(const DLTensor &tensor, const char *function, TensorPart part) {
  requireShape(tensor, function);
  int64_t count = countElements(tensor, function);
  if (part == TensorPart::Shape)
    return;
  if (count > 0) {
    if (TVM_FFI_PREDICT_FALSE(!tensor.data))
      TVM_FFI_THROW(ValueError) << function << ": data is a null pointer, but the tensor has "
                                << count << (count == 1 ? " element" : " elements");
    if (tensor.strides)
      requireReach(tensor, function);
  }
  uintptr_t end;
  if (TVM_FFI_PREDICT_FALSE(
          tensor.byte_offset > INT64_MAX ||
          (IsDirectAddressDevice(tensor.device) &&
           __builtin_add_overflow(reinterpret_cast<uintptr_t>(tensor.data),
                                  static_cast<uintptr_t>(tensor.byte_offset), &end))))
    TVM_FFI_THROW(ValueError) << function << ": byte_offset is " << tensor.byte_offset
                              << ", which is beyond all addresses";
}
