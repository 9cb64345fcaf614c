/// Entries compiled into the test process, with a host program that records its arguments.
#ifndef FAIRLEAD_TESTS_UNIT_ENTRY_ENTRYHARNESS_H_
#define FAIRLEAD_TESTS_UNIT_ENTRY_ENTRYHARNESS_H_

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "artifact/Jit.h"
#include "fairlead/Runtime.h"
#include "fairlead/Signature.h"
#include "tvm/ffi/c_api.h"

namespace fairlead::entry {

/// A one-call view of memory as a tensor argument.
struct TensorArgument {
  DLTensor tensor{};
  std::vector<int64_t> shape, strides;

  TensorArgument(std::vector<int64_t> shapeIn, DType dtype = DType::Float32,
                 std::vector<int64_t> stridesIn = {})
      : shape(std::move(shapeIn)), strides(std::move(stridesIn)) {
    tensor.data = reinterpret_cast<void *>(0x10000);
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = toDLDataType(dtype);
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  TensorArgument(const TensorArgument &) = delete;

  TVMFFIAny any() {
    TVMFFIAny value{};
    value.type_index = kTVMFFIDLTensorPtr;
    value.v_ptr = &tensor;
    return value;
  }
};

TVMFFIAny anyInt(int64_t value);
TVMFFIAny anyFloat(double value);
TVMFFIAny anyBool(bool value);
TVMFFIAny anyNone();
TVMFFIAny anyPointer(void *value);

/// A dimension: `{n}` is symbol n, a plain number is static.
Extent symbol(int index, int64_t coefficient = 1);
Extent fixed(int64_t value);
Param tensorParam(std::string name, std::vector<Extent> shape, DType dtype = DType::Float32,
                  std::vector<Extent> strides = {}, int64_t alignment = 1);

/// The arguments of the host program: each one as 64 bits (floats as the bits of a double), after
/// the context.
struct HostCall {
  int count = 0;
  std::vector<int64_t> values;
  FairleadCallContext context{};
  double asDouble(int index) const {
    double value;
    std::memcpy(&value, &values[index], sizeof value);
    return value;
  }
};

class Entry {
public:
  explicit Entry(const Signature &signature, DLDeviceType device = kDLCPU,
                 const std::string &targets = "cpu");

  /// "" after a call that reached the host program, else "Kind: message".
  std::string call(std::vector<TVMFFIAny> arguments);
  const HostCall &host() const;
  /// The host program fails as a launch does: it raises "RuntimeError: the launch failed".
  bool hostFails = false;

private:
  std::unique_ptr<link::LoadedCode> code;
  TVMFFISafeCallType function;
};

} // namespace fairlead::entry
#endif // FAIRLEAD_TESTS_UNIT_ENTRY_ENTRYHARNESS_H_
