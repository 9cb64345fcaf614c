#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "fairlead/OnnxRuntime.h"
#include "frameworks/RaisedError.h"
#include "frameworks/Room.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::frameworks::onnx {
namespace {

/// The C interface of ONNX Runtime, as far as custom operators need it: places in its table of
/// functions (OrtApi), which never change, and the struct of an operator of version 16.
constexpr uint32_t kVersion = 16;

using Status = void *; ///< an OrtStatus; null: done

enum StatusCode { kFail = 1, kInvalidArgument = 2 };

/// OrtApiBase.
struct ApiBase {
  void *const *(*getApi)(uint32_t version);
  const char *(*getVersion)();
};

/// OrtApi by the names of its functions. Objects are pointers of whatever kind.
struct Api {
  void *const *table;

  template <typename F> F at(size_t place) const { return reinterpret_cast<F>(table[place]); }

  Status createStatus(StatusCode code, const char *text) const {
    return at<Status (*)(int, const char *)>(0)(code, text);
  }
  Status createDomain(const char *name, void **domain) const {
    return at<Status (*)(const char *, void **)>(26)(name, domain);
  }
  Status addOperator(void *domain, const void *op) const {
    return at<Status (*)(void *, const void *)>(27)(domain, op);
  }
  Status addDomain(void *options, void *domain) const {
    return at<Status (*)(void *, void *)>(28)(options, domain);
  }
  Status data(void *value, void **data) const {
    return at<Status (*)(void *, void **)>(51)(value, data);
  }
  Status elementType(const void *info, int *type) const {
    return at<Status (*)(const void *, int *)>(60)(info, type);
  }
  Status rank(const void *info, size_t *rank) const {
    return at<Status (*)(const void *, size_t *)>(61)(info, rank);
  }
  Status extents(const void *info, int64_t *extents, size_t rank) const {
    return at<Status (*)(const void *, int64_t *, size_t)>(62)(info, extents, rank);
  }
  Status typeAndShape(const void *value, void **info) const {
    return at<Status (*)(const void *, void **)>(65)(value, info);
  }
  Status memoryId(const void *memory, int *id) const {
    return at<Status (*)(const void *, int *)>(72)(memory, id);
  }
  Status attribute(const void *node, const char *name, float *value) const {
    return at<Status (*)(const void *, const char *, float *)>(85)(node, name, value);
  }
  Status attribute(const void *node, const char *name, int64_t *value) const {
    return at<Status (*)(const void *, const char *, int64_t *)>(86)(node, name, value);
  }
  Status input(const void *context, size_t index, const void **value) const {
    return at<Status (*)(const void *, size_t, const void **)>(90)(context, index, value);
  }
  Status output(void *context, size_t index, const int64_t *extents, size_t rank,
                void **value) const {
    return at<Status (*)(void *, size_t, const int64_t *, size_t, void **)>(91)(
        context, index, extents, rank, value);
  }
  void releaseInfo(void *info) const { at<void (*)(void *)>(99)(info); }
  Status stream(const void *context, void **stream) const {
    return at<Status (*)(const void *, void **)>(193)(context, stream);
  }
  Status memory(const void *value, const void **memory) const {
    return at<Status (*)(const void *, const void **)>(194)(value, memory);
  }
};

/// OrtCustomOp of version 16.
struct CustomOp {
  uint32_t version;
  void *(*createKernel)(const CustomOp *, void *const *api, const void *info);
  const char *(*name)(const CustomOp *);
  const char *(*provider)(const CustomOp *);
  int (*inputType)(const CustomOp *, size_t index);
  size_t (*numInputs)(const CustomOp *);
  int (*outputType)(const CustomOp *, size_t index);
  size_t (*numOutputs)(const CustomOp *);
  void (*compute)(void *kernel, void *context);
  void (*destroy)(void *kernel);
  int (*inputCharacteristic)(const CustomOp *, size_t index);
  int (*outputCharacteristic)(const CustomOp *, size_t index);
  int (*inputMemory)(const CustomOp *, size_t index);
  int (*variadicInputMinArity)(const CustomOp *);
  int (*variadicInputHomogeneity)(const CustomOp *);
  int (*variadicOutputMinArity)(const CustomOp *);
  int (*variadicOutputHomogeneity)(const CustomOp *);
  Status (*createKernel2)(const CustomOp *, void *const *api, const void *info, void **kernel);
  Status (*compute2)(void *kernel, void *context);
  /// Fields of later versions, which an operator of this version does not have.
  void *later[8];
};

/// Returns the DLPack type of ONNX's element type, or a type of 0 bits.
DLDataType elementTypeOf(int onnx) {
  static constexpr DLDataType kTypes[] = {{},
                                          {kDLFloat, 32, 1},
                                          {kDLUInt, 8, 1},
                                          {kDLInt, 8, 1},
                                          {kDLUInt, 16, 1},
                                          {kDLInt, 16, 1},
                                          {kDLInt, 32, 1},
                                          {kDLInt, 64, 1},
                                          {},
                                          {kDLBool, 8, 1},
                                          {kDLFloat, 16, 1},
                                          {kDLFloat, 64, 1},
                                          {kDLUInt, 32, 1},
                                          {kDLUInt, 64, 1},
                                          {},
                                          {},
                                          {kDLBfloat, 16, 1}};
  return onnx >= 0 && static_cast<size_t>(onnx) < std::size(kTypes) ? kTypes[onnx] : DLDataType{};
}

/// An operator for one execution provider. Lives as long as the process.
struct Op : CustomOp {
  const FairleadOnnxOperator *about;
  bool onCuda;
  std::vector<int> tensors; ///< numbers of the arguments that are tensors

  static const Op &of(const CustomOp *op) { return *static_cast<const Op *>(op); }
};

/// A node of a model.
struct Node {
  const Op *op;
  Api api;
  std::vector<TVMFFIAny> numbers; ///< by argument
};

/// A failure on the way: what ONNX Runtime said, or a text of ours.
class Failure {
public:
  Failure(Status status) : status(status) {}
  Status status;
};

void require(Status status) {
  if (status) [[unlikely]]
    throw Failure(status);
}

/// One run of a node.
class Run {
public:
  Run(const Node &node, void *context)
      : node(node), api(node.api), about(*node.op->about), kernel(about.kernel), context(context),
        values(static_cast<size_t>(kernel.num_params)),
        tensors(static_cast<size_t>(kernel.num_params)),
        shapes(static_cast<size_t>(kernel.num_params)) {}

  void run() {
    device = {node.op->onCuda ? kDLCUDA : kDLCPU, 0};
    for (int param = 0; param < kernel.num_params; ++param)
      if (int argument = kernel.params[param].input; argument >= 0)
        take(param, argument);
    for (int i = 0; i < kernel.num_outputs; ++i)
      allocate(i);
    call();
  }

private:
  void take(int param, int argument) {
    if (kernel.params[param].kind != kFairleadTorchTensor) {
      values[size_t(param)] = node.numbers[size_t(argument)];
      return;
    }
    size_t place = 0;
    while (node.op->tensors[place] != argument)
      ++place;
    const void *value = nullptr;
    require(api.input(context, place, &value));
    void *info = nullptr;
    require(api.typeAndShape(value, &info));
    size_t rank = 0;
    int type = 0;
    Status status = api.rank(info, &rank);
    if (!status)
      status = api.elementType(info, &type);
    if (!status) {
      shapes[size_t(param)].resize(rank);
      status = api.extents(info, shapes[size_t(param)].data(), rank);
    }
    api.releaseInfo(info);
    require(status);
    if (node.op->onCuda && device.device_id == 0) {
      const void *memory = nullptr;
      require(api.memory(value, &memory));
      int id = 0;
      require(api.memoryId(memory, &id));
      device.device_id = id;
    }
    show(param, const_cast<void *>(value), elementTypeOf(type));
  }

  void show(int param, void *value, DLDataType type) {
    DLTensor &tensor = tensors[size_t(param)];
    tensor = {};
    require(api.data(value, &tensor.data));
    tensor.device = device;
    tensor.ndim = static_cast<int32_t>(shapes[size_t(param)].size());
    tensor.dtype = type;
    tensor.shape = shapes[size_t(param)].data();
    values[size_t(param)] = {};
    values[size_t(param)].type_index = kTVMFFIDLTensorPtr;
    values[size_t(param)].v_ptr = &tensor;
  }

  int64_t symbol(int64_t index) const {
    const FairleadTorchSymbol &source = kernel.symbols[index];
    if (source.mode < 0)
      return node.numbers[size_t(source.input)].v_int64;
    for (int param = 0; param < kernel.num_params; ++param)
      if (kernel.params[param].input == source.input)
        return size_t(source.mode) < shapes[size_t(param)].size()
                   ? shapes[size_t(param)][size_t(source.mode)]
                   : 0;
    return 0;
  }

  void allocate(int number) {
    const FairleadTorchOutput &output = kernel.outputs[number];
    auto &shape = shapes[size_t(output.param)];
    const int64_t *code = output.extents;
    for (int mode = 0; mode < output.rank; ++mode)
      shape.push_back(evaluate(code, [&](int64_t index) { return symbol(index); }));
    void *value = nullptr;
    require(api.output(context, size_t(number), shape.data(), shape.size(), &value));
    show(output.param, value, elementTypeOf(about.output_types[number]));
  }

  void call() {
    void *stream = nullptr;
    TVMFFIStreamHandle old = nullptr;
    if (node.op->onCuda) {
      require(api.stream(context, &stream));
      TVMFFIEnvSetStream(kDLCUDA, device.device_id, stream, &old);
    }
    for (int param = 0; param < kernel.num_params; ++param)
      if (kernel.params[param].kind == kFairleadTorchStream) {
        values[size_t(param)] = {};
        values[size_t(param)].type_index = kTVMFFIOpaquePtr;
        values[size_t(param)].v_ptr = stream;
      }
    TVMFFIAny result = {};
    int code = kernel.entry(kernel.handle, values.data(), kernel.num_params, &result);
    if (node.op->onCuda)
      TVMFFIEnvSetStream(kDLCUDA, device.device_id, old, nullptr);
    if (code)
      throw Failure(raised());
    if (result.type_index >= kTVMFFIStaticObjectBegin)
      TVMFFIObjectDecRef(result.v_obj);
  }

  /// The error that is raised in this thread, as a status.
  Status raised() const {
    const RaisedError error = takeRaisedError();
    return api.createStatus(runtime::isInvalidArgument(error.kind) ? kInvalidArgument : kFail,
                            error.namedMessage.c_str());
  }

  const Node &node;
  const Api &api;
  const FairleadOnnxOperator &about;
  const FairleadTorchKernel &kernel;
  void *context;
  DLDevice device;
  std::vector<TVMFFIAny> values; ///< these by parameter
  std::vector<DLTensor> tensors;
  std::vector<std::vector<int64_t>> shapes;
};

/// Runs `what` and turns an exception into a status.
template <typename What> Status guarded(const Api &api, What &&what) noexcept {
  try {
    what();
    return nullptr;
  } catch (const Failure &failure) {
    return failure.status;
  } catch (const std::exception &error) {
    return api.createStatus(kFail, error.what());
  }
}

TVMFFIAny readNumber(const Api &api, const void *info, const FairleadOnnxArgument &argument) {
  TVMFFIAny number = {};
  if (argument.kind == kFairleadTorchFloat) {
    float value = 0;
    require(api.attribute(info, argument.name, &value));
    number.type_index = kTVMFFIFloat;
    number.v_float64 = value;
    return number;
  }
  int64_t value = 0;
  require(api.attribute(info, argument.name, &value));
  number.type_index = argument.kind == kFairleadTorchBool ? kTVMFFIBool : kTVMFFIInt;
  number.v_int64 = argument.kind == kFairleadTorchBool ? value != 0 : value;
  return number;
}

Status createNode(const CustomOp *op, void *const *table, const void *info, void **kernel) {
  const Api api{table};
  return guarded(api, [&] {
    auto node = std::make_unique<Node>(Node{&Op::of(op), api, {}});
    const FairleadOnnxOperator &about = *node->op->about;
    for (int i = 0; i < about.kernel.num_inputs; ++i)
      node->numbers.push_back(about.arguments[i].kind == kFairleadTorchTensor
                                  ? TVMFFIAny{}
                                  : readNumber(api, info, about.arguments[i]));
    *kernel = node.release();
  });
}

Status runNode(void *kernel, void *context) {
  const Node &node = *static_cast<const Node *>(kernel);
  return guarded(node.api, [&] { Run(node, context).run(); });
}

CustomOp *makeOp(const FairleadOnnxOperator &about, bool onCuda) {
  auto *op = new Op();
  op->about = &about;
  op->onCuda = onCuda;
  for (int i = 0; i < about.kernel.num_inputs; ++i)
    if (about.arguments[i].kind == kFairleadTorchTensor)
      op->tensors.push_back(i);
  op->version = kVersion;
  op->name = [](const CustomOp *op) { return Op::of(op).about->name; };
  op->provider = [](const CustomOp *op) {
    return Op::of(op).onCuda ? "CUDAExecutionProvider" : "CPUExecutionProvider";
  };
  op->inputType = [](const CustomOp *op, size_t index) -> int {
    return Op::of(op).about->arguments[Op::of(op).tensors[index]].element_type;
  };
  op->numInputs = [](const CustomOp *op) { return Op::of(op).tensors.size(); };
  op->outputType = [](const CustomOp *op, size_t index) -> int {
    return Op::of(op).about->output_types[index];
  };
  op->numOutputs = [](const CustomOp *op) { return size_t(Op::of(op).about->kernel.num_outputs); };
  op->destroy = [](void *kernel) { delete static_cast<Node *>(kernel); };
  auto zero = [](const CustomOp *, size_t) { return 0; }; // required; in the provider's memory
  op->inputCharacteristic = op->outputCharacteristic = op->inputMemory = zero;
  auto one = [](const CustomOp *) { return 1; };
  op->variadicInputMinArity = op->variadicInputHomogeneity = one;
  op->variadicOutputMinArity = op->variadicOutputHomogeneity = one;
  op->createKernel2 = createNode;
  op->compute2 = runNode;
  return op;
}

/// The domain with the operators, made once for each library: sessions refer to it.
void *domainOf(const Api &api, const char *name, const FairleadOnnxOperator *operators,
               int32_t count) {
  static std::mutex mutex;
  static auto *known = new std::map<const FairleadOnnxOperator *, void *>;
  std::lock_guard lock(mutex);
  void *&domain = (*known)[operators];
  if (domain)
    return domain;
  void *made = nullptr;
  require(api.createDomain(name, &made));
  for (int32_t i = 0; i < count; ++i)
    for (auto [device, onCuda] : {std::pair(kFairleadTorchCpu, false), {kFairleadTorchCuda, true}})
      if (operators[i].devices & device)
        require(api.addOperator(made, makeOp(operators[i], onCuda)));
  return domain = made;
}

} // namespace

} // namespace fairlead::frameworks::onnx

extern "C" void *FairleadOnnxRegister(void *options, const void *base, const char *domain,
                                      const FairleadOnnxOperator *operators, int32_t count) {
  using namespace fairlead::frameworks::onnx;
  const Api api{static_cast<const ApiBase *>(base)->getApi(kVersion)};
  if (!api.table) {
    // Older than 1.16. Every version has the functions of the first one.
    const Api first{static_cast<const ApiBase *>(base)->getApi(1)};
    return first.table ? first.createStatus(kFail, "custom operators of Fairlead need ONNX Runtime "
                                                   "1.16 or newer")
                       : nullptr;
  }
  return guarded(api,
                 [&] { require(api.addDomain(options, domainOf(api, domain, operators, count))); });
}
