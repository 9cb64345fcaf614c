#include "framework/Import.h"

#include "Ref.h"
#include "object/Tensor.h"

#include "tvm/ffi/extra/c_env_api.h"

#include <cstring>

using namespace fairlead::python;

void fairlead::python::releaseVersioned(void *value) {
  auto *tensor = static_cast<DLManagedTensorVersioned *>(value);
  KeptError guard;
  if (tensor->deleter)
    tensor->deleter(tensor);
}

namespace {

void releaseLegacy(void *value) {
  auto *tensor = static_cast<DLManagedTensor *>(value);
  KeptError guard;
  if (tensor->deleter)
    tensor->deleter(tensor);
}

/// The keyword arguments of `__dlpack__`; `stream` only where the device has streams: `current`, or
/// the environment's where that is NULL.
Ref exportOptions(PyObject *producer, void *current, bool *hasStream) {
  *hasStream = false;
  Ref options(Py_BuildValue("{s(ii)}", "max_version", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION));
  if (!options)
    return {};
  Ref device(PyObject_CallMethod(producer, "__dlpack_device__", nullptr));
  if (!device) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      return {};
    PyErr_Clear();
    return options;
  }
  Ref type(PySequence_GetItem(device.get(), 0));
  Ref index(PySequence_GetItem(device.get(), 1));
  if (!type || !index)
    return {};
  // Types are often members of an enumeration.
  long typeCode = PyLong_AsLong(type.get());
  long ordinal = PyLong_AsLong(index.get());
  if (PyErr_Occurred())
    return {};
  if (typeCode != kDLCUDA && typeCode != kDLROCM)
    return options;
  void *stream =
      current ? current
              : TVMFFIEnvGetStream(static_cast<int32_t>(typeCode), static_cast<int32_t>(ordinal));
  // CUDA's legacy default stream has the number 1 here, ROCm's 0.
  uintptr_t number = reinterpret_cast<uintptr_t>(stream);
  if (!number && typeCode == kDLCUDA)
    number = 1;
  Ref streamNumber(PyLong_FromUnsignedLongLong(number));
  if (!streamNumber || PyDict_SetItemString(options.get(), "stream", streamNumber.get()))
    return {};
  *hasStream = true;
  return options;
}

} // namespace

bool ImportedTensor::takeCapsule(PyObject *capsule) {
  const char *name = PyCapsule_GetName(capsule);
  if (!name && PyErr_Occurred())
    return false;
  if (name && std::strcmp(name, "dltensor_versioned") == 0) {
    auto *tensor = static_cast<DLManagedTensorVersioned *>(PyCapsule_GetPointer(capsule, name));
    if (!tensor)
      return false;
    if (tensor->version.major != DLPACK_MAJOR_VERSION) {
      PyErr_Format(PyExc_BufferError, "DLPack version %u.%u cannot be read, expected %d.x",
                   tensor->version.major, tensor->version.minor, DLPACK_MAJOR_VERSION);
      return false;
    }
    if (PyCapsule_SetName(capsule, "used_dltensor_versioned"))
      return false;
    versioned = tensor;
    return isSound();
  }
  if (name && std::strcmp(name, "dltensor") == 0) {
    auto *tensor = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, name));
    if (!tensor || PyCapsule_SetName(capsule, "used_dltensor"))
      return false;
    legacy = tensor;
    return isSound();
  }
  if (name && (std::strcmp(name, "used_dltensor") == 0 ||
               std::strcmp(name, "used_dltensor_versioned") == 0))
    PyErr_SetString(PyExc_ValueError, "the DLPack capsule was used before; a capsule gives its "
                                      "tensor away once, so make a new one with __dlpack__()");
  else
    PyErr_Format(PyExc_TypeError,
                 "expected a capsule called \"dltensor\" or \"dltensor_versioned\", but got \"%s\"",
                 name ? name : "");
  return false;
}

bool ImportedTensor::isSound() {
  const DLTensor &shown = *tensor();
  const char *reason = shown.ndim < 0 || shown.ndim > kMostModes ? "ndim"
                       : shown.ndim && !shown.shape              ? "a shape that is null, ndim"
                                                                 : nullptr;
  if (!reason)
    return true;
  PyErr_Format(PyExc_BufferError, "the DLPack tensor is malformed: it has %s %d", reason,
               shown.ndim);
  releaser()(value());
  return false;
}

bool ImportedTensor::takeProducer(PyObject *producer, void *stream) {
  bool hasStream;
  Ref options = exportOptions(producer, stream, &hasStream);
  if (!options)
    return false;
  Ref method(PyObject_GetAttrString(producer, "__dlpack__"));
  Ref empty(PyTuple_New(0));
  if (!method || !empty)
    return false;
  Ref capsule(PyObject_Call(method.get(), empty.get(), options.get()));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    // Producers of DLPack before 1.0 do not know max_version.
    PyErr_Clear();
    if (PyDict_DelItemString(options.get(), "max_version"))
      return false;
    capsule = Ref(PyObject_Call(method.get(), empty.get(), options.get()));
  }
  if (!capsule)
    return false;
  if (!PyCapsule_CheckExact(capsule.get())) {
    PyErr_Format(PyExc_TypeError, "its __dlpack__ returned a %s instead of a capsule",
                 Py_TYPE(capsule.get())->tp_name);
    return false;
  }
  return takeCapsule(capsule.get());
}

int ImportedTensor::toOwned(TVMFFIObjectHandle *out) const {
  return versioned ? TVMFFITensorFromDLPackVersioned(versioned, 0, 0, out)
                   : TVMFFITensorFromDLPack(legacy, 0, 0, out);
}

void (*ImportedTensor::releaser() const)(void *) {
  return versioned ? releaseVersioned : releaseLegacy;
}

PyObject *fairlead::python::importResult(const TVMFFIAny &tensor, Importer importer) {
  Ref wrapped(wrapTensor(tensor.v_obj));
  // A tensor of the framework was an argument, so its module is there.
  Ref name(PyUnicode_FromString(importer == Importer::NumPy ? "numpy" : "jax.dlpack"));
  Ref module(name ? PyImport_GetModule(name.get()) : nullptr);
  Ref made(wrapped && module ? PyObject_CallMethod(module.get(), "from_dlpack", "O", wrapped.get())
                             : nullptr);
  if (made || !wrapped)
    return made.release();
  // Interrupts and lack of memory are no answers of the framework.
  if (PyErr_Occurred() &&
      (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)))
    return nullptr;
  PyErr_Clear();
  return wrapped.release();
}
