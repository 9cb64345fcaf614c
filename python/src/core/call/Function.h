/// fairlead._core.Function: a function of the ABI that Python calls.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_FUNCTION_H_
#define FAIRLEAD_PYTHON_CORE_CALL_FUNCTION_H_

#include "call/ArgumentTypes.h"
#include "call/CallDescription.h"
#include "object/Object.h"

namespace fairlead::python {

/// The attribute of a Function that has the callable it was made of.
inline constexpr const char *kWrappedAttribute = "__wrapped__";

/// The attribute of a Function that takes over its calls when torch traces, transforms or
/// differentiates.
inline constexpr const char *kOperatorAttribute = "_torch_operator";

struct FunctionObject {
  ObjectObject object;
  vectorcallfunc vectorcall;
  /// The entry of a call: the object's own, or the symbol behind it if that is known.
  TVMFFISafeCallType safeCall;
  /// The callee keeps no tensor argument: it is handed views.
  bool views;
  /// Other Python threads run during the call.
  bool releaseGil;
  /// The callee may allocate: it finds the allocator of the arguments' framework.
  bool envAllocator;
  /// Bit i: the callee writes argument i, a tensor. torch's autograd is notified.
  unsigned long long written;
  PyObject *name;        ///< str, or NULL
  PyObject *signature;   ///< str, or NULL
  CallDescription *call; ///< its parameters; an empty description if unknown
  PyObject *dict;
  PyObject *weakrefs;
  /// How the last call's arguments converted, by position.
  const TypeEntry *cache[kInlineArgs];
  /// Bit i: the callee is known to write, or only to read, its argument i, a tensor; the last bit
  /// is for all further arguments together. No bit in either: nothing is known.
  unsigned long long stores, loads;
  /// Takes tensors of torch that require grad, without their gradients, as published programs
  /// expect.
  bool detaches;
};

/// True if the bit of argument `index` is set in FunctionObject's `stores` or `loads`.
inline bool hasArgument(unsigned long long bits, int index) {
  return bits >> (index < 63 ? index : 63) & 1;
}

/// A Function around `handle`, which it takes over even when it fails. `type` is Function or a
/// subclass.
PyObject *newFunctionObject(PyTypeObject *type, TVMFFIObjectHandle handle);

/// Calls a Function: the vectorcall slot.
PyObject *callFunction(PyObject *self, PyObject *const *args, size_t numArgsFlags, PyObject *names);

/// Keeps the fast call for a class written in Python that derives from a class of this module,
/// unless it has its own `__call__`. Python before 3.12 takes the fast call away. The `__call__`
/// that _show_call sets is only for readers. False with an exception set.
bool keepFastCall(PyTypeObject *subclass);

/// The text that errors show for the function: its signature, else its name. Never fails.
Ref describeFunction(FunctionObject *function);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_FUNCTION_H_
