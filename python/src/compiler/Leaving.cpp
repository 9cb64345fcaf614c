/// Threads that run Python code from here when the interpreter ends.
///
/// Until Python 3.13, a thread that then wants the interpreter back is unwound. On its way up,
/// nanobind's objects would give up their references while another thread has the interpreter. So
/// such a thread stops for good where it left for Python: the linker puts these functions in the
/// place of Python's (--wrap).
#include <Python.h>

#include <cxxabi.h>
#include <unistd.h>

#include "LongWork.h"

namespace fairlead::python {

void stopForGood() {
  for (;;)
    pause();
}

namespace {

template <typename Call> PyObject *orStop(Call call) {
  try {
    return call();
  } catch (abi::__forced_unwind &) {
    stopForGood();
  }
}

} // namespace
} // namespace fairlead::python

using fairlead::python::orStop;

extern "C" {

PyObject *__real_PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *__wrap_PyObject_Vectorcall(PyObject *callable, PyObject *const *arguments, size_t count,
                                     PyObject *names) {
  return orStop([&] { return __real_PyObject_Vectorcall(callable, arguments, count, names); });
}

PyObject *__real_PyObject_VectorcallMethod(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *__wrap_PyObject_VectorcallMethod(PyObject *name, PyObject *const *arguments, size_t count,
                                           PyObject *names) {
  return orStop([&] { return __real_PyObject_VectorcallMethod(name, arguments, count, names); });
}

PyObject *__real_PyObject_GetAttr(PyObject *, PyObject *);
PyObject *__wrap_PyObject_GetAttr(PyObject *object, PyObject *name) {
  return orStop([&] { return __real_PyObject_GetAttr(object, name); });
}

PyObject *__real_PyIter_Next(PyObject *);
PyObject *__wrap_PyIter_Next(PyObject *iterator) {
  return orStop([&] { return __real_PyIter_Next(iterator); });
}

} // extern "C"
