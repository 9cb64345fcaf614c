/// The extension's state for the life of the process: its types, and the Python classes that
/// fairlead.ffi passed to it.
#pragma once

#include "Ref.h"

namespace fairlead::python {

/// One per process: the ABI's own state (errors, streams, global functions) is per process too, so
/// the extension supports one interpreter.
struct State {
  PyTypeObject *objectType;
  PyTypeObject *functionType;
  PyTypeObject *tensorType;
  /// Classes of fairlead.ffi for values that need no C: dtype, Device, Module, Shape,
  /// ObjectConvertible. NULL until set_classes.
  PyObject *dtypeClass;
  PyObject *deviceClass;
  PyObject *moduleClass;
  PyObject *shapeClass;
  PyObject *convertibleClass;
  /// Exact class -> function that returns the address for an instance: a dict that programs fill.
  PyObject *opaqueHandlers;
  /// The type of results of Object._move.
  PyTypeObject *rvalueType;
  /// Makes the class for a type index (int) that none is registered for; or NULL.
  PyObject *makeClass;
  /// Error kind (str) -> exception class, as register_error adds them.
  PyObject *errorClasses;
};

extern State state;

/// Makes the type, once for the process, and adds it to the module; -1 with an exception set.
int addType(PyObject *module, PyTypeObject *&type, PyType_Spec &spec, PyTypeObject *base = nullptr);
/// Each adds one part to the module; -1 with an exception set.
int addObjectType(PyObject *module);
int addTensorType(PyObject *module);
int addFunctionType(PyObject *module);
int addRValueType(PyObject *module);
int addDispatcherType(PyObject *module);
int addPlannerType(PyObject *module);
int addGuardsType(PyObject *module);
int addFormType(PyObject *module);
int addCallDescriptionType(PyObject *module);

/// Module-level functions, ended by an empty entry.
extern PyMethodDef registryMethods[];
extern PyMethodDef reflectionMethods[];
extern PyMethodDef languageTypeMethods[];
extern PyMethodDef errorMethods[];
extern PyMethodDef tensorMethods[];
extern PyMethodDef functionMethods[];
extern PyMethodDef dispatcherMethods[];
extern PyMethodDef describedMethods[];

} // namespace fairlead::python
