/* An extension module of another project: links libtvm_ffi.so, and knows nothing of Fairlead. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <tvm/ffi/c_api.h>

static int addHundred(void *self, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)self;
  if (count != 1 || args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "add_hundred takes an int");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 100;
  return 0;
}

/* Registers add_hundred as a global function: (name). */
static PyObject *publish(PyObject *module, PyObject *name) {
  (void)module;
  Py_ssize_t size;
  TVMFFIByteArray text;
  TVMFFIObjectHandle function;
  text.data = PyUnicode_AsUTF8AndSize(name, &size);
  text.size = (size_t)size;
  if (!text.data)
    return NULL;
  if (TVMFFIFunctionCreate(NULL, addHundred, NULL, &function) ||
      TVMFFIFunctionSetGlobal(&text, function, 1)) {
    PyErr_SetString(PyExc_RuntimeError, "cannot publish");
    return NULL;
  }
  TVMFFIObjectDecRef(function);
  Py_RETURN_NONE;
}

/* Calls a global function: (name, int). */
static PyObject *call(PyObject *module, PyObject *args) {
  (void)module;
  const char *name;
  Py_ssize_t size;
  long long number;
  if (!PyArg_ParseTuple(args, "s#L", &name, &size, &number))
    return NULL;
  TVMFFIByteArray text = {name, (size_t)size};
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny argument = {0}, result = {0};
  argument.type_index = kTVMFFIInt;
  argument.v_int64 = number;
  if (TVMFFIFunctionGetGlobal(&text, &function) || !function) {
    PyErr_SetString(PyExc_LookupError, name);
    return NULL;
  }
  int code = TVMFFIFunctionCall(function, &argument, 1, &result);
  TVMFFIObjectDecRef(function);
  if (code || result.type_index != kTVMFFIInt) {
    PyErr_SetString(PyExc_RuntimeError, "the call failed");
    return NULL;
  }
  return PyLong_FromLongLong(result.v_int64);
}

static PyMethodDef methods[] = {
    {"publish", publish, METH_O, NULL}, {"call", call, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "fairlead_test_extension", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_fairlead_test_extension(void) { return PyModule_Create(&definition); }
