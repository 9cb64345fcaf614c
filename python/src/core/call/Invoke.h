/// Parts of the call path that its variants share.
#pragma once

#include "call/Call.h"
#include "call/Function.h"

namespace fairlead::python {

/// Converts the arguments, in the order of the entry, and calls it.
PyObject *invokePositional(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs);

/// Calls the entry of `function` with arguments that `call` has converted.
PyObject *runConverted(Call &call, FunctionObject *function, const TVMFFIAny *values,
                       int32_t count);

/// If the current error says that an argument is of a type of the ABI (ffi.String), replaces that
/// by its type in Python. `args` are the arguments in the order of the entry.
void nameTypes(PyObject *const *args, Py_ssize_t numArgs);

/// A few pointers on the stack, more of them on the heap.
class Pointers {
public:
  Pointers() = default;
  Pointers(const Pointers &) = delete;
  Pointers &operator=(const Pointers &) = delete;
  ~Pointers() {
    if (items != inlineItems)
      PyMem_Free(items);
  }
  /// False with an exception set.
  bool reserve(Py_ssize_t count) {
    if (count <= kInlineArgs)
      return true;
    auto *room = static_cast<PyObject **>(PyMem_Malloc(count * sizeof(PyObject *)));
    if (!room) {
      PyErr_NoMemory();
      return false;
    }
    items = room;
    return true;
  }
  PyObject **items = inlineItems;

private:
  PyObject *inlineItems[kInlineArgs];
};

/// Calls the entry of `function`, whose parameters have forms, with one argument for each.
PyObject *invokeFlattened(FunctionObject *function, const CallDescription &call,
                          PyObject *const *args);

} // namespace fairlead::python
