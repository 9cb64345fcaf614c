/// fairlead._core.Function: a function of the ABI that Python calls.
#ifndef FAIRLEAD_PYTHON_CORE_FUNCTION_H_
#define FAIRLEAD_PYTHON_CORE_FUNCTION_H_

#include "Object.h"
#include "TypeTable.h"

namespace fairlead::python {

/// Arguments of one call that need no heap memory.
inline constexpr int kInlineArgs = 16;

struct Plan;

struct FunctionObject {
  ObjectObject object;
  vectorcallfunc vectorcall;
  /// What a call runs: the object's own entry, or the symbol behind it where that is known.
  TVMFFISafeCallType safeCall;
  /// The callee keeps no tensor argument: it is handed views.
  bool views;
  /// Other Python threads run during the call.
  bool releaseGil;
  /// The callee may allocate: it finds the allocator of the arguments' framework.
  bool envAllocator;
  int numNames;        ///< of argNames
  int numDefaults;     ///< of defaults
  PyObject *name;      ///< str, or NULL
  PyObject *signature; ///< str, or NULL
  PyObject *argNames;  ///< tuple of str
  PyObject *defaults;  ///< tuple: those of the last arguments
  Plan *plan;          ///< how Python's arguments become those of the entry; NULL: one by one
  PyObject *dict;
  PyObject *weakrefs;
  /// How the last call's arguments converted, by position.
  const TypeEntry *cache[kInlineArgs];
};

/// A Function around `handle`, which it takes over even when it fails. `type` is Function or a
/// subclass.
PyObject *makeFunction(PyTypeObject *type, TVMFFIObjectHandle handle);

/// Calls a Function: the vectorcall slot.
PyObject *callFunction(PyObject *self, PyObject *const *args, size_t numArgsFlags, PyObject *names);

/// The text that errors show for the function: its signature, else its name. Never fails.
Ref describeFunction(FunctionObject *function);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_FUNCTION_H_
