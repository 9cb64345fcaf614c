/// How C code calls functions of the extension.
///
/// CPython is C: a C++ exception that leaves a function that it called ends the process. Every
/// slot, method and property of a type, every function of the module and every callback of the ABI
/// is therefore wrapped, by `slot`, `method`, `propertyGetter`, `propertySetter` or `guarded`;
/// tests/install/test_tidy.py reads the tables.
///
/// A tp_new makes its C++ members before the Python object. Assignments, which cannot fail, then
/// hand them over, so that no object is half made.
#pragma once

#include <cxxabi.h>
#include <exception>
#include <new>
#include <type_traits>
#include <unistd.h>

#include "Ref.h"

namespace fairlead::python {

/// Raises the C++ exception that is being handled as one of Python. Without the GIL, a callee has
/// broken the rules of the ABI and thrown: the process ends.
[[gnu::cold, gnu::noinline]] inline void raiseCaught() noexcept {
  if (!PyGILState_Check())
    std::terminate();
  try {
    throw;
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "a C++ exception of an unknown type");
  }
}

/// Runs `work`, whose C++ exceptions become Python's: then NULL or -1. Without a result, the
/// exception is printed. Needs the GIL.
template <typename Work> [[gnu::always_inline]] inline auto guarded(Work work) -> decltype(work()) {
  using Result = decltype(work());
  try {
    return work();
  } catch (abi::__forced_unwind &) { // the thread ends here, in pthread_exit
    throw;
  } catch (...) {
    raiseCaught();
    if constexpr (std::is_pointer_v<Result>)
      return nullptr;
    else if constexpr (!std::is_void_v<Result>)
      return Result(-1);
    else
      PyErr_WriteUnraisable(nullptr);
  }
}

/// A function as C may call it.
template <auto function> struct Guarded;
template <typename Result, typename... Args, Result (*function)(Args...)> struct Guarded<function> {
  static Result call(Args... args) {
    return guarded([&]() -> Result { return function(args...); });
  }
};

/// For PyType_Slot and PyModuleDef_Slot.
template <auto function> void *slot() { return reinterpret_cast<void *>(&Guarded<function>::call); }

/// For PyMethodDef. The flags of the entry tell the parameters.
template <auto function> PyCFunction method() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Guarded<function>::call));
}

/// For PyGetSetDef.
template <PyObject *(*function)(PyObject *, void *)> getter propertyGetter() {
  return &Guarded<function>::call;
}
template <int (*function)(PyObject *, PyObject *, void *)> setter propertySetter() {
  return &Guarded<function>::call;
}

/// Runs Python code, or waits for the interpreter. Until Python 3.13, a daemon thread that does so
/// when the interpreter has ended is unwound, without the interpreter: what C++ code holds would be
/// released by two threads at once. It stops here for good instead.
template <typename Work> auto untilInterpreterEnds(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
}

} // namespace fairlead::python
