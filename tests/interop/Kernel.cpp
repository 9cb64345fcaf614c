/// A kernel library that is compiled once with Fairlead's headers and once with Apache's,
/// unchanged. It uses only features of both: tensors, text, optionals, containers, functions,
/// errors, and an object type of its own.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

namespace ffi = tvm::ffi;

namespace {

void addOne(ffi::TensorView x, ffi::TensorView y) {
  TVM_FFI_CHECK_EQ(x.size(0), y.size(0), ValueError) << "extents differ";
  for (int64_t i = 0; i < x.size(0); ++i)
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] + 1.0f;
}

ffi::Tensor allocate(ffi::TensorView like) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, like.shape(), like.dtype(), like.device());
}

struct HeapAllocator {
  void AllocData(DLTensor *tensor) { tensor->data = new float[6](); }
  void FreeData(DLTensor *tensor) { delete[] static_cast<float *>(tensor->data); }
};

ffi::Tensor ownTensor() {
  return ffi::Tensor::FromNDAlloc(HeapAllocator(), {2, 3}, DLDataType{kDLFloat, 32, 1},
                                  DLDevice{kDLCPU, 0});
}

int64_t column(ffi::Tensor tensor) { return tensor.as_strided({2}, {3}, 1).stride(0); }

ffi::String describe(ffi::String name, ffi::Optional<int64_t> number, DLDataType dtype) {
  std::string text = std::string(name) + ":" + std::string(ffi::DLDataTypeToString(dtype));
  return number.has_value() ? text + ":" + std::to_string(*number) : text;
}

int64_t sum(ffi::Array<int64_t> values) {
  int64_t total = 0;
  for (int64_t value : values)
    total += value;
  return total;
}

ffi::Array<ffi::Any> triple(ffi::Any value) { return {value, value, value}; }

ffi::Any callBack(ffi::Function f, int64_t x) { return f(x, ffi::String("a string on the heap")); }

void fail(ffi::String message) { TVM_FFI_THROW(IndexError) << message; }

int64_t stream(int32_t type, int32_t id) {
  return reinterpret_cast<int64_t>(TVMFFIEnvGetStream(type, id));
}

class BoxObj : public ffi::Object {
public:
  int64_t content = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Box", BoxObj, ffi::Object);
};

class Box : public ffi::ObjectRef {
public:
  explicit Box(int64_t content) {
    auto box = ffi::make_object<BoxObj>();
    box->content = content;
    data_ = std::move(box);
  }
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Box, ffi::ObjectRef, BoxObj);
};

Box makeBox(int64_t content) { return Box(content); }
int64_t openBox(Box box) { return box->content; }

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, addOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(allocate, allocate);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own_tensor, ownTensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(column, column);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(triple, triple);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_back, callBack);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stream, stream);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_box, makeBox);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(open_box, openBox);

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef().def(INTEROP_PREFIX ".twice", [](int64_t x) { return 2 * x; }, "Doubles.");
}
