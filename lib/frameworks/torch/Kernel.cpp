#include "frameworks/torch/Kernel.h"

#include <cstring>
#include <new>
#include <stdexcept>

#include "frameworks/RaisedError.h"
#include "frameworks/Room.h"
#include "runtime/Raise.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::frameworks::torch {

[[gnu::cold]] void throwRaised() {
  using runtime::ErrorKind;
  const RaisedError error = takeRaisedError();
  switch (error.kind) {
  case ErrorKind::Value:
    throw std::invalid_argument(error.message);
  case ErrorKind::Index:
    throw std::out_of_range(error.message);
  case ErrorKind::Memory:
    throw std::bad_alloc();
  case ErrorKind::Runtime:
    throw std::runtime_error(error.message);
  case ErrorKind::Type:
  case ErrorKind::Other:
    throw std::runtime_error(error.namedMessage);
  }
  __builtin_unreachable();
}

std::string argumentName(std::string_view schema, int32_t index) {
  size_t at = schema.find('(');
  const size_t end = schema.find(") ->");
  if (at == schema.npos || end == schema.npos)
    return "an argument";
  std::string_view rest = schema.substr(at + 1, end - at - 1);
  for (size_t comma; index > 0 && (comma = rest.find(", ")) != rest.npos; --index)
    rest.remove_prefix(comma + 2);
  rest = rest.substr(0, rest.find(", "));
  return std::string(rest.substr(rest.rfind(' ') + 1));
}

namespace {

class BoxedCall {
public:
  BoxedCall(Word *stack, const KernelContext &context)
      : stack(stack), context(context), kernel(*context.kernel), shim(*context.shim) {}
  BoxedCall(const BoxedCall &) = delete;
  BoxedCall &operator=(const BoxedCall &) = delete;

  ~BoxedCall() {
    for (int i = 0; i < kernel.num_params; ++i)
      if (kernel.params[i].kind == kFairleadTorchTensor && kernel.params[i].input >= 0)
        shim.deleteTensor(reinterpret_cast<Handle>(stack[kernel.params[i].input]));
    for (int i = 0; i < numMade; ++i)
      shim.deleteTensor(made[i]);
  }

  /// The results are in `made` afterwards.
  void run() {
    values = valueRoom.take(static_cast<size_t>(kernel.num_params));
    tensors = tensorRoom.take(static_cast<size_t>(kernel.num_params));
    for (int i = 0; i < kernel.num_params; ++i)
      if (kernel.params[i].input >= 0)
        read(i, stack[kernel.params[i].input]);
    refuseOverlaps();
    allocate();
    noteWrites();
    call();
  }

  /// Gives the results to the caller, in whose words they are.
  int takeResults(Word *results) {
    const int count = numMade;
    for (int i = 0; i < count; ++i)
      results[i] = reinterpret_cast<Word>(made[i]);
    numMade = 0;
    return count;
  }

private:
  void require(Status status, const char *what) {
    if (status) [[unlikely]]
      throw std::runtime_error(std::string(kernel.name) + ": torch does not tell " + what +
                               (shim.what ? std::string(": ") + shim.what() : ""));
  }

  void read(int param, Word word) {
    TVMFFIAny &value = values[param];
    value = {};
    switch (kernel.params[param].kind) {
    case kFairleadTorchTensor:
      show(param, reinterpret_cast<Handle>(word));
      return;
    case kFairleadTorchFloat:
      value.type_index = kTVMFFIFloat;
      std::memcpy(&value.v_float64, &word, sizeof word);
      return;
    case kFairleadTorchBool:
      value.type_index = kTVMFFIBool;
      value.v_int64 = (word & 0xff) != 0;
      return;
    default:
      value.type_index = kTVMFFIInt;
      value.v_int64 = static_cast<int64_t>(word);
    }
  }

  void show(int param, Handle tensor) {
    DLTensor &shown = tensors[param];
    int64_t rank = 0;
    int32_t dtype = 0, deviceType = 0, deviceIndex = 0;
    if (shim.autogradMeta)
      refuseTangent(param, tensor);
    require(shim.rank(tensor, &rank), "a tensor's rank");
    require(shim.sizes(tensor, &shown.shape), "a tensor's sizes");
    require(shim.strides(tensor, &shown.strides), "a tensor's strides");
    require(shim.dtype(tensor, &dtype), "a tensor's dtype");
    require(shim.deviceType(tensor, &deviceType), "a tensor's device");
    require(shim.deviceIndex(tensor, &deviceIndex), "a tensor's device");
    require(shim.data(tensor, &shown.data), "where a tensor's memory is");
    shown.ndim = static_cast<int32_t>(rank);
    shown.dtype = shim.elementType(dtype);
    if (!shown.dtype.bits)
      throw std::invalid_argument(std::string(kernel.name) + ": torch's dtype number " +
                                  std::to_string(dtype) + " has no DLPack type");
    shown.device = {deviceType == shim.cuda  ? kDLCUDA
                    : deviceType == shim.cpu ? kDLCPU
                                             : kDLExtDev,
                    deviceIndex < 0 ? 0 : deviceIndex};
    shown.byte_offset = 0;
    if (!first)
      first = &shown, firstType = deviceType, firstIndex = deviceIndex;
    values[param] = {};
    values[param].type_index = kTVMFFIDLTensorPtr;
    values[param].v_ptr = &shown;
  }

  /// Forward mode would go on without it.
  void refuseTangent(int param, Handle tensor) {
    const void *impl;
    std::memcpy(&impl, tensor, sizeof impl);
    if (!shim.autogradMeta(impl) || *shim.tangent(impl, 0, tensor) == shim.undefined) [[likely]]
      return;
    runtime::raise(nullptr, Diagnostic::TorchTangent,
                   {{"function", kernel.name},
                    {"name", argumentName(context.schema, kernel.params[param].input)}});
    throwRaised();
  }

  bool isTensor(int param) const {
    return kernel.params[param].kind == kFairleadTorchTensor && kernel.params[param].input >= 0;
  }

  /// A tensor that is written shares no element with another one.
  void refuseOverlaps() {
    for (int i = 0; i < kernel.num_params; ++i) {
      if (!kernel.params[i].written) [[likely]]
        continue;
      const Span own(tensors[i]);
      for (int j = 0; j < kernel.num_params; ++j)
        if (i != j && isTensor(j) && (j > i || !kernel.params[j].written) &&
            own.meets(Span(tensors[j]))) [[unlikely]]
          refuseOverlap(i, j);
    }
  }

  [[gnu::cold]] void refuseOverlap(int param, int other) {
    const bool isSame = isSameTensor(tensors[param], tensors[other]);
    if (isSame && (mayBe(param, other) || mayBe(other, param)))
      return;
    if (!haveCommonElements(tensors[param], tensors[other]))
      return;
    const int32_t place = kernel.params[param].input, otherPlace = kernel.params[other].input;
    const std::string name = argumentName(context.schema, place);
    const std::string otherName = argumentName(context.schema, otherPlace);
    runtime::raise(nullptr, Diagnostic::TorchOverlap,
                   {{"function", context.schema},
                    {"index", std::to_string(place)},
                    {"written", name},
                    {"other", std::to_string(otherPlace)},
                    {"name", otherName},
                    {"hint", isSame ? ". If the function may write over what it reads, say so: "
                                      "fairlead.torch.op(..., may_alias={\"" +
                                          name + "\": \"" + otherName + "\"})"
                                    : ""}});
    throwRaised();
  }

  bool mayBe(int param, int other) const {
    return kernel.params[param].written == kFairleadTorchMayAlias + other;
  }

  /// Backward passes then notice that a tensor which they saved has changed.
  void noteWrites() {
    for (int i = 0; i < kernel.num_params && shim.bumpVersion; ++i)
      if (kernel.params[i].written)
        shim.bumpVersion(reinterpret_cast<Handle>(stack[kernel.params[i].input]));
  }

  int64_t symbol(int64_t index) const {
    const FairleadTorchSymbol &source = kernel.symbols[index];
    if (source.mode < 0)
      return static_cast<int64_t>(stack[source.input]);
    for (int i = 0; i < kernel.num_params; ++i)
      if (kernel.params[i].input == source.input)
        return source.mode < tensors[i].ndim ? tensors[i].shape[source.mode] : 0;
    return 0;
  }

  int64_t evaluate(const int64_t *&code) const {
    return frameworks::evaluate(code, [this](int64_t index) { return symbol(index); });
  }

  void allocate() {
    if (!kernel.num_outputs)
      return;
    made = madeRoom.take(static_cast<size_t>(kernel.num_outputs));
    for (int i = 0; i < kernel.num_outputs; ++i) {
      const FairleadTorchOutput &output = kernel.outputs[i];
      const size_t rank = static_cast<size_t>(output.rank);
      Room<int64_t, 16> room;
      int64_t *sizes = room.take(2 * rank), *strides = sizes + rank;
      const int64_t *code = output.extents;
      for (size_t mode = 0; mode < rank; ++mode)
        sizes[mode] = evaluate(code);
      if (output.compact) {
        int64_t stride = 1;
        for (size_t mode = rank; mode-- > 0;) {
          strides[mode] = stride;
          stride *= sizes[mode] > 1 ? sizes[mode] : 1;
        }
      } else {
        for (size_t mode = 0; mode < rank; ++mode)
          strides[mode] = evaluate(code);
      }
      int32_t dtype;
      if (output.dtype_from >= 0)
        require(shim.dtype(reinterpret_cast<Handle>(stack[output.dtype_from]), &dtype),
                "a tensor's dtype");
      else
        dtype = shim.codeOf(output.dtype);
      require(shim.emptyStrided(output.rank, sizes, strides, dtype, first ? firstType : shim.cpu,
                                first ? firstIndex : 0, &made[numMade]),
              "of memory for a result");
      show(output.param, made[numMade++]);
    }
  }

  void call() {
    const bool onCuda = first && first->device.device_type == kDLCUDA;
    void *stream = nullptr;
    if (onCuda && shim.cudaStream)
      require(shim.cudaStream(first->device.device_id, &stream), "its current stream");
    for (int i = 0; i < kernel.num_params; ++i)
      if (kernel.params[i].kind == kFairleadTorchStream) {
        values[i] = {};
        values[i].type_index = kTVMFFIOpaquePtr;
        values[i].v_ptr = stream;
      }
    TVMFFIStreamHandle old = nullptr;
    if (onCuda && TVMFFIEnvSetStream(kDLCUDA, first->device.device_id, stream, &old))
      throwRaised();
    TVMFFIAny result = {};
    TVMFFISafeCallType entry =
        kernel.entry ? kernel.entry : TVMFFIFunctionGetCellPtr(kernel.handle)->safe_call;
    const int code = entry(kernel.handle, values, kernel.num_params, &result);
    if (onCuda)
      TVMFFIEnvSetStream(kDLCUDA, first->device.device_id, old, nullptr);
    if (code) [[unlikely]]
      throwRaised();
    if (result.type_index >= kTVMFFIStaticObjectBegin)
      TVMFFIObjectDecRef(result.v_obj);
  }

  Word *stack;
  const KernelContext &context;
  const FairleadTorchKernel &kernel;
  const Shim &shim;
  Room<TVMFFIAny, 12> valueRoom;
  Room<DLTensor, 12> tensorRoom;
  Room<Handle, 4> madeRoom;
  TVMFFIAny *values = nullptr;
  DLTensor *tensors = nullptr; ///< by parameter
  Handle *made = nullptr;
  int numMade = 0;
  const DLTensor *first = nullptr;
  int32_t firstType = 0, firstIndex = 0;
};

} // namespace

void runBoxed(Word *stack, uint64_t, uint64_t, const KernelContext *context) {
  Word results[64];
  int count;
  {
    BoxedCall call(stack, *context);
    call.run();
    count = call.takeResults(results);
  }
  std::memcpy(stack, results, static_cast<size_t>(count) * sizeof(Word));
}

} // namespace fairlead::frameworks::torch
