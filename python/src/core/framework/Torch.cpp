#include "framework/Torch.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

using namespace fairlead::python;

namespace {

/// Takes the address of an at::Tensor and where to put what is asked; 0, or another number where
/// the tensor has no such thing.
using Getter = int32_t (*)(void *tensor, void *out);

struct Getters {
  Getter dtype, deviceType, deviceIndex, rank, extents, strides, data;
};

/// Codes of torch below these are remembered in DLPack's words.
constexpr int kDTypes = 64, kDevices = 32;

/// What is known of the torch in the process. Written with the GIL; in builds without one, writers
/// agree on every value.
struct Torch {
  Getters get = {};
  DLPackDLTensorFromPyObjectNoSync exchange = nullptr;
  /// Of the at::Tensor in the Python object; 0 until it is known.
  std::atomic<Py_ssize_t> offset{0};
  /// Tensors that may still come for finding it.
  std::atomic<int> attempts{16};
  /// By torch's code; bits 0 where it is not known yet.
  std::atomic<uint32_t> dtypes[kDTypes] = {};
  /// By torch's code: DLPack's type; 0 where it is not known yet.
  std::atomic<int32_t> devices[kDevices] = {};
};

Torch torch;

uint32_t pack(DLDataType type) {
  uint32_t bits;
  static_assert(sizeof bits == sizeof type);
  std::memcpy(&bits, &type, sizeof bits);
  return bits;
}

/// What torch tells of one tensor.
struct Told {
  int32_t dtype, deviceType, deviceIndex;
  int64_t rank;
  int64_t *extents, *strides;
  void *data;
};

inline bool ask(void *tensor, Told *told) {
  const Getters &get = torch.get;
  return !(get.dtype(tensor, &told->dtype) || get.deviceType(tensor, &told->deviceType) ||
           get.deviceIndex(tensor, &told->deviceIndex) || get.rank(tensor, &told->rank) ||
           get.extents(tensor, &told->extents) || get.strides(tensor, &told->strides) ||
           get.data(tensor, &told->data));
}

/// The number of the device as DLPack counts: torch has none for the one CPU.
inline int32_t ordinal(const Told &told) { return told.deviceIndex < 0 ? 0 : told.deviceIndex; }

inline bool inTables(const Told &told) {
  return static_cast<uint32_t>(told.dtype) < kDTypes &&
         static_cast<uint32_t>(told.deviceType) < kDevices;
}

bool sameExtents(const int64_t *some, const int64_t *others, int64_t count) {
  return !count || some == others || (some && others && std::equal(some, some + count, others));
}

/// Whether what torch tells of a tensor is what the exchange API gave.
bool agrees(const Told &told, const DLTensor &given) {
  return told.rank == given.ndim && sameExtents(told.extents, given.shape, told.rank) &&
         sameExtents(told.strides, given.strides, told.rank) && told.data == given.data &&
         !given.byte_offset && ordinal(told) == given.device.device_id && inTables(told);
}

/// Remembers the codes of a tensor on which both ways agree.
void learnCodes(const Told &told, const DLTensor &given) {
  if (!agrees(told, given))
    return;
  torch.dtypes[told.dtype].store(pack(given.dtype), std::memory_order_relaxed);
  torch.devices[told.deviceType].store(given.device.device_type, std::memory_order_relaxed);
}

/// The place in `object` that holds the address that torch tells of its tensor; 0 where it is in
/// none or several, or the two ways disagree.
Py_ssize_t findTensor(PyObject *object, const DLTensor &given) {
  Ref number(PyObject_GetAttrString(object, "_cdata"));
  void *address = number ? PyLong_AsVoidPtr(number.get()) : nullptr;
  PyErr_Clear();
  Py_ssize_t found = 0;
  auto *bytes = reinterpret_cast<char *>(object);
  for (Py_ssize_t at = sizeof(PyObject);
       address && at + static_cast<Py_ssize_t>(sizeof address) <= Py_TYPE(object)->tp_basicsize;
       at += sizeof address)
    if (!std::memcmp(bytes + at, &address, sizeof address)) {
      if (found)
        return 0;
      found = at;
    }
  Told told;
  return found && ask(bytes + found, &told) && agrees(told, given) ? found : 0;
}

/// The exchange API's way, which teaches the faster one.
[[gnu::cold, gnu::noinline]] int readAndLearn(void *object, DLTensor *out) {
  int code = torch.exchange(object, out);
  Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  if (code)
    return code;
  if (!offset && torch.attempts.load(std::memory_order_relaxed) > 0) {
    torch.attempts.fetch_sub(1, std::memory_order_relaxed);
    offset = findTensor(static_cast<PyObject *>(object), *out);
    torch.offset.store(offset, std::memory_order_relaxed);
  }
  Told told;
  if (offset && ask(static_cast<char *>(object) + offset, &told))
    learnCodes(told, *out);
  return 0;
}

int readTensor(void *object, DLTensor *out) {
  Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  Told told;
  if (!offset || !ask(static_cast<char *>(object) + offset, &told) || !inTables(told)) [[unlikely]]
    return readAndLearn(object, out);
  uint32_t dtype = torch.dtypes[told.dtype].load(std::memory_order_relaxed);
  int32_t device = torch.devices[told.deviceType].load(std::memory_order_relaxed);
  if (!dtype || !device) [[unlikely]]
    return readAndLearn(object, out);
  out->data = told.data;
  // In one store, as it is read: a load of two stores waits for both.
  uint64_t place = uint64_t(uint32_t(ordinal(told))) << 32 | uint32_t(device);
  static_assert(sizeof place == sizeof out->device);
  std::memcpy(&out->device, &place, sizeof place);
  out->ndim = static_cast<int32_t>(told.rank);
  std::memcpy(&out->dtype, &dtype, sizeof dtype);
  out->shape = told.extents;
  out->strides = told.strides;
  out->byte_offset = 0;
  return 0;
}

/// False where this torch does not have all of the functions.
bool findGetters() {
  void *library = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (!library)
    return false;
  Getters &get = torch.get;
  struct {
    const char *name;
    Getter &place;
  } wanted[] = {{"aoti_torch_get_dtype", get.dtype},
                {"aoti_torch_get_device_type", get.deviceType},
                {"aoti_torch_get_device_index", get.deviceIndex},
                {"aoti_torch_get_dim", get.rank},
                {"aoti_torch_get_sizes", get.extents},
                {"aoti_torch_get_strides", get.strides},
                {"aoti_torch_get_data_ptr", get.data}};
  for (auto &each : wanted) {
    each.place = reinterpret_cast<Getter>(dlsym(library, each.name));
    if (!each.place)
      return false;
  }
  return true;
}

} // namespace

bool fairlead::python::isPlainTorch(PyTypeObject *type) {
  Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__qualname__"));
  Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__module__"));
  PyErr_Clear();
  auto is = [&](const char *itsModule, const char *itsName) {
    return name && module && PyUnicode_Check(name.get()) && PyUnicode_Check(module.get()) &&
           !PyUnicode_CompareWithASCIIString(name.get(), itsName) &&
           !PyUnicode_CompareWithASCIIString(module.get(), itsModule);
  };
  return is("torch", "Tensor") || is("torch.nn.parameter", "Parameter");
}

DLPackDLTensorFromPyObjectNoSync fairlead::python::torchReader(const DLPackExchangeAPI &exchange) {
  DLPackDLTensorFromPyObjectNoSync own = exchange.dltensor_from_py_object_no_sync;
  static const bool wanted = [] {
    const char *value = std::getenv("FAIRLEAD_TORCH_EXCHANGE_ONLY");
    return !(value && std::strcmp(value, "1") == 0) && findGetters();
  }();
  if (!wanted || (torch.exchange && torch.exchange != own))
    return own;
  torch.exchange = own;
  return readTensor;
}
