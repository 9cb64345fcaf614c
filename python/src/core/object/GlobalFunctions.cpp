// Global functions, exception classes and the classes of values.

#include "Guarded.h"
#include "call/Callback.h"
#include "call/Function.h"
#include "object/Errors.h"

using namespace fairlead::python;

namespace {

/// False with an exception set.
bool readName(PyObject *object, TVMFFIByteArray *out) {
  Py_ssize_t size = 0;
  out->data = PyUnicode_AsUTF8AndSize(object, &size);
  out->size = static_cast<size_t>(size);
  return out->data;
}

PyObject *getGlobal(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"name", "allow_missing", nullptr};
  PyObject *name;
  int allowMissing = 0;
  TVMFFIByteArray bytes;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|p:get_global_func",
                                   const_cast<char **>(keywords), &name, &allowMissing) ||
      !readName(name, &bytes))
    return nullptr;
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFIFunctionGetGlobal(&bytes, &handle))
    return raiseFromAbi();
  if (!handle) {
    if (allowMissing)
      Py_RETURN_NONE;
    return PyErr_Format(PyExc_ValueError, "Cannot find global function %U", name);
  }
  Ref function(newFunctionObject(state.functionType, handle));
  if (function)
    reinterpret_cast<FunctionObject *>(function.get())->name = Py_NewRef(name);
  return function.release();
}

PyObject *setGlobal(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"name", "function", "override", "doc", "metadata", nullptr};
  PyObject *name, *object;
  int overrides = 0;
  const char *doc = "", *metadata = "";
  Py_ssize_t docSize = 0, metadataSize = 0;
  TVMFFIByteArray bytes;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UO|ps#s#:set_global_func",
                                   const_cast<char **>(keywords), &name, &object, &overrides, &doc,
                                   &docSize, &metadata, &metadataSize) ||
      !readName(name, &bytes))
    return nullptr;
  if (!PyObject_TypeCheck(object, state.functionType))
    return PyErr_Format(PyExc_TypeError, "function: expected a Function, but got %s",
                        Py_TYPE(object)->tp_name);
  // Looked up first, since the library reports refusals on the standard error.
  TVMFFIObjectHandle present = nullptr;
  if (!overrides && TVMFFIFunctionGetGlobal(&bytes, &present))
    return raiseFromAbi();
  if (present) {
    TVMFFIObjectDecRef(present);
    return PyErr_Format(PyExc_RuntimeError, "Global Function `%U` is already registered", name);
  }
  TVMFFIMethodInfo method = {};
  method.name = bytes;
  method.doc = {doc, static_cast<size_t>(docSize)};
  method.metadata = {metadata, static_cast<size_t>(metadataSize)};
  method.method.type_index = kTVMFFIFunction;
  method.method.v_obj =
      static_cast<TVMFFIObject *>(reinterpret_cast<ObjectObject *>(object)->handle);
  if (TVMFFIFunctionSetGlobalFromMethodInfo(&method, overrides))
    return raiseFromAbi();
  Py_RETURN_NONE;
}

PyObject *registerError(PyObject *, PyObject *args) {
  PyObject *name, *type;
  if (!PyArg_ParseTuple(args, "UO:register_error", &name, &type))
    return nullptr;
  if (!PyExceptionClass_Check(type))
    return PyErr_Format(PyExc_TypeError, "expected an exception class, but got %R", type);
  if (!state.errorClasses && !(state.errorClasses = PyDict_New()))
    return nullptr;
  if (PyDict_SetItem(state.errorClasses, name, type))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *setClasses(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *keywords[] = {"dtype", "device", "module", "shape", "convertible", nullptr};
  PyObject *dtype, *device, *module, *shape, *convertible;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!O!O!:_set_classes",
                                   const_cast<char **>(keywords), &PyType_Type, &dtype,
                                   &PyType_Type, &device, &PyType_Type, &module, &PyType_Type,
                                   &shape, &PyType_Type, &convertible))
    return nullptr;
  if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(module), state.objectType))
    return PyErr_Format(PyExc_TypeError, "module: expected a subclass of Object");
  Py_XSETREF(state.dtypeClass, Py_NewRef(dtype));
  Py_XSETREF(state.deviceClass, Py_NewRef(device));
  Py_XSETREF(state.moduleClass, Py_NewRef(module));
  Py_XSETREF(state.shapeClass, Py_NewRef(shape));
  Py_XSETREF(state.convertibleClass, Py_NewRef(convertible));
  Py_RETURN_NONE;
}

PyObject *raisePending(PyObject *, PyObject *) { return raiseFromAbi(); }

} // namespace

PyMethodDef fairlead::python::registryMethods[] = {
    {"get_global_func", method<getGlobal>(), METH_VARARGS | METH_KEYWORDS,
     "get_global_func(name, allow_missing=False)\n--\n\n"
     "The global function called name; ValueError, or None with allow_missing, where there is "
     "none."},
    {"set_global_func", method<setGlobal>(), METH_VARARGS | METH_KEYWORDS,
     "set_global_func(name, function, override=False, doc='', metadata='')\n--\n\n"
     "Makes a Function known to the process by a name, with what is said of it; RuntimeError where "
     "the name is taken."},
    {"register_error", method<registerError>(), METH_VARARGS,
     "register_error(kind, cls, /)\n--\n\nHas errors of a kind raised as a class of exceptions."},
    {"_raise_pending", method<raisePending>(), METH_NOARGS,
     "_raise_pending()\n--\n\nRaises the error in the thread's error slot."},
    {"_set_classes", method<setClasses>(), METH_VARARGS | METH_KEYWORDS,
     "_set_classes(dtype, device, module, shape, convertible)\n--\n\nThe classes that results "
     "become."},
    {}};
