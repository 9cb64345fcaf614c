#include "framework/Torch.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <dlfcn.h>

using namespace fairlead::python;

namespace {

/// Reads a property of an at::Tensor into `out`. Returns 0, or another number if the tensor lacks
/// the property.
using Getter = int32_t (*)(void *tensor, void *out);

struct Getters {
  Getter dtype, deviceType, deviceIndex, rank, extents, strides, data;
};

/// Codes of torch below these are remembered in DLPack's words.
constexpr int kDTypes = 64, kDevices = 32;

/// Stands in for torch's own function: it assumes that any tensor may have derivatives.
void *mayFollow(const void *impl) { return const_cast<void *>(impl); }

/// The functions and codes of the torch in the process. Written with the GIL; in builds without
/// one, writers agree on every value.
struct Torch {
  Getters get = {};
  bool hasGetters = false;
  /// Takes a TensorImpl. Returns null if no derivative can be taken of the tensor.
  void *(*autogradMeta)(const void *impl) = mayFollow;
  /// Takes a TensorImpl; null if unknown.
  bool (*requiresGrad)(const void *impl) = nullptr;
  /// Takes TensorImpl, level of forward mode and at::Tensor. Returns the tangent's address.
  const void *const *(*tangent)(const void *impl, uint64_t level, const void *tensor) = nullptr;
  /// Stands for no tangent.
  const void *undefined = nullptr;
  /// Variables of torch.autograd.forward_ad, the name of the one that tells its level, and what
  /// that is outside of all.
  PyObject *forwardMode = nullptr, *levelName = nullptr, *noLevel = nullptr;
  /// Takes an at::Tensor. True if it shows its elements with the other sign.
  bool (*isNegative)(const void *tensor) = nullptr;
  bool (*gradEnabled)() = nullptr;
  /// Takes an at::Tensor.
  void (*bumpVersion)(const void *tensor) = nullptr;
  DLPackDLTensorFromPyObjectNoSync exchange = nullptr;
  /// Offset in the Python object of the TensorImpl's address; 0 until it is known.
  std::atomic<Py_ssize_t> offset{0};
  /// Number of tensors that may still be used for finding it.
  std::atomic<int> attempts{16};
  /// By torch's code; bits 0 if it is not known yet.
  std::atomic<uint32_t> dtypes[kDTypes] = {};
  /// By torch's code: DLPack's type; 0 if it is not known yet.
  std::atomic<int32_t> devices[kDevices] = {};
};

Torch torch;

uint32_t pack(DLDataType type) {
  uint32_t bits;
  static_assert(sizeof bits == sizeof type);
  std::memcpy(&bits, &type, sizeof bits);
  return bits;
}

/// The properties of one tensor, as torch reports them.
struct TensorInfo {
  int32_t dtype, deviceType, deviceIndex;
  int64_t rank;
  int64_t *extents, *strides;
  void *data;
};

bool ask(void *tensor, TensorInfo *info) {
  const Getters &get = torch.get;
  return !(get.dtype(tensor, &info->dtype) || get.deviceType(tensor, &info->deviceType) ||
           get.deviceIndex(tensor, &info->deviceIndex) || get.rank(tensor, &info->rank) ||
           get.extents(tensor, &info->extents) || get.strides(tensor, &info->strides) ||
           get.data(tensor, &info->data));
}

/// The number of the device as DLPack counts: torch has none for the one CPU.
int32_t ordinal(const TensorInfo &info) { return info.deviceIndex < 0 ? 0 : info.deviceIndex; }

bool inTables(const TensorInfo &info) {
  return static_cast<uint32_t>(info.dtype) < kDTypes &&
         static_cast<uint32_t>(info.deviceType) < kDevices;
}

bool sameExtents(const int64_t *some, const int64_t *others, int64_t count) {
  return !count || some == others || (some && others && std::equal(some, some + count, others));
}

/// True if torch's own functions agree with the exchange API.
bool agrees(const TensorInfo &info, const DLTensor &exchanged) {
  return info.rank == exchanged.ndim && sameExtents(info.extents, exchanged.shape, info.rank) &&
         sameExtents(info.strides, exchanged.strides, info.rank) && info.data == exchanged.data &&
         !exchanged.byte_offset && ordinal(info) == exchanged.device.device_id && inTables(info);
}

/// Remembers the codes of a tensor on which both ways agree.
void learnCodes(const TensorInfo &info, const DLTensor &exchanged) {
  if (!agrees(info, exchanged))
    return;
  torch.dtypes[info.dtype].store(pack(exchanged.dtype), std::memory_order_relaxed);
  torch.devices[info.deviceType].store(exchanged.device.device_type, std::memory_order_relaxed);
}

/// Returns the offset in `object` of the tensor's address, which torch reports; 0 if none or
/// several places hold it, or if the two ways disagree.
Py_ssize_t findTensor(PyObject *object, const DLTensor &exchanged) {
  Ref number(PyObject_GetAttrString(object, "_cdata"));
  void *address = number ? PyLong_AsVoidPtr(number.get()) : nullptr;
  PyErr_Clear();
  Py_ssize_t offset = 0;
  auto *bytes = reinterpret_cast<char *>(object);
  for (Py_ssize_t at = sizeof(PyObject);
       address && at + static_cast<Py_ssize_t>(sizeof address) <= Py_TYPE(object)->tp_basicsize;
       at += sizeof address)
    if (!std::memcmp(bytes + at, &address, sizeof address)) {
      if (offset)
        return 0;
      offset = at;
    }
  TensorInfo info;
  return offset && ask(bytes + offset, &info) && agrees(info, exchanged) ? offset : 0;
}

/// True if `module.function(tensor)`, a question about tensors
/// in transforms, returns True.
bool says(const char *module, const char *function, PyObject *tensor) {
  Ref home(PyImport_ImportModule(module));
  Ref answer(home ? PyObject_CallMethod(home.get(), function, "O", tensor) : nullptr);
  bool isTrue = answer && PyObject_IsTrue(answer.get()) > 0;
  PyErr_Clear();
  return isTrue;
}

/// Does the same in place of the exception that is set.
[[gnu::cold, gnu::noinline]] bool refuseTransformed(PyObject *tensor) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!refusesTransformed(tensor)) {
    PyErr_Restore(type, value, traceback);
    return false;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return true;
}

/// True if the process is inside of forward mode (torch.autograd.forward_ad.dual_level), where
/// tensors may have tangents. Asking each tensor would cost twice as much.
bool inForwardMode() {
  PyObject *level =
      torch.forwardMode ? PyDict_GetItemWithError(torch.forwardMode, torch.levelName) : nullptr;
  return level && level != torch.noLevel && PyLong_AsLong(level) >= 0;
}

/// Asked by Python: whether forward mode follows the tensor.
[[gnu::cold, gnu::noinline]] bool hasTangent(PyObject *tensor) {
  Ref home(PyImport_ImportModule("torch.autograd.forward_ad"));
  Ref both(home ? PyObject_CallMethod(home.get(), "unpack_dual", "O", tensor) : nullptr);
  Ref tangent(both ? PyObject_GetAttrString(both.get(), "tangent") : nullptr);
  PyErr_Clear();
  return tangent && tangent.get() != Py_None;
}

[[gnu::cold, gnu::noinline]] int refuseTangent() {
  PyErr_SetString(PyExc_RuntimeError,
                  "the tensor has a tangent of forward mode, which the call would lose: pass "
                  "tensor.detach(), or make an operator of the function with "
                  "fairlead.torch.op(..., backward=...) and differentiate in reverse mode");
  return -1;
}

[[gnu::cold, gnu::noinline]] int refuseNegative() {
  PyErr_SetString(PyExc_RuntimeError,
                  "the tensor is a view whose elements have the other sign than its memory "
                  "(torch.Tensor.is_neg): pass tensor.resolve_neg()");
  return -1;
}

/// True if torch runs the implementation of an operator, where autograd does not see torch's own
/// calls either. False without torch's functions.
bool isBelowAutograd() {
  Ref module(PyImport_ImportModule("torch._C"));
  Ref excludes(module
                   ? PyObject_GetAttrString(module.get(), "_dispatch_tls_is_dispatch_key_excluded")
                   : nullptr);
  Ref keys(excludes ? PyObject_GetAttrString(module.get(), "DispatchKey") : nullptr);
  Ref key(keys ? PyObject_GetAttrString(keys.get(), "AutogradCPU") : nullptr);
  Ref answer(key ? PyObject_CallOneArg(excludes.get(), key.get()) : nullptr);
  const bool below = answer && PyObject_IsTrue(answer.get()) == 1;
  PyErr_Clear();
  return below;
}

/// Checks a tensor in reverse mode: see acceptsGrad.
bool acceptsReverse(PyObject *tensor) {
  if (torch.gradEnabled && !torch.gradEnabled())
    return true;
  Ref answer(PyObject_GetAttrString(tensor, "requires_grad"));
  int needs = answer ? PyObject_IsTrue(answer.get()) : -1;
  if (needs > 0 && isBelowAutograd())
    return true;
  if (needs > 0)
    PyErr_SetString(
        PyExc_RuntimeError,
        "the tensor requires grad, and autograd does not see the call: make an operator "
        "of the function with fairlead.torch.op(..., backward=...), call it under "
        "torch.no_grad(), or pass tensor.detach()");
  return needs == 0;
}

bool hasElements(const DLTensor &tensor) {
  for (int i = 0; i < tensor.ndim; ++i)
    if (!tensor.shape[i])
      return false;
  return true;
}

/// The exchange API's way.
int readExchanged(void *object, DLTensor *out) {
  int code = torch.exchange(object, out);
  auto *tensor = static_cast<PyObject *>(object);
  if (code)
    refuseTransformed(tensor);
  else if (!out->data && hasElements(*out) && refuseTransformed(tensor))
    code = -1;
  return code;
}

/// The exchange API's way, which teaches the faster one.
[[gnu::cold, gnu::noinline]] int readAndLearn(void *object, DLTensor *out) {
  int code = readExchanged(object, out);
  if (code || !torch.hasGetters)
    return code;
  Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  if (!offset && torch.attempts.load(std::memory_order_relaxed) > 0) {
    torch.attempts.fetch_sub(1, std::memory_order_relaxed);
    offset = findTensor(static_cast<PyObject *>(object), *out);
    torch.offset.store(offset, std::memory_order_relaxed);
  }
  TensorInfo info;
  if (offset && ask(static_cast<char *>(object) + offset, &info))
    learnCodes(info, *out);
  return 0;
}

/// Reads an at::Tensor. Returns false if the exchange API has to read it.
///
/// Stores each result at once: keeping it over the next call costs more, and a copy of two pointers
/// waits for the stores of both.
[[gnu::always_inline]] inline bool readQuickly(void *tensor, DLTensor *out) {
  const Getters &get = torch.get;
  int32_t code, ordinal = 0;
  if (get.deviceType(tensor, &code) || static_cast<uint32_t>(code) >= kDevices) [[unlikely]]
    return false;
  int32_t device = torch.devices[code].load(std::memory_order_relaxed);
  if (device != kDLCPU) { // There is one CPU.
    if (!device || get.deviceIndex(tensor, &ordinal)) [[unlikely]]
      return false;
    ordinal = std::max(ordinal, 0);
    device = torch.devices[code].load(std::memory_order_relaxed);
  }
  // In one store, as it is read.
  uint64_t place = uint64_t(uint32_t(ordinal)) << 32 | uint32_t(device);
  static_assert(sizeof place == sizeof out->device);
  std::memcpy(&out->device, &place, sizeof place);
  if (get.dtype(tensor, &code) || static_cast<uint32_t>(code) >= kDTypes) [[unlikely]]
    return false;
  uint32_t dtype = torch.dtypes[code].load(std::memory_order_relaxed);
  std::memcpy(&out->dtype, &dtype, sizeof dtype);
  int64_t rank;
  if (!dtype || get.rank(tensor, &rank)) [[unlikely]]
    return false;
  out->ndim = static_cast<int32_t>(rank);
  out->byte_offset = 0;
  return !get.extents(tensor, &out->shape) && !get.strides(tensor, &out->strides) &&
         !get.data(tensor, &out->data) && out->data;
}

/// False if this torch does not have all of the functions.
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

/// Returns the number of torch._C.DispatchKey.Python, the dispatcher's key for modes; -1 if it is
/// unknown.
long numberOfModesKey() {
  Ref home(PyImport_ImportModule("torch._C"));
  Ref keys(home ? PyObject_GetAttrString(home.get(), "DispatchKey") : nullptr);
  Ref key(keys ? PyObject_GetAttrString(keys.get(), "Python") : nullptr);
  Ref number(key ? PyNumber_Index(key.get()) : nullptr);
  long value = number ? PyLong_AsLong(number.get()) : -1;
  PyErr_Clear();
  return value > 0 && value <= UINT16_MAX ? value : -1;
}

void *find(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
  return handle ? dlsym(handle, name) : nullptr;
}

/// If this torch lacks one of them, Python code asks the tensors.
void findDerivatives() {
  void *meta = find("libc10.so", "_ZNK3c1010TensorImpl13autograd_metaEv");
  void *needs = find("libc10.so", "_ZNK3c1010TensorImpl13requires_gradEv");
  void *tangent = find("libc10.so", "_ZNK3c1010TensorImpl8_fw_gradEmRKN2at10TensorBaseE");
  void *undefined = find("libc10.so", "_ZN3c1019UndefinedTensorImpl10_singletonE");
  if (!meta || !needs || !tangent || !undefined)
    return;
  torch.autogradMeta = reinterpret_cast<void *(*)(const void *)>(meta);
  torch.requiresGrad = reinterpret_cast<bool (*)(const void *)>(needs);
  torch.tangent =
      reinterpret_cast<const void *const *(*)(const void *, uint64_t, const void *)>(tangent);
  torch.undefined = undefined;
}

/// Each for itself: programs without one of them are checked less.
void findQuestions() {
  torch.gradEnabled =
      reinterpret_cast<bool (*)()>(find("libtorch_cpu.so", "aoti_torch_grad_mode_is_enabled"));
  torch.bumpVersion = reinterpret_cast<void (*)(const void *)>(
      find("libtorch_cpu.so", "_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE"));
  findDerivatives();
  PyObject *home = PyImport_ImportModule("torch.autograd.forward_ad");
  torch.levelName = PyUnicode_InternFromString("_current_level");
  torch.noLevel = PyLong_FromLong(-1);
  torch.forwardMode = home && torch.levelName && torch.noLevel ? PyModule_GetDict(home) : nullptr;
  PyErr_Clear();
  torch.isNegative = reinterpret_cast<bool (*)(const void *)>(
      find("libtorch_cpu.so", "_ZN2at6native6is_negERKNS_6TensorE"));
  torchModes.any = reinterpret_cast<bool (*)(bool)>(
      find("libc10.so", "_ZN3c104impl20TorchDispatchModeTLS13any_modes_setEb"));
  if (long key = numberOfModesKey(); key > 0) {
    torchModes.key = static_cast<uint16_t>(key);
    torchModes.hasKey = reinterpret_cast<bool (*)(uint16_t)>(
        find("libc10.so", "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE"));
  }
}

} // namespace

TorchModes fairlead::python::torchModes;

bool fairlead::python::isTorchWrapper(PyTypeObject *type) {
  PyObject *mro = type->tp_mro;
  PyTypeObject *base = nullptr;
  for (Py_ssize_t i = 0; mro && !base && i < PyTuple_GET_SIZE(mro); ++i) {
    auto *each = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(mro, i));
    Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject *>(each), "__module__"));
    Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject *>(each), "__qualname__"));
    if (module && name && PyUnicode_Check(module.get()) && PyUnicode_Check(name.get()) &&
        !PyUnicode_CompareWithASCIIString(module.get(), "torch") &&
        !PyUnicode_CompareWithASCIIString(name.get(), "Tensor"))
      base = each;
  }
  PyErr_Clear();
  if (!base || base == type)
    return false;
  Ref own(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__torch_dispatch__"));
  Ref plain(PyObject_GetAttrString(reinterpret_cast<PyObject *>(base), "__torch_dispatch__"));
  PyErr_Clear();
  return own && plain && own.get() != plain.get();
}

int fairlead::python::refuseTorchWrapper(void *object, DLTensor *) {
  PyErr_Format(PyExc_TypeError,
               "a %s is no tensor of memory: torch traces or transforms the call, which only "
               "operators can take part in; make one of the function with fairlead.torch.op",
               Py_TYPE(static_cast<PyObject *>(object))->tp_name);
  return -1;
}

bool fairlead::python::refuseTraced() {
  PyErr_SetString(PyExc_RuntimeError,
                  "torch traces what runs, and a call of a compiled function would be missing in "
                  "the trace: make an operator of it with fairlead.torch.op");
  return false;
}

bool fairlead::python::bumpTorchVersion(PyObject *tensor) {
  Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  if (torch.bumpVersion && offset) [[likely]] {
    try {
      torch.bumpVersion(reinterpret_cast<char *>(tensor) + offset);
      return true;
    } catch (const std::exception &error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      return false;
    }
  }
  Ref module(PyImport_ImportModule("torch.autograd.graph"));
  return Ref(module ? PyObject_CallMethod(module.get(), "increment_version", "O", tensor) : nullptr)
      .get();
}

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

bool fairlead::python::acceptsGrad(PyObject *tensor) {
  return inForwardMode() && hasTangent(tensor) ? !refuseTangent() : acceptsReverse(tensor);
}

bool fairlead::python::requiresGrad(PyObject *tensor) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Ref answer(PyObject_GetAttrString(tensor, "requires_grad"));
  const bool needs = answer && PyObject_IsTrue(answer.get()) > 0;
  PyErr_Restore(type, value, traceback);
  return needs;
}

bool fairlead::python::refusesNegative(PyObject *tensor) {
  Ref answer(PyObject_CallMethod(tensor, "is_neg", nullptr));
  bool isNegative = answer && PyObject_IsTrue(answer.get()) > 0;
  PyErr_Clear();
  return isNegative && refuseNegative();
}

bool fairlead::python::refusesTransformed(PyObject *tensor) {
  if (!says("torch._C._functorch", "is_functorch_wrapped_tensor", tensor) &&
      !says("torch", "_is_functional_tensor", tensor))
    return false;
  PyErr_SetString(PyExc_RuntimeError,
                  "the tensor has no memory: it is inside a transform of torch (vmap, grad, jvp, "
                  "functionalize), which only operators can take part in; make one of the function "
                  "with fairlead.torch.op");
  return true;
}

void fairlead::python::learnTorch() {
  [[maybe_unused]] static const bool isLearned = (findQuestions(), true);
}

void fairlead::python::findTorch(const DLPackExchangeAPI &exchange) {
  torch.exchange = exchange.dltensor_from_py_object_no_sync;
  static const bool hasGetters = [] {
    const char *value = std::getenv("FAIRLEAD_TORCH_EXCHANGE_ONLY");
    learnTorch();
    return !(value && std::strcmp(value, "1") == 0) && findGetters();
  }();
  torch.hasGetters = hasGetters;
}

int fairlead::python::readTorch(void *object, DLTensor *out) {
  const Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  return offset && readQuickly(static_cast<char *>(object) + offset, out)
             ? 0
             : readAndLearn(object, out);
}

int fairlead::python::readTorchArgument(void *object, DLTensor *out) {
  const Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  char *tensor = static_cast<char *>(object) + offset;
  if (!offset || !readQuickly(tensor, out)) [[unlikely]] {
    if (int code = readAndLearn(object, out))
      return code;
    if (refusesNegative(static_cast<PyObject *>(object)))
      return -1;
  } else {
    // A view like c.conj().imag of complex numbers, which has strides.
    if (const int last = out->ndim - 1; last >= 0 &&
                                        (out->strides[last] != 1 || out->shape[last] == 1) &&
                                        torch.isNegative && torch.isNegative(tensor)) [[unlikely]]
      return refuseNegative();
    void *impl;
    std::memcpy(&impl, tensor, sizeof impl);
    if (!torch.autogradMeta(impl)) [[likely]]
      return 0;
    if (torch.requiresGrad) [[likely]] {
      if (inForwardMode() && *torch.tangent(impl, 0, tensor) != torch.undefined) [[unlikely]]
        return refuseTangent();
      return !torch.requiresGrad(impl) || acceptsReverse(static_cast<PyObject *>(object)) ? 0 : -1;
    }
  }
  return acceptsGrad(static_cast<PyObject *>(object)) ? 0 : -1;
}
