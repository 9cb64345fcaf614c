#include "object/Object.h"

#include "Guarded.h"
#include "Ref.h"

#include "object/Reflection.h"

#include <cstdint>

using namespace fairlead::python;

PyObject *fairlead::python::wrapObject(PyTypeObject *type, TVMFFIObjectHandle handle,
                                       const DLPackExchangeAPI *api) {
  auto *self = reinterpret_cast<ObjectObject *>(type->tp_alloc(type, 0));
  if (!self) {
    if (handle)
      TVMFFIObjectDecRef(handle);
    return nullptr;
  }
  self->handle = handle;
  self->api = api;
  return reinterpret_cast<PyObject *>(self);
}

void fairlead::python::releaseHandle(void *handle) {
  KeptError guard;
  TVMFFIObjectDecRef(handle);
}

namespace {

ObjectObject *cast(PyObject *self) { return reinterpret_cast<ObjectObject *>(self); }

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (cast(self)->handle)
    TVMFFIObjectDecRef(cast(self)->handle);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *chandle(PyObject *self, PyObject *) { return PyLong_FromVoidPtr(cast(self)->handle); }

PyObject *sameAs(PyObject *self, PyObject *other) {
  return PyBool_FromLong(PyObject_TypeCheck(other, state.objectType) &&
                         cast(self)->handle == cast(other)->handle);
}

PyObject *address(PyObject *self, void *) { return PyLong_FromVoidPtr(cast(self)->handle); }

PyObject *typeKey(PyObject *self, void *) {
  TVMFFIObjectHandle handle = cast(self)->handle;
  if (!handle)
    return PyUnicode_FromString(PyObject_TypeCheck(self, state.tensorType) ? "DLTensor*" : "None");
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

/// An instance of a subclass, for its constructor to fill.
PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  if (type == state.objectType)
    return PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
  return wrapObject(type, nullptr);
}

/// Takes another object's reference, which leaves that one empty.
PyObject *moveFrom(PyObject *self, PyObject *other) {
  if (!PyObject_TypeCheck(other, state.objectType))
    return PyErr_Format(PyExc_TypeError, "expected an Object, but got %s", Py_TYPE(other)->tp_name);
  if (PyObject_TypeCheck(self, state.functionType) || PyObject_TypeCheck(self, state.tensorType) ||
      PyObject_TypeCheck(other, state.functionType) || PyObject_TypeCheck(other, state.tensorType))
    return PyErr_Format(PyExc_TypeError, "functions and tensors cannot be moved from or to");
  if (self != other) {
    TVMFFIObjectHandle old = cast(self)->handle;
    cast(self)->handle = cast(other)->handle;
    cast(self)->api = cast(other)->api;
    cast(other)->handle = nullptr;
    if (old)
      TVMFFIObjectDecRef(old);
  }
  Py_RETURN_NONE;
}

PyObject *initHandle(PyObject *self, PyObject *args) {
  if (!PyTuple_GET_SIZE(args))
    return PyErr_Format(PyExc_TypeError, "the constructor is missing");
  Ref rest(PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args)));
  Ref made(rest ? PyObject_CallObject(PyTuple_GET_ITEM(args, 0), rest.get()) : nullptr);
  if (!made)
    return nullptr;
  Ref done(moveFrom(self, made.get()));
  // Objects that a program makes hold tensors of the ABI; results of functions convert theirs to
  // the framework's.
  cast(self)->api = nullptr;
  return done.release();
}

PyMethodDef methods[] = {
    {"is_", method<sameAs>(), METH_O, "is_($self, other, /)\n--\n\nThe same as same_as."},
    {"_move", method<makeRValue>(), METH_NOARGS,
     "_move($self, /)\n--\n\nAn argument that hands the object's reference to the callee; the "
     "object is empty after the call, if the callee took it."},
    {"__move_handle_from__", method<moveFrom>(), METH_O,
     "__move_handle_from__($self, other, /)\n--\n\nTakes over another object's reference and "
     "leaves that object empty."},
    {"__init_handle_by_constructor__", method<initHandle>(), METH_VARARGS,
     "__init_handle_by_constructor__($self, constructor, /, *args)\n--\n\nMakes this the object "
     "that constructor(*args) returns."},
    {"__chandle__", method<chandle>(), METH_NOARGS,
     "__chandle__($self, /)\n--\n\nThe object's address, borrowed."},
    {"same_as", method<sameAs>(), METH_O,
     "same_as($self, other, /)\n--\n\nWhether both are the same object of the ABI."},
    {}};

PyGetSetDef properties[] = {{"id_", propertyGetter<address>(), nullptr,
                             "The object's address, as __chandle__ gives it.", nullptr},
                            {"type_key", propertyGetter<typeKey>(), nullptr,
                             "The key of the object's type, such as ``ffi.Array``.", nullptr},
                            {}};

PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>("An object of the TVM FFI ABI.")},
                       {Py_tp_new, slot<create>()},
                       {Py_tp_dealloc, slot<dealloc>()},
                       {Py_tp_repr, slot<repr>()},
                       {Py_tp_richcompare, slot<compare>()},
                       {Py_tp_hash, slot<hash>()},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Object", sizeof(ObjectObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

} // namespace

int fairlead::python::addObjectType(PyObject *module) {
  return addType(module, state.objectType, spec);
}
