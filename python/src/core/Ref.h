/// Python.h as every file of the extension needs it, and an owning reference.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace fairlead::python {

/// An owned reference to a Python object, or nothing. Not for use without the GIL.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference; NULL (a failed call) makes it empty.
  explicit Ref(PyObject *stolen) : object(stolen) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  /// A new reference to `borrowed`.
  static Ref share(PyObject *borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  PyObject *object = nullptr;
};

/// Puts the exception that is set aside, and back at the end. Deleters of other libraries may be
/// Python code, which does not run with one. Nothing if no exception is set, or without the GIL.
class KeptError {
public:
  KeptError() : isSet(Py_IsInitialized() && PyGILState_Check() && PyErr_Occurred()) {
    if (isSet)
      PyErr_Fetch(&type, &value, &traceback);
  }
  ~KeptError() {
    if (isSet)
      PyErr_Restore(type, value, traceback);
  }
  KeptError(const KeptError &) = delete;
  KeptError &operator=(const KeptError &) = delete;

private:
  bool isSet;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
};

} // namespace fairlead::python
