#include "object/Tensor.h"

#include "Guarded.h"
#include "Ref.h"
#include "call/Call.h"
#include "object/Errors.h"
#include "object/ToPython.h"

#include <cstdlib>
#include <cstring>

using namespace fairlead::python;

namespace {

TensorObject *cast(PyObject *self) { return reinterpret_cast<TensorObject *>(self); }

/// The copy of a borrowed tensor, with room for its layout.
struct BorrowedTensor {
  DLTensor tensor;
  int64_t layout[];
};

int64_t numElements(const DLTensor &tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i)
    count *= tensor.shape[i];
  return count;
}

void fillCompactStrides(const DLTensor &tensor, int64_t *strides) {
  int64_t stride = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= tensor.shape[i];
  }
}

BorrowedTensor *copyDescription(const DLTensor &from) {
  size_t rank = static_cast<size_t>(from.ndim);
  auto *copy = static_cast<BorrowedTensor *>(
      std::malloc(sizeof(BorrowedTensor) + 2 * rank * sizeof(int64_t)));
  if (!copy)
    return nullptr;
  copy->tensor = from;
  copy->tensor.shape = copy->layout;
  copy->tensor.strides = copy->layout + rank;
  if (rank)
    std::memcpy(copy->layout, from.shape, rank * sizeof(int64_t));
  if (from.strides && rank)
    std::memcpy(copy->layout + rank, from.strides, rank * sizeof(int64_t));
  else
    fillCompactStrides(from, copy->layout + rank);
  return copy;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (cast(self)->object.handle)
    TVMFFIObjectDecRef(cast(self)->object.handle);
  else
    std::free(cast(self)->tensor);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *tupleOf(const int64_t *values, int count) {
  Ref tuple(PyTuple_New(count));
  for (int i = 0; tuple && i < count; ++i) {
    PyObject *value = PyLong_FromLongLong(values[i]);
    if (!value)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, value);
  }
  return tuple.release();
}

PyObject *getShape(PyObject *self, void *) {
  DLTensor *tensor = readTensor(self);
  return tensor ? tupleOf(tensor->shape, tensor->ndim) : nullptr;
}

PyObject *getStrides(PyObject *self, void *) {
  DLTensor *tensor = readTensor(self);
  if (!tensor)
    return nullptr;
  if (tensor->strides)
    return tupleOf(tensor->strides, tensor->ndim);
  BorrowedTensor *copy = copyDescription(*tensor);
  if (!copy)
    return PyErr_NoMemory();
  PyObject *strides = tupleOf(copy->tensor.strides, tensor->ndim);
  std::free(copy);
  return strides;
}

PyObject *getDtype(PyObject *self, void *) {
  DLTensor *tensor = readTensor(self);
  return tensor ? dtypeToPython(tensor->dtype) : nullptr;
}

PyObject *getDevice(PyObject *self, void *) {
  DLTensor *tensor = readTensor(self);
  return tensor ? deviceToPython(tensor->device) : nullptr;
}

PyObject *getRank(PyObject *self, void *) {
  DLTensor *tensor = readTensor(self);
  return tensor ? PyLong_FromLong(tensor->ndim) : nullptr;
}

PyObject *numel(PyObject *self, PyObject *) {
  DLTensor *tensor = readTensor(self);
  return tensor ? PyLong_FromLongLong(numElements(*tensor)) : nullptr;
}

PyObject *size(PyObject *self, PyObject *dimension) {
  DLTensor *tensor = readTensor(self);
  Py_ssize_t i = tensor ? PyNumber_AsSsize_t(dimension, PyExc_IndexError) : -1;
  if (PyErr_Occurred())
    return nullptr;
  Py_ssize_t place = i < 0 ? i + tensor->ndim : i;
  if (place < 0 || place >= tensor->ndim)
    return PyErr_Format(PyExc_IndexError,
                        "expected a dimension of a tensor of rank %d, but got %zd", tensor->ndim,
                        i);
  return PyLong_FromLongLong(tensor->shape[place]);
}

PyObject *dataPtr(PyObject *self, PyObject *) {
  DLTensor *tensor = readTensor(self);
  if (!tensor)
    return nullptr;
  return PyLong_FromVoidPtr(static_cast<char *>(tensor->data) + tensor->byte_offset);
}

PyObject *isContiguous(PyObject *self, PyObject *) {
  DLTensor *tensor = readTensor(self);
  if (!tensor)
    return nullptr;
  int64_t stride = 1;
  bool contiguous = true;
  if (tensor->strides && numElements(*tensor))
    for (int i = tensor->ndim - 1; i >= 0; --i) {
      contiguous &= tensor->shape[i] == 1 || tensor->strides[i] == stride;
      stride *= tensor->shape[i];
    }
  return PyBool_FromLong(contiguous);
}

PyObject *repr(PyObject *self) {
  if (!cast(self)->tensor)
    return PyUnicode_FromString("<Tensor of a callback that has returned>");
  Ref shape(getShape(self, nullptr)), dtype(getDtype(self, nullptr));
  Ref device(getDevice(self, nullptr)), extents(shape ? PySequence_List(shape.get()) : nullptr);
  if (!extents || !dtype || !device)
    return nullptr;
  return PyUnicode_FromFormat("%S%S@%S", dtype.get(), extents.get(), device.get());
}

PyObject *dlpackDevice(PyObject *self, PyObject *) {
  DLTensor *tensor = readTensor(self);
  if (!tensor)
    return nullptr;
  int type = tensor->device.device_type, id = tensor->device.device_id;
  return Py_BuildValue("(ii)", type, id);
}

/// Releases the tensor of a capsule that was never consumed.
template <typename Managed> void destroyCapsule(PyObject *capsule) {
  const char *name = PyCapsule_GetName(capsule);
  if (!name || std::strncmp(name, "used_", 5) == 0)
    return;
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
  KeptError guard;
  if (managed && managed->deleter)
    managed->deleter(managed);
}

template <typename Managed> PyObject *makeCapsule(Managed *managed, const char *name) {
  PyObject *capsule = PyCapsule_New(managed, name, destroyCapsule<Managed>);
  if (!capsule && managed->deleter)
    managed->deleter(managed);
  return capsule;
}

/// Returns a DLPack tensor for a borrowed one, whose data it cannot keep alive.
template <typename Managed> Managed *exportBorrowed(const DLTensor &tensor) {
  struct Export {
    Managed managed;
    BorrowedTensor *copy;
  };
  auto *exported = static_cast<Export *>(std::calloc(1, sizeof(Export)));
  BorrowedTensor *copy = copyDescription(tensor);
  if (!exported || !copy) {
    std::free(exported);
    std::free(copy);
    PyErr_NoMemory();
    return nullptr;
  }
  exported->copy = copy;
  exported->managed.dl_tensor = copy->tensor;
  exported->managed.deleter = [](Managed *self) {
    auto *whole = reinterpret_cast<Export *>(self);
    std::free(whole->copy);
    std::free(whole);
  };
  return &exported->managed;
}

PyObject *exportVersioned(PyObject *self, const DLTensor &tensor) {
  DLManagedTensorVersioned *managed;
  TVMFFIObjectHandle handle = cast(self)->object.handle;
  if (handle) {
    if (TVMFFITensorToDLPackVersioned(handle, &managed))
      return raiseFromAbi();
  } else {
    managed = exportBorrowed<DLManagedTensorVersioned>(tensor);
    if (!managed)
      return nullptr;
    managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  }
  if (cast(self)->isReadOnly)
    managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  return makeCapsule(managed, "dltensor_versioned");
}

PyObject *exportLegacy(PyObject *self, const DLTensor &tensor) {
  DLManagedTensor *managed;
  TVMFFIObjectHandle handle = cast(self)->object.handle;
  if (handle) {
    if (TVMFFITensorToDLPack(handle, &managed))
      return raiseFromAbi();
  } else {
    managed = exportBorrowed<DLManagedTensor>(tensor);
    if (!managed)
      return nullptr;
  }
  return makeCapsule(managed, "dltensor");
}

PyObject *dlpack(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *maxVersion = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", const_cast<char **>(keywords),
                                   &stream, &maxVersion, &device, &copy))
    return nullptr;
  DLTensor *tensor = readTensor(self);
  if (!tensor)
    return nullptr;
  if (copy == Py_True) {
    PyErr_SetString(PyExc_BufferError, "copy=True: the tensor can only be shared");
    return nullptr;
  }
  if (device != Py_None) {
    Ref own(dlpackDevice(self, nullptr));
    int same = own ? PyObject_RichCompareBool(own.get(), device, Py_EQ) : -1;
    if (same < 0)
      return nullptr;
    if (!same)
      return PyErr_Format(PyExc_BufferError, "the tensor is on device %S and cannot go to %S",
                          own.get(), device);
  }
  long major = 0;
  if (maxVersion != Py_None) {
    Ref number(PySequence_GetItem(maxVersion, 0));
    major = number ? PyLong_AsLong(number.get()) : -1;
    if (PyErr_Occurred())
      return nullptr;
  }
  return major >= 1 ? exportVersioned(self, *tensor) : exportLegacy(self, *tensor);
}

PyMethodDef methods[] = {
    {"__dlpack__", method<dlpack>(), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule that shares the data; versioned where max_version allows it."},
    {"__dlpack_device__", method<dlpackDevice>(), METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nThe device as DLPack's type and ordinal."},
    {"data_ptr", method<dataPtr>(), METH_NOARGS,
     "data_ptr($self, /)\n--\n\nAddress of the first element."},
    {"size", method<size>(), METH_O,
     "size($self, dimension, /)\n--\n\nExtent of a dimension; negative ones count from the last."},
    {"numel", method<numel>(), METH_NOARGS, "numel($self, /)\n--\n\nNumber of elements."},
    {"is_contiguous", method<isContiguous>(), METH_NOARGS,
     "is_contiguous($self, /)\n--\n\nWhether the elements lie in row-major order without gaps."},
    {}};

PyGetSetDef properties[] = {
    {"shape", propertyGetter<getShape>(), nullptr, "Extents, a tuple.", nullptr},
    {"strides", propertyGetter<getStrides>(), nullptr, "Strides in elements, a tuple.", nullptr},
    {"dtype", propertyGetter<getDtype>(), nullptr, "Type of an element, a dtype.", nullptr},
    {"device", propertyGetter<getDevice>(), nullptr, "Where the data is, a Device.", nullptr},
    {"ndim", propertyGetter<getRank>(), nullptr, "Number of dimensions.", nullptr},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>("A tensor of the TVM FFI ABI; any framework's from_dlpack reads it.")},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_repr, slot<repr>()},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Tensor", sizeof(TensorObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

PyObject *fromDLPack(PyObject *, PyObject *producer) {
  const TypeEntry *entry = findType(Py_TYPE(producer));
  if (!entry)
    return nullptr;
  if (entry->kind == ArgKind::Tensor && reinterpret_cast<ObjectObject *>(producer)->handle)
    return Py_NewRef(producer);
  if (entry->kind != ArgKind::ExchangeTensor && entry->kind != ArgKind::NumPyArray &&
      entry->kind != ArgKind::DLPack && entry->kind != ArgKind::Capsule &&
      entry->kind != ArgKind::Handle)
    return PyErr_Format(PyExc_TypeError,
                        "expected a tensor (an object with __dlpack__, or a capsule), but got %s",
                        Py_TYPE(producer)->tp_name);
  TVMFFIAny value;
  bool isReadOnly = false;
  if (!convertOwned(producer, &value, &isReadOnly))
    return nullptr;
  if (value.type_index == kTVMFFITensor) {
    PyObject *self = wrapTensor(value.v_obj);
    if (self)
      cast(self)->isReadOnly = isReadOnly;
    return self;
  }
  if (value.type_index >= kTVMFFIStaticObjectBegin)
    TVMFFIObjectDecRef(value.v_obj);
  return PyErr_Format(PyExc_TypeError, "expected a tensor, but got %s", Py_TYPE(producer)->tp_name);
}

} // namespace

PyMethodDef fairlead::python::tensorMethods[] = {{"from_dlpack", method<fromDLPack>(), METH_O,
                                                  "from_dlpack(producer, /)\n--\n\nA Tensor that "
                                                  "shares the data of another framework's tensor."},
                                                 {}};

PyObject *fairlead::python::wrapTensor(TVMFFIObjectHandle handle) {
  PyObject *self = wrapObject(state.tensorType, handle);
  if (self)
    cast(self)->tensor = TVMFFITensorGetDLTensorPtr(handle);
  return self;
}

PyObject *fairlead::python::borrowTensor(const DLTensor *tensor) {
  BorrowedTensor *copy = copyDescription(*tensor);
  if (!copy)
    return PyErr_NoMemory();
  PyObject *self = wrapObject(state.tensorType, nullptr);
  if (!self) {
    std::free(copy);
    return nullptr;
  }
  cast(self)->tensor = &copy->tensor;
  return self;
}

void fairlead::python::expireTensor(PyObject *tensor) {
  if (!PyObject_TypeCheck(tensor, state.tensorType) || cast(tensor)->object.handle)
    return;
  std::free(cast(tensor)->tensor);
  cast(tensor)->tensor = nullptr;
}

DLTensor *fairlead::python::readTensor(PyObject *tensor) {
  if (!cast(tensor)->tensor)
    PyErr_SetString(
        PyExc_ValueError,
        "the tensor was an argument of a callback that has returned; copy what is to be kept");
  return cast(tensor)->tensor;
}

int fairlead::python::addTensorType(PyObject *module) {
  return addType(module, state.tensorType, spec, state.objectType);
}
