#include "call/Callback.h"

#include "Guarded.h"
#include "call/Call.h"
#include "object/Errors.h"
#include "object/Object.h"
#include "object/Tensor.h"
#include "object/ToPython.h"

#include <new>

using namespace fairlead::python;

namespace {

/// The arguments of a callback as Python objects; borrowed tensors expire with it.
class Arguments {
public:
  explicit Arguments(int32_t count)
      : objects(count <= kInlineArgs
                    ? room
                    : static_cast<PyObject **>(PyMem_Malloc(count * sizeof(PyObject *)))) {}
  ~Arguments() {
    for (int32_t i = 0; i < used; ++i) {
      if (Py_REFCNT(objects[i]) > 1)
        expireTensor(objects[i]);
      Py_DECREF(objects[i]);
    }
    if (objects != room)
      PyMem_Free(objects);
  }

  bool fill(const TVMFFIAny *values, int32_t count, const DLPackExchangeAPI *api) {
    if (!objects) {
      PyErr_NoMemory();
      return false;
    }
    for (; used < count; ++used) {
      objects[used] = viewToPython(values[used], api);
      if (!objects[used])
        return false;
    }
    return true;
  }

  PyObject **data() { return objects; }

private:
  PyObject *room[kInlineArgs];
  PyObject **objects;
  int32_t used = 0;
};

int call(PyObject *callable, const DLPackExchangeAPI *api, const TVMFFIAny *values, int32_t count,
         TVMFFIAny *result) {
  // The callable may drop the function that it is called through.
  Ref owner = Ref::share(callable);
  Arguments arguments(count);
  if (!arguments.fill(values, count, api))
    return raiseToAbi();
  Ref value(PyObject_Vectorcall(callable, arguments.data(), count, nullptr));
  if (!value || !convertOwned(value.get(), result))
    return raiseToAbi();
  return 0;
}

int callWith(PyObject *callable, const DLPackExchangeAPI *api, const TVMFFIAny *values,
             int32_t count, TVMFFIAny *result) {
  if (!Py_IsInitialized()) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "a Python function was called after Python ended");
    return -1;
  }
  PyGILState_STATE gil = PyGILState_Ensure();
  int code = guarded([&] { return call(callable, api, values, count, result); });
  if (code && PyErr_Occurred()) // memory is short
    raiseToAbi();
  PyGILState_Release(gil);
  return code;
}

int callPython(void *callable, const TVMFFIAny *values, int32_t count, TVMFFIAny *result) {
  return callWith(static_cast<PyObject *>(callable), nullptr, values, count, result);
}

/// A callable that wants the tensors of a framework.
struct FrameworkCallable {
  PyObject *callable;
  const DLPackExchangeAPI *api;
};

int callPythonWithFramework(void *self, const TVMFFIAny *values, int32_t count, TVMFFIAny *result) {
  FrameworkCallable target = *static_cast<FrameworkCallable *>(self);
  return callWith(target.callable, target.api, values, count, result);
}

void releaseFrameworkCallable(void *self) {
  auto *target = static_cast<FrameworkCallable *>(self);
  releasePyObject(target->callable);
  delete target;
}

} // namespace

TVMFFIObjectHandle fairlead::python::makeCallback(PyObject *callable,
                                                  const DLPackExchangeAPI *api) {
  if (api) {
    auto *target = new (std::nothrow) FrameworkCallable{Py_NewRef(callable), api};
    TVMFFIObjectHandle handle = nullptr;
    if (!target) {
      Py_DECREF(callable);
      PyErr_NoMemory();
    } else if (TVMFFIFunctionCreate(target, callPythonWithFramework, releaseFrameworkCallable,
                                    &handle)) {
      releaseFrameworkCallable(target);
      raiseFromAbi();
      return nullptr;
    }
    return handle;
  }
  TVMFFIObjectHandle handle;
  if (TVMFFIFunctionCreate(Py_NewRef(callable), callPython, releasePyObject, &handle)) {
    Py_DECREF(callable);
    raiseFromAbi();
    return nullptr;
  }
  return handle;
}
