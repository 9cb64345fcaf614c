/// Errors of the ABI as exceptions of Python, and back.
#pragma once

#include "Ref.h"

#include "tvm/ffi/c_api.h"

namespace fairlead::python {

/// Turns the error in the thread's slot into a Python exception of its kind. Returns NULL. `code`
/// is the result of the failed function: -2 says that a Python exception is set already.
PyObject *raiseFromAbi(int code = -1);

/// An Error of the ABI for a Python exception; NULL if memory is short. Sets no exception.
TVMFFIObjectHandle makeError(PyObject *exception);

/// Turns the Python exception that is set into an error in the thread's slot. Returns -1.
int raiseToAbi();

} // namespace fairlead::python
