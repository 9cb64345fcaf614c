/// Descriptions of arguments, derived from existing tensors.
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Fake.h"
#include "fairlead/layout/Layout.h"

namespace fairlead::dsl {
namespace {

std::vector<int64_t> stridesOf(const DLTensor &tensor) {
  std::vector<int64_t> strides(tensor.ndim);
  int64_t stride = 1;
  for (int mode = tensor.ndim; mode-- > 0; stride *= tensor.shape[mode])
    strides[mode] = tensor.strides ? tensor.strides[mode] : stride;
  return strides;
}

std::string layoutText(const DLTensor &tensor, const std::vector<int64_t> &strides) {
  using layout::IntTuple;
  IntTuple shape(std::vector<IntTuple>(tensor.shape, tensor.shape + tensor.ndim));
  IntTuple stride(std::vector<IntTuple>(strides.begin(), strides.end()));
  return shape.str() + ":" + stride.str();
}

/// Returns the mode with stride 1, or -1.
int leadingModeOf(const DLTensor &tensor, const std::vector<int64_t> &strides,
                  std::optional<int> requested) {
  int rank = tensor.ndim;
  if (requested) {
    if (*requested < -rank || *requested >= rank)
      throw makeError(Diagnostic::LeadingDimRange,
                      {{"rank", std::to_string(rank)}, {"got", std::to_string(*requested)}});
    int mode = (*requested + rank) % rank;
    if (strides[mode] != 1)
      throw makeError(Diagnostic::LeadingDimStride, {{"got", std::to_string(strides[mode])}});
    return mode;
  }
  std::vector<int> ones, wide;
  for (int mode = 0; mode < rank; ++mode)
    if (strides[mode] == 1) {
      ones.push_back(mode);
      if (tensor.shape[mode] > 1)
        wide.push_back(mode);
    }
  if (ones.size() > 1 && wide.size() != 1)
    throw makeError(Diagnostic::LeadingDimUnclear, {{"layout", layoutText(tensor, strides)}});
  return ones.empty() ? -1 : ones.size() == 1 ? ones.front() : wide.front();
}

} // namespace

FakeTensor fakeLike(const DLTensor &tensor, int64_t alignment) {
  std::optional<DType> dtype = fromDLDataType(tensor.dtype);
  if (!dtype)
    throw makeError(Diagnostic::DLPackDType,
                    {{"got", "code " + std::to_string(tensor.dtype.code) + ", bits " +
                                 std::to_string(tensor.dtype.bits) + "x" +
                                 std::to_string(tensor.dtype.lanes)}});
  std::vector<int64_t> strides = stridesOf(tensor);
  FakeTensor fake{*dtype, {tensor.shape, tensor.shape + tensor.ndim}};
  fake.strides.assign(strides.begin(), strides.end());
  fake.alignment = alignment;
  bool onCpu = tensor.device.device_type == kDLCPU || tensor.device.device_type == kDLCUDAHost;
  fake.space = onCpu ? AddressSpace::Generic : AddressSpace::Global;
  return fake;
}

FakeTensor fakeDynamicLike(const DLTensor &tensor, std::optional<int> leadingMode,
                           int64_t alignment) {
  FakeTensor fake = fakeLike(tensor, alignment);
  std::vector<int64_t> strides = stridesOf(tensor);
  int leading = leadingModeOf(tensor, strides, leadingMode);
  for (int mode = 0; mode < tensor.ndim; ++mode) {
    fake.shape[mode] = SymInt();
    if (mode != leading && strides[mode] != 0)
      fake.strides[mode] = SymInt::ofWidth(64);
  }
  return fake;
}

} // namespace fairlead::dsl
