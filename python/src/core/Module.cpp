// fairlead._core: the call path between Python and functions of the TVM FFI ABI.

#include "Guarded.h"
#include "State.h"

#include "tvm/ffi/extra/c_env_api.h"

using namespace fairlead::python;

State fairlead::python::state;

int fairlead::python::addType(PyObject *module, PyTypeObject *&type, PyType_Spec &spec,
                              PyTypeObject *base) {
  if (!type)
    type = reinterpret_cast<PyTypeObject *>(
        PyType_FromModuleAndSpec(nullptr, &spec, reinterpret_cast<PyObject *>(base)));
  return type ? PyModule_AddType(module, type) : -1;
}

namespace {

/// Lets native code look for Ctrl-C.
int registerPython() {
  return TVMFFIEnvRegisterCAPI("PyErr_CheckSignals",
                               reinterpret_cast<void *>(PyErr_CheckSignals)) ||
         TVMFFIEnvRegisterCAPI("PyGILState_Ensure", reinterpret_cast<void *>(PyGILState_Ensure)) ||
         TVMFFIEnvRegisterCAPI("PyGILState_Release", reinterpret_cast<void *>(PyGILState_Release));
}

int execute(PyObject *module) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  if (version.major != TVM_FFI_VERSION_MAJOR || version.minor != TVM_FFI_VERSION_MINOR) {
    PyErr_Format(PyExc_ImportError, "libtvm_ffi.so has version %u.%u.%u, expected %d.%d",
                 version.major, version.minor, version.patch, TVM_FFI_VERSION_MAJOR,
                 TVM_FFI_VERSION_MINOR);
    return -1;
  }
  if (registerPython()) {
    PyErr_SetString(PyExc_ImportError, "libtvm_ffi.so refused Python's functions");
    return -1;
  }
  if (addObjectType(module) || addTensorType(module) || addFunctionType(module) ||
      addRValueType(module) || addDispatcherType(module) || addPlannerType(module) ||
      addGuardsType(module) || addFormType(module) || addCallDescriptionType(module))
    return -1;
  for (PyMethodDef *methods :
       {registryMethods, reflectionMethods, languageTypeMethods, errorMethods, tensorMethods,
        functionMethods, dispatcherMethods, describedMethods})
    if (PyModule_AddFunctions(module, methods))
      return -1;
  if (!state.opaqueHandlers && !(state.opaqueHandlers = PyDict_New()))
    return -1;
  if (PyModule_AddObjectRef(module, "_opaque_ptr_handlers", state.opaqueHandlers))
    return -1;
  Ref numbers(Py_BuildValue("(III)", version.major, version.minor, version.patch));
  return numbers ? PyModule_AddObjectRef(module, "ffi_version", numbers.get()) : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, slot<execute>()},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "fairlead._core",
                          "Calls between Python and functions of the TVM FFI ABI.",
                          0,
                          nullptr,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

} // namespace

PyMODINIT_FUNC PyInit__core() { return PyModuleDef_Init(&definition); }
