/// Argument vectors of arbitrary types and values into typed functions: a result or an error.
#include <vector>

#include "FuzzInput.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

const std::vector<Function> &functions() {
  static auto *made = new std::vector<Function>{
      Function::FromTyped([](int8_t a, uint64_t b, bool c) { return a + (c ? 1 : 0) + (b > 3); }),
      Function::FromTyped([](double a, Optional<int> b) { return a + b.value_or(0); }),
      Function::FromTyped([](TensorView a, Optional<TensorView> b) {
        return a.numel() + (b.has_value() ? 1 : 0) + a.IsContiguous();
      }),
      Function::FromTyped([](String a, Bytes b) { return a.size() + b.size(); }),
      Function::FromTyped([](Array<int> a, Shape b) { return a.size() + b.size(); }),
      Function::FromTyped([](DLDataType a, DLDevice b) { return int64_t(a.bits) + b.device_id; }),
      Function::FromTyped([](Any a, AnyView b) { return a.type_index() + b.type_index(); }),
      Function::FromTyped([](Function a, Tensor b) { return a.defined() || b.defined(); }),
      Function::FromTyped([](void *a, std::string b) { return (a ? 1 : 0) + int64_t(b.size()); }),
  };
  return *made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzInput input(data, size);
  const Function &function = functions()[input.take<uint8_t>() % functions().size()];
  // Pointers of the input get one of these targets.
  char text[8];
  std::memcpy(text, "text", 5);
  TVMFFIByteArray bytes{text, 4};
  int64_t shape[3] = {input.takeExtent(), input.takeExtent(), 2};
  DLTensor tensor{text, {kDLCPU, 0}, 3, {kDLFloat, 32, 1}, shape, nullptr, 0};
  Any held[] = {
      Array<Any>{1, 2.5, String("abcdefghij")}, Shape{2, 3},    String("a text on the heap"),
      Bytes("bytes on the heap", 17),           functions()[0], Array<int>{4, 5}};
  std::vector<TVMFFIAny> args(input.take<uint8_t>() % 6);
  for (TVMFFIAny &arg : args) {
    auto kind = input.take<uint8_t>();
    arg = TVMFFIAny{};
    arg.v_int64 = input.take<int64_t>();
    arg.type_index = kind % 14;
    if (kind >= 200)
      arg = AnyView(held[kind % std::size(held)]).CopyToTVMFFIAny();
    else if (kind >= 180)
      arg.type_index = 14 + kind % 50; // of no type
    else if (arg.type_index == kTVMFFIDLTensorPtr)
      arg.v_ptr = &tensor;
    else if (arg.type_index == kTVMFFIRawStr)
      arg.v_c_str = text;
    else if (arg.type_index == kTVMFFIByteArrayPtr)
      arg.v_ptr = &bytes;
    else if (arg.type_index == kTVMFFIObjectRValueRef)
      arg.type_index = kTVMFFINone;
    else if (arg.type_index == kTVMFFISmallStr || arg.type_index == kTVMFFISmallBytes)
      arg.small_str_len = static_cast<uint32_t>(kind % 8);
  }
  TVMFFIAny result{};
  auto *handle = detail::ObjectUnsafe::TVMFFIObjectPtrFromObjectRef(function);
  if (TVMFFIFunctionCall(handle, args.data(), static_cast<int32_t>(args.size()), &result) != 0)
    takeError();
  else
    static_cast<void>(detail::AnyUnsafe::MoveTVMFFIAnyToAny(&result));
  return 0;
}
