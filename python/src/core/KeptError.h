/// A guard for calls of foreign code while an exception may be set.
#ifndef FAIRLEAD_PYTHON_CORE_KEPTERROR_H_
#define FAIRLEAD_PYTHON_CORE_KEPTERROR_H_

#include "Ref.h"

namespace fairlead::python {

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
#endif // FAIRLEAD_PYTHON_CORE_KEPTERROR_H_
