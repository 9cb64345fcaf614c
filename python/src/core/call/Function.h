/// fairlead._core.Function: a function of the ABI that Python calls.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_FUNCTION_H_
#define FAIRLEAD_PYTHON_CORE_CALL_FUNCTION_H_

#include "call/ArgumentTypes.h"
#include "object/Object.h"

namespace fairlead::python {

/// Arguments of one call that need no heap memory.
inline constexpr int kInlineArgs = 16;

/// The attribute of a Function that has the callable it was made of.
inline constexpr const char *kWrappedAttribute = "__wrapped__";

struct Plan;

/// How the arguments of one place in a program stand in for the parameters: found once, then known
/// by the tuple of its keywords, which is a constant of the calling code.
struct Arrangement {
  PyObject *names;          ///< the keywords; NULL: none. A reference of its own
  Py_ssize_t numArgs;       ///< positional ones; -1: nothing is remembered here
  bool inOrder;             ///< every parameter is given, in order
  int8_t from[kInlineArgs]; ///< of each parameter the place among the arguments; -1: its default
};
inline constexpr int kArrangements = 2;

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
  Arrangement arrangements[kArrangements];
  int oldestArrangement;
  /// How the last call's arguments converted, by position.
  const TypeEntry *cache[kInlineArgs];
};

/// A Function around `handle`, which it takes over even when it fails. `type` is Function or a
/// subclass.
PyObject *makeFunction(PyTypeObject *type, TVMFFIObjectHandle handle);

/// Calls a Function: the vectorcall slot.
PyObject *callFunction(PyObject *self, PyObject *const *args, size_t numArgsFlags, PyObject *names);

/// What the function remembers of calls with these keywords; NULL: nothing.
inline const Arrangement *findArrangement(FunctionObject *function, Py_ssize_t numArgs,
                                          PyObject *names) {
#ifndef Py_GIL_DISABLED // it would need a lock
  for (const Arrangement &each : function->arrangements)
    if (each.names == names && each.numArgs == numArgs)
      return &each;
#else
  (void)function, (void)numArgs, (void)names;
#endif
  return nullptr;
}

/// Remembers a call that binds: keywords are names of parameters, none is given twice, and the
/// others have defaults. `params` are the parameters' names.
void rememberArrangement(FunctionObject *function, PyObject *params, Py_ssize_t numArgs,
                         PyObject *names);

/// Forgets all of them: the parameters are others now.
void forgetArrangements(FunctionObject *function);

/// The text that errors show for the function: its signature, else its name. Never fails.
Ref describeFunction(FunctionObject *function);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_FUNCTION_H_
