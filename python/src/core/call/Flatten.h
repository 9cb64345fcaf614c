/// Structures that Python passes, as the arguments of the entry that their fields are.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_FLATTEN_H_
#define FAIRLEAD_PYTHON_CORE_CALL_FLATTEN_H_

#include "call/Function.h"

namespace fairlead::python {

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
#endif // FAIRLEAD_PYTHON_CORE_CALL_FLATTEN_H_
