#include "Object.h"

#include <cstdint>

using namespace fairlead::python;

PyObject *fairlead::python::wrapObject(PyTypeObject *type, TVMFFIObjectHandle handle) {
  auto *self = reinterpret_cast<ObjectObject *>(type->tp_alloc(type, 0));
  if (!self) {
    TVMFFIObjectDecRef(handle);
    return nullptr;
  }
  self->handle = handle;
  return reinterpret_cast<PyObject *>(self);
}

void fairlead::python::releaseHandle(void *handle) { TVMFFIObjectDecRef(handle); }

void fairlead::python::releasePyObject(void *object) {
  if (!Py_IsInitialized())
    return;
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject *>(object));
  PyGILState_Release(gil);
}

namespace {

ObjectObject *cast(PyObject *self) { return reinterpret_cast<ObjectObject *>(self); }

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  TVMFFIObjectDecRef(cast(self)->handle);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *chandle(PyObject *self, PyObject *) { return PyLong_FromVoidPtr(cast(self)->handle); }

PyObject *sameAs(PyObject *self, PyObject *other) {
  return PyBool_FromLong(PyObject_TypeCheck(other, state.objectType) &&
                         cast(self)->handle == cast(other)->handle);
}

PyObject *typeKey(PyObject *self, void *) {
  TVMFFIObjectHandle handle = cast(self)->handle;
  if (!handle)
    return PyUnicode_FromString("DLTensor*");
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(TVMFFIObjectGetTypeIndex(handle));
  return PyUnicode_FromStringAndSize(info->type_key.data,
                                     static_cast<Py_ssize_t>(info->type_key.size));
}

PyObject *repr(PyObject *self) {
  Ref key(typeKey(self, nullptr));
  if (!key)
    return nullptr;
  return PyUnicode_FromFormat("<%U at %p>", key.get(), cast(self)->handle);
}

PyObject *compare(PyObject *self, PyObject *other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(other, state.objectType))
    Py_RETURN_NOTIMPLEMENTED;
  // A tensor without a handle equals itself alone.
  bool same = cast(self)->handle ? cast(self)->handle == cast(other)->handle : self == other;
  return PyBool_FromLong(same == (operation == Py_EQ));
}

Py_hash_t hash(PyObject *self) {
  void *address = cast(self)->handle ? cast(self)->handle : self;
  auto value = static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(address) >> 4);
  return value == -1 ? -2 : value;
}

PyMethodDef methods[] = {
    {"__chandle__", chandle, METH_NOARGS,
     "__chandle__($self, /)\n--\n\nThe object's address, borrowed."},
    {"same_as", sameAs, METH_O,
     "same_as($self, other, /)\n--\n\nWhether both are the same object of the ABI."},
    {}};

PyGetSetDef properties[] = {
    {"type_key", typeKey, nullptr, "The key of the object's type, such as ``ffi.Array``.", nullptr},
    {}};

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>("An object of the TVM FFI ABI.")},
                       {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void *>(repr)},
                       {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
                       {Py_tp_hash, reinterpret_cast<void *>(hash)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Object", sizeof(ObjectObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

} // namespace

int fairlead::python::addObjectType(PyObject *module) {
  if (!state.objectType) {
    state.objectType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    if (!state.objectType)
      return -1;
  }
  return PyModule_AddObjectRef(module, "Object", reinterpret_cast<PyObject *>(state.objectType));
}
