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

/// In place of torch's function: the tensor may have a derivative, and is asked.
void *mayFollow(const void *impl) { return const_cast<void *>(impl); }

/// The functions and codes of the torch in the process. Written with the GIL; in builds without
/// one, writers agree on every value.
struct Torch {
  /// Describes an at::Tensor, as the exchange API does. Throws for a tensor without such a
  /// description. Null if this torch does not have the function.
  void (*describe)(const void *tensor, DLTensor *out) = nullptr;
  /// Takes a TensorImpl. Returns null if the tensor has no derivative.
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
  // torch's C interface. It takes and makes addresses of at::Tensor.
  int (*getDtype)(const void *tensor, int32_t *out) = nullptr;
  int (*getDeviceType)(const void *tensor, int32_t *out) = nullptr;
  int (*getDeviceIndex)(const void *tensor, int32_t *out) = nullptr;
  int (*emptyStrided)(int64_t rank, const int64_t *shape, const int64_t *strides, int32_t dtype,
                      int32_t deviceType, int32_t deviceIndex, void **out) = nullptr;
  int (*deleteTensor)(void *tensor) = nullptr;
  /// Takes an at::TensorBase. A new reference to its Python object.
  PyObject *(*wrap)(const void *tensor) = nullptr;
  DLPackDLTensorFromPyObjectNoSync exchange = nullptr;
  /// Offset in the Python object of the TensorImpl's address; 0 until it is known.
  std::atomic<Py_ssize_t> offset{0};
  /// Number of tensors that may still be used for finding it.
  std::atomic<int> attempts{16};
};

Torch torch;

bool describes(const void *tensor, DLTensor *out) {
  try {
    torch.describe(tensor, out);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

bool sameExtents(const int64_t *some, const int64_t *others, int count) {
  return !count || some == others || (some && others && std::equal(some, some + count, others));
}

bool isSame(const DLTensor &one, const DLTensor &other) {
  return one.data == other.data && one.byte_offset == other.byte_offset &&
         one.device.device_type == other.device.device_type &&
         one.device.device_id == other.device.device_id && one.dtype.code == other.dtype.code &&
         one.dtype.bits == other.dtype.bits && one.dtype.lanes == other.dtype.lanes &&
         one.ndim == other.ndim && sameExtents(one.shape, other.shape, one.ndim) &&
         sameExtents(one.strides, other.strides, one.ndim);
}

/// Returns the offset in `object` of its at::Tensor, which holds the address that torch tells; 0 if
/// the address is nowhere or at several offsets, or the descriptions disagree.
Py_ssize_t findTensor(PyObject *object, const DLTensor &given) {
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
  DLTensor inside;
  return offset && describes(bytes + offset, &inside) && isSame(inside, given) ? offset : 0;
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

/// The exchange API's way, which also finds the at::Tensor in the object for the faster one.
[[gnu::cold, gnu::noinline]] int readAndFind(void *object, DLTensor *out) {
  int code = readExchanged(object, out);
  if (!code && torch.describe && !torch.offset.load(std::memory_order_relaxed) &&
      torch.attempts.load(std::memory_order_relaxed) > 0) {
    torch.attempts.fetch_sub(1, std::memory_order_relaxed);
    torch.offset.store(findTensor(static_cast<PyObject *>(object), *out),
                       std::memory_order_relaxed);
  }
  return code;
}

/// Takes an at::Tensor. Returns false if the exchange API has to read it.
[[gnu::always_inline]] inline bool readQuickly(const void *tensor, DLTensor *out) {
  return describes(tensor, out) && out->data;
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

template <typename Function>
bool findInto(Function &function, const char *library, const char *name) {
  function = reinterpret_cast<Function>(find(library, name));
  return function;
}

/// For emptyTorch: all of them, or `wrap` stays null.
void findMakers() {
  const char *library = "libtorch_cpu.so";
  if (findInto(torch.getDtype, library, "aoti_torch_get_dtype") &&
      findInto(torch.getDeviceType, library, "aoti_torch_get_device_type") &&
      findInto(torch.getDeviceIndex, library, "aoti_torch_get_device_index") &&
      findInto(torch.emptyStrided, library, "aoti_torch_empty_strided") &&
      findInto(torch.deleteTensor, library, "aoti_torch_delete_tensor_object"))
    findInto(torch.wrap, "libtorch_python.so", "_Z16THPVariable_WrapRKN2at10TensorBaseE");
}

/// Each for itself: programs without one of them are checked less.
void findQuestions() {
  torch.gradEnabled =
      reinterpret_cast<bool (*)()>(find("libtorch_cpu.so", "aoti_torch_grad_mode_is_enabled"));
  torch.bumpVersion = reinterpret_cast<void (*)(const void *)>(
      find("libtorch_cpu.so", "_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE"));
  findDerivatives();
  findMakers();
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
  learnTorch();
  const char *value = std::getenv("FAIRLEAD_TORCH_EXCHANGE_ONLY");
  if (!value || std::strcmp(value, "1") != 0)
    torch.describe = reinterpret_cast<void (*)(const void *, DLTensor *)>(
        find("libtorch_cpu.so", "_ZN2at17toDLPackNonOwningERKNS_6TensorEP8DLTensor"));
}

int fairlead::python::readTorch(void *object, DLTensor *out) {
  const Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  return offset && readQuickly(static_cast<char *>(object) + offset, out)
             ? 0
             : readAndFind(object, out);
}

int fairlead::python::readTorchArgument(void *object, DLTensor *out) {
  const Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  char *tensor = static_cast<char *>(object) + offset;
  if (!offset || !readQuickly(tensor, out)) [[unlikely]] {
    if (int code = readAndFind(object, out))
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

bool fairlead::python::readTorchPlace(PyObject *tensor, TorchPlace &place) {
  const Py_ssize_t offset = torch.offset.load(std::memory_order_relaxed);
  if (!offset || !torch.wrap)
    return false;
  const void *address = reinterpret_cast<char *>(tensor) + offset;
  return !torch.getDtype(address, &place.dtype) &&
         !torch.getDeviceType(address, &place.deviceType) &&
         !torch.getDeviceIndex(address, &place.deviceIndex);
}

PyObject *fairlead::python::emptyTorch(const TorchPlace &place, int rank, const int64_t *shape,
                                       const int64_t *strides) {
  void *tensor;
  if (torch.emptyStrided(rank, shape, strides, place.dtype, place.deviceType, place.deviceIndex,
                         &tensor))
    return nullptr;
  PyObject *object = nullptr;
  try {
    object = torch.wrap(tensor);
  } catch (const std::exception &) {
  }
  if (!object)
    PyErr_Clear();
  torch.deleteTensor(tensor);
  return object;
}
