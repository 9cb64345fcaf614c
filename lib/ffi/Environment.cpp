/// The environment of a kernel: the thread's streams, the tensor allocator and the host language's
/// signals.
#include <atomic>
#include <string_view>
#include <vector>

#include "Boundary.h"
#include "TensorCheck.h"
#include "ThreadValue.h"
#include "tvm/ffi/container/tensor.h"
#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

struct StreamEntry {
  int32_t deviceType, deviceId;
  TVMFFIStreamHandle stream;
};

/// A thread's streams. A handful of devices at most: a list is the fastest table.
using ThreadStreams = ThreadValue<std::vector<StreamEntry>>;

StreamEntry *findStream(int32_t deviceType, int32_t deviceId) {
  if (std::vector<StreamEntry> *streams = ThreadStreams::find())
    for (StreamEntry &entry : *streams)
      if (entry.deviceType == deviceType && entry.deviceId == deviceId)
        return &entry;
  return nullptr;
}

std::atomic<DLPackManagedTensorAllocator> processAllocator{nullptr};
thread_local DLPackManagedTensorAllocator threadAllocator = nullptr;

/// Takes an allocator's error; `context` is a bool that is then true.
void setAllocatorError(void *context, const char *kind, const char *message) {
  *static_cast<bool *>(context) = true;
  TVMFFIErrorSetRaisedFromCStr(kind, message);
}

/// The functions of the host language; null until it hands them in.
std::atomic<int (*)()> checkSignals{nullptr};
std::atomic<int (*)()> ensureGil{nullptr};
std::atomic<void (*)(int)> releaseGil{nullptr};

} // namespace

int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                       TVMFFIStreamHandle *opt_out_original_stream) {
  TVM_FFI_SAFE_CALL_BEGIN();
  if (device_type < 0 || device_id < 0)
    TVM_FFI_THROW(ValueError) << "TVMFFIEnvSetStream: device (" << device_type << ", " << device_id
                              << ") is not valid: type and id are at least 0";
  StreamEntry *entry = findStream(device_type, device_id);
  TVMFFIStreamHandle old = entry ? entry->stream : nullptr;
  if (entry)
    entry->stream = stream;
  else
    ThreadStreams::get().push_back(StreamEntry{device_type, device_id, stream});
  if (opt_out_original_stream)
    *opt_out_original_stream = old;
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  const StreamEntry *entry = findStream(device_type, device_id);
  return entry ? entry->stream : nullptr;
}

int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator *opt_out_original_allocator) {
  if (opt_out_original_allocator)
    *opt_out_original_allocator = threadAllocator;
  threadAllocator = allocator;
  if (write_to_global_context)
    processAllocator.store(allocator, std::memory_order_release);
  return 0;
}

DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  return threadAllocator ? threadAllocator : processAllocator.load(std::memory_order_acquire);
}

int TVMFFIEnvTensorAlloc(DLTensor *prototype, TVMFFIObjectHandle *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(prototype, "TVMFFIEnvTensorAlloc", "prototype");
  requireArgument(out, "TVMFFIEnvTensorAlloc", "out");
  requireValidTensor(*prototype, "TVMFFIEnvTensorAlloc", TensorPart::Shape);
  DLPackManagedTensorAllocator allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (!allocator)
    TVM_FFI_THROW(RuntimeError) << "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
                                   "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.";
  DLManagedTensorVersioned *managed = nullptr;
  bool hasError = false;
  if (int status = allocator(prototype, &managed, &hasError, setAllocatorError)) {
    if (!hasError)
      TVM_FFI_THROW(RuntimeError) << "TVMFFIEnvTensorAlloc: the allocator failed with code "
                                  << status << " and without an error";
    return status;
  }
  TVM_FFI_CHECK(managed != nullptr, RuntimeError)
      << "TVMFFIEnvTensorAlloc: failed to allocate a tensor from the allocator";
  if (TVMFFITensorFromDLPackVersioned(managed, 0, 0, out) != 0) {
    if (managed->deleter)
      managed->deleter(managed);
    return -1;
  }
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIEnvCheckSignals(void) {
  int (*check)() = checkSignals.load(std::memory_order_acquire);
  if (!check)
    return 0;
  int (*ensure)() = ensureGil.load(std::memory_order_acquire);
  void (*release)(int) = releaseGil.load(std::memory_order_acquire);
  if (!ensure || !release)
    return check() == 0 ? 0 : -1;
  int state = ensure();
  int result = check();
  release(state);
  return result == 0 ? 0 : -1;
}

int TVMFFIEnvRegisterCAPI(const char *name, void *symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(name, "TVMFFIEnvRegisterCAPI", "name");
  std::string_view text = name;
  if (text == "PyErr_CheckSignals")
    checkSignals.store(reinterpret_cast<int (*)()>(symbol), std::memory_order_release);
  else if (text == "PyGILState_Ensure")
    ensureGil.store(reinterpret_cast<int (*)()>(symbol), std::memory_order_release);
  else if (text == "PyGILState_Release")
    releaseGil.store(reinterpret_cast<void (*)(int)>(symbol), std::memory_order_release);
  else
    TVM_FFI_THROW(ValueError) << "Unknown env API " << name;
  TVM_FFI_SAFE_CALL_END();
}
