#include "frameworks/xla/Call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "dlpack/dlpack.h"
#include "frameworks/RaisedError.h"
#include "frameworks/Room.h"
#include "runtime/Raise.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::frameworks::xla {
DLDataType elementType(int dtype) {
  static constexpr struct {
    int dtype;
    DLDataTypeCode code;
    uint8_t bits;
  } kTypes[] = {{kPred, kDLBool, 8},
                {kS8, kDLInt, 8},
                {kS16, kDLInt, 16},
                {kS32, kDLInt, 32},
                {kS64, kDLInt, 64},
                {kU8, kDLUInt, 8},
                {kU16, kDLUInt, 16},
                {kU32, kDLUInt, 32},
                {kU64, kDLUInt, 64},
                {kF16, kDLFloat, 16},
                {kF32, kDLFloat, 32},
                {kF64, kDLFloat, 64},
                {kBF16, kDLBfloat, 16},
                {kC64, kDLComplex, 64},
                {kC128, kDLComplex, 128},
                {kF8E5M2, kDLFloat8_e5m2, 8},
                {kF8E4M3FN, kDLFloat8_e4m3fn, 8},
                {kF8E4M3B11FNUZ, kDLFloat8_e4m3b11fnuz, 8},
                {kF8E5M2FNUZ, kDLFloat8_e5m2fnuz, 8},
                {kF8E4M3FNUZ, kDLFloat8_e4m3fnuz, 8},
                {kF8E4M3, kDLFloat8_e4m3, 8},
                {kF8E3M4, kDLFloat8_e3m4, 8},
                {kF8E8M0FNU, kDLFloat8_e8m0fnu, 8}};
  for (const auto &type : kTypes)
    if (type.dtype == dtype)
      return {static_cast<uint8_t>(type.code), type.bits, 1};
  return {};
}

namespace {

Error *makeError(const Frame &frame, const char *text, Code code) {
  ErrorCreateArgs args{{FAIRLEAD_XLA_SIZE(ErrorCreateArgs, code), nullptr}, text, code};
  return frame.api->createError(&args);
}

void destroy(const Frame &frame, Error *error) {
  ErrorDestroyArgs args{{FAIRLEAD_XLA_SIZE(ErrorDestroyArgs, error), nullptr}, error};
  frame.api->destroyError(&args);
}

/// One tensor of a call: a buffer and the position of the batch's members in it.
struct Tensor {
  const Buffer *buffer;
  DLTensor shown;
  int batchModes;
  int64_t memberBytes;
};

void releaseTensor(DLManagedTensorVersioned *managed) { std::free(managed); }

/// Decodes a frame, in the order of the function's parameters.
class FrameCall {
public:
  FrameCall(const Frame &frame, const FairleadXlaFunction &function)
      : frame(frame), function(function) {}
  FrameCall(const FrameCall &) = delete;
  FrameCall &operator=(const FrameCall &) = delete;
  ~FrameCall() {
    for (int i = 0; i < numArguments; ++i)
      if (arguments[i].type_index >= kTVMFFIStaticObjectBegin)
        TVMFFIObjectDecRef(arguments[i].v_obj);
  }

  /// False with an error raised.
  bool run(int32_t deviceType) {
    if (!findDevice(deviceType) || !collect() || !findBatch())
      return false;
    TVMFFIStreamHandle old = nullptr;
    const bool hasStream = device.device_type != kDLCPU;
    if (hasStream && TVMFFIEnvSetStream(device.device_type, device.device_id, stream, &old))
      return false;
    const bool done = batchRank ? runBatch() : runOnce();
    if (hasStream)
      TVMFFIEnvSetStream(device.device_type, device.device_id, old, nullptr);
    return done;
  }

private:
  bool fail(Diagnostic id, DiagnosticArgs args) {
    runtime::raise(nullptr, id, args);
    return false;
  }

  bool findDevice(int32_t type) {
    device = {static_cast<DLDeviceType>(type ? type : kDLCPU), 0};
    if (type == kDLCPU)
      return true;
    StreamArgs streamArgs{{FAIRLEAD_XLA_SIZE(StreamArgs, stream), nullptr}, frame.context, nullptr};
    if (Error *error = frame.api->getStream(&streamArgs)) {
      destroy(frame, error); // XLA's CPU has none
      device.device_type = kDLCPU;
      return true;
    }
    stream = streamArgs.stream;
    device.device_type = kDLCUDA;
    OrdinalArgs place{{FAIRLEAD_XLA_SIZE(OrdinalArgs, ordinal), nullptr}, frame.context, 0};
    if (frame.api->header.size >= FAIRLEAD_XLA_SIZE(Api, getDeviceOrdinal)) {
      if (Error *error = frame.api->getDeviceOrdinal(&place))
        destroy(frame, error);
      else
        device.device_id = place.ordinal;
    }
    return true;
  }

  int64_t numBuffers() const { return frame.inputs.count + frame.results.count; }
  const Buffer *buffer(int64_t index) const {
    return index < frame.inputs.count ? frame.inputs.items[index]
                                      : frame.results.items[index - frame.inputs.count];
  }

  /// Makes an argument of each parameter.
  bool collect() {
    const int64_t most = function.num_params + numBuffers();
    arguments = argumentRoom.take(static_cast<size_t>(most));
    tensors = tensorRoom.take(static_cast<size_t>(most));
    size_t modes = 0;
    for (int64_t i = 0; i < numBuffers(); ++i)
      modes += static_cast<size_t>(buffer(i)->rank);
    places = Integers{};
    if (frame.attributes.count) {
      places = findIntegers(frame.attributes, "fairlead_buffers");
      layouts = findIntegers(frame.attributes, "fairlead_layouts");
      kernelModes = findIntegers(frame.attributes, "fairlead_modes");
    }
    // A buffer may be several tensors: an input that a result aliases.
    if (places.count)
      for (size_t i = 0; i < places.count; ++i)
        if (places.data[i] >= 0 && places.data[i] < numBuffers())
          modes += static_cast<size_t>(buffer(places.data[i])->rank);
    extents = extentRoom.take(2 * modes);
    for (int32_t i = 0; i < function.num_params; ++i)
      if (!add(function.params[i], i))
        return false;
    if (!places.count && next != numBuffers() && !hasLists)
      return failCount(next);
    return true;
  }

  bool failCount(int64_t expected) {
    return fail(Diagnostic::XlaBuffers, {{"function", function.name},
                                         {"expected", std::to_string(expected)},
                                         {"got", std::to_string(numBuffers())}});
  }

  int64_t numTensorParams() const {
    int64_t count = 0;
    for (int32_t i = 0; i < function.num_params; ++i)
      count += function.params[i].kind == kFairleadXlaTensor;
    return count;
  }

  bool add(const FairleadXlaParam &param, int32_t position) {
    switch (param.kind) {
    case kFairleadXlaTensor: {
      const int64_t index =
          static_cast<size_t>(position) < places.count ? places.data[position] : next++;
      if (index < 0 || index >= numBuffers())
        return failCount(numTensorParams());
      return addTensor(*buffer(index), param.rank, param.name);
    }
    case kFairleadXlaInputs:
      hasLists = true;
      for (int64_t i = 0; i < frame.inputs.count; ++i)
        if (!addTensor(*frame.inputs.items[i], param.rank, "an input"))
          return false;
      return true;
    case kFairleadXlaResults:
      hasLists = true;
      for (int64_t i = 0; i < frame.results.count; ++i)
        if (!addTensor(*frame.results.items[i], param.rank, "a result"))
          return false;
      return true;
    case kFairleadXlaStream:
      arguments[numArguments] = {};
      arguments[numArguments].type_index = kTVMFFIOpaquePtr;
      arguments[numArguments++].v_ptr = stream;
      return true;
    default:
      return addNumber(param);
    }
  }

  bool addNumber(const FairleadXlaParam &param) {
    const Attribute attribute = find(frame.attributes, param.name);
    TVMFFIAny value;
    if (!attribute.type || !toArgument(attribute, &value))
      return fail(Diagnostic::XlaNumber,
                  {{"function", function.name},
                   {"name", param.name},
                   {"got", attribute.type ? "one that no argument can be" : "none"}});
    arguments[numArguments++] = value;
    return true;
  }

  bool addTensor(const Buffer &buffer, int32_t rank, const char *name) {
    const DLDataType type = elementType(buffer.dtype);
    if (!type.bits)
      return fail(
          Diagnostic::XlaElementType,
          {{"function", function.name}, {"name", name}, {"got", std::to_string(buffer.dtype)}});
    const int modes = rank < 0 ? static_cast<int>(buffer.rank) : rank;
    if (buffer.rank < modes)
      return fail(Diagnostic::XlaRank, {{"function", function.name},
                                        {"name", name},
                                        {"expected", std::to_string(modes)},
                                        {"got", std::to_string(buffer.rank)}});
    Tensor &tensor = tensors[numTensors++];
    tensor.buffer = &buffer;
    tensor.batchModes = static_cast<int>(buffer.rank) - modes;
    int64_t *shape = extents + numExtents, *strides = shape + modes;
    numExtents += 2 * static_cast<size_t>(modes);
    tensor.memberBytes =
        layOut(buffer.dims + tensor.batchModes, modes, shape, strides) * (type.bits / 8);
    tensor.shown = {buffer.data, device, modes, type, shape, strides, 0};
    arguments[numArguments] = {};
    arguments[numArguments].type_index = kTVMFFIDLTensorPtr;
    arguments[numArguments++].v_ptr = &tensor.shown;
    return true;
  }

  /// Extents and strides as the function sees them; the number of elements.
  int64_t layOut(const int64_t *dims, int rank, int64_t *shape, int64_t *strides) {
    const size_t first = numModes, end = first + static_cast<size_t>(rank);
    numModes = end;
    auto order = [&](int place) {
      return layouts.count >= end ? layouts.data[first + static_cast<size_t>(place)] : place;
    };
    auto modeOf = [&](int mode) {
      return kernelModes.count >= end ? kernelModes.data[first + static_cast<size_t>(mode)] : mode;
    };
    int64_t elements = 1;
    for (int place = rank; place-- > 0;) {
      const int dim = order(place);
      for (int mode = 0; mode < rank; ++mode)
        if (modeOf(mode) == dim)
          shape[mode] = dims[dim], strides[mode] = elements;
      elements *= dims[dim];
    }
    return elements;
  }

  /// The extents of the batch: those of the tensor that has most of it.
  bool findBatch() {
    for (int i = 0; i < numTensors; ++i)
      batchRank = std::max(batchRank, tensors[i].batchModes);
    if (!batchRank)
      return true;
    batch.assign(static_cast<size_t>(batchRank), 1);
    for (int i = 0; i < numTensors; ++i)
      for (int mode = 0; mode < tensors[i].batchModes; ++mode) {
        int64_t &extent = batch[static_cast<size_t>(batchRank - tensors[i].batchModes + mode)];
        const int64_t members = tensors[i].buffer->dims[mode];
        if (members != 1 && extent != 1 && members != extent)
          return fail(Diagnostic::XlaBatch, {{"function", function.name},
                                             {"expected", std::to_string(extent)},
                                             {"got", std::to_string(members)}});
        if (members != 1)
          extent = members;
      }
    return true;
  }

  /// Returns the offset of the batch's member `at` in a tensor's buffer. A mode of extent 1 serves
  /// all members.
  static int64_t offsetOf(const Tensor &tensor, const std::vector<int64_t> &at) {
    int64_t member = 0;
    const size_t skipped = at.size() - static_cast<size_t>(tensor.batchModes);
    for (int mode = 0; mode < tensor.batchModes; ++mode) {
      const int64_t extent = tensor.buffer->dims[mode];
      member = member * extent + (extent == 1 ? 0 : at[skipped + static_cast<size_t>(mode)]);
    }
    return member * tensor.memberBytes;
  }

  bool runBatch() {
    std::vector<int64_t> at(batch.size(), 0);
    for (int64_t extent : batch)
      if (!extent)
        return true;
    for (;;) {
      for (int i = 0; i < numTensors; ++i)
        tensors[i].shown.data =
            static_cast<char *>(tensors[i].buffer->data) + offsetOf(tensors[i], at);
      if (!runOnce())
        return false;
      size_t mode = at.size();
      while (mode > 0 && ++at[mode - 1] == batch[mode - 1])
        at[--mode] = 0;
      if (!mode)
        return true;
    }
  }

  bool runOnce() {
    if (function.flags & kFairleadXlaOwnedTensors)
      return runOwned();
    return invoke(arguments);
  }

  bool invoke(const TVMFFIAny *values) {
    TVMFFIAny result = {};
    TVMFFISafeCallType entry =
        function.entry ? function.entry : TVMFFIFunctionGetCellPtr(function.handle)->safe_call;
    if (entry(function.handle, values, numArguments, &result))
      return false;
    if (result.type_index >= kTVMFFIStaticObjectBegin)
      TVMFFIObjectDecRef(result.v_obj);
    return true;
  }

  /// For functions that take tensors as objects, which they may keep no longer than the call.
  bool runOwned() {
    std::vector<TVMFFIAny> values(arguments, arguments + numArguments);
    bool done = true;
    for (TVMFFIAny &value : values)
      if (value.type_index == kTVMFFIDLTensorPtr)
        done = done && makeOwned(static_cast<DLTensor *>(value.v_ptr), &value);
    done = done && invoke(values.data());
    for (TVMFFIAny &value : values)
      if (value.type_index == kTVMFFITensor)
        TVMFFIObjectDecRef(value.v_obj);
    return done;
  }

  static bool makeOwned(const DLTensor *shown, TVMFFIAny *out) {
    const size_t extentBytes = static_cast<size_t>(shown->ndim) * sizeof(int64_t);
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        std::malloc(sizeof(DLManagedTensorVersioned) + 2 * extentBytes));
    if (!managed) {
      TVMFFIErrorSetRaisedFromCStr("MemoryError", "no memory for the tensors of a call");
      return false;
    }
    *managed = {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr, releaseTensor, 0, *shown};
    auto *layout = reinterpret_cast<int64_t *>(managed + 1);
    std::memcpy(layout, shown->shape, extentBytes);
    std::memcpy(layout + shown->ndim, shown->strides, extentBytes);
    managed->dl_tensor.shape = layout;
    managed->dl_tensor.strides = layout + shown->ndim;
    TVMFFIObjectHandle handle;
    if (TVMFFITensorFromDLPackVersioned(managed, 0, 0, &handle)) {
      std::free(managed);
      return false;
    }
    *out = {};
    out->type_index = kTVMFFITensor;
    out->v_obj = static_cast<TVMFFIObject *>(handle);
    return true;
  }

  const Frame &frame;
  const FairleadXlaFunction &function;
  DLDevice device = {};
  void *stream = nullptr;
  Integers places, layouts, kernelModes;
  int64_t next = 0;
  bool hasLists = false;

  static constexpr size_t kFew = 16;
  Room<TVMFFIAny, kFew> argumentRoom;
  Room<Tensor, kFew> tensorRoom;
  Room<int64_t, 8 * kFew> extentRoom;
  TVMFFIAny *arguments = nullptr;
  Tensor *tensors = nullptr;
  int64_t *extents = nullptr;
  int numArguments = 0, numTensors = 0;
  size_t numExtents = 0, numModes = 0;
  int batchRank = 0;
  std::vector<int64_t> batch;
};

} // namespace

bool answersMetadata(Frame *frame, bool commandBuffer) {
  const Extension *extension = frame->header.extension;
  if (!extension || extension->type != kMetadata)
    return false;
  Metadata *metadata = reinterpret_cast<const MetadataExtension *>(extension)->metadata;
  metadata->version.major = kMajor;
  metadata->version.minor = kMinor;
  metadata->traits = commandBuffer ? kCommandBufferCompatible : 0;
  return true;
}

Error *takeRaised(const Frame &frame) {
  const RaisedError error = takeRaisedError();
  const bool isInvalid = runtime::isInvalidArgument(error.kind);
  const bool isPlain = isInvalid || error.kind == runtime::ErrorKind::Runtime;
  return makeError(frame, (isPlain ? error.message : error.namedMessage).c_str(),
                   isInvalid ? kInvalidArgument : kInternal);
}

Error *call(const Frame &frame, const FairleadXlaFunction &function, int32_t deviceType) {
  if (frame.stage != kExecute)
    return nullptr;
  try {
    if (FrameCall(frame, function).run(deviceType))
      return nullptr;
  } catch (const std::exception &error) { // no memory
    return makeError(frame, error.what(), kInternal);
  }
  return takeRaised(frame);
}

} // namespace fairlead::frameworks::xla
