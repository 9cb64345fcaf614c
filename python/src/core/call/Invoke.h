/// Parts of the call path that its variants share.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_INVOKE_H_
#define FAIRLEAD_PYTHON_CORE_CALL_INVOKE_H_

#include "call/Call.h"

namespace fairlead::python {

/// Converts the arguments, in the order of the entry, and calls it.
PyObject *invokePositional(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs);

/// Calls the entry of `function` with arguments that `call` has converted.
PyObject *runConverted(Call &call, FunctionObject *function, const TVMFFIAny *values,
                       int32_t count);

/// If the current error says that an argument is of a type of the ABI (ffi.String), replaces that
/// by its type in Python. `args` are the arguments in the order of the entry.
void nameTypes(PyObject *const *args, Py_ssize_t numArgs);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_INVOKE_H_
