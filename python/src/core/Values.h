/// Values of the ABI as Python objects, and errors both ways.
#ifndef FAIRLEAD_PYTHON_CORE_VALUES_H_
#define FAIRLEAD_PYTHON_CORE_VALUES_H_

#include "Ref.h"

#include "tvm/ffi/c_api.h"

namespace fairlead::python {

/// The Python object of an owned value, which is taken over even when it fails. Tensors become
/// those of `api`'s framework where it is not NULL, else Tensors.
PyObject *toPython(TVMFFIAny value, const DLPackExchangeAPI *api);

/// The same for a borrowed value. A DLTensor becomes a Tensor that the caller must expire.
PyObject *viewToPython(const TVMFFIAny &value, const DLPackExchangeAPI *api = nullptr);

/// A tensor as one of `api`'s framework, a container that remembers `api`; others as they are. A
/// new reference.
PyObject *toFramework(PyObject *value, const DLPackExchangeAPI *api);

/// An object of fairlead.ffi.dtype, or fairlead.ffi.Device.
PyObject *dtypeToPython(DLDataType dtype);
PyObject *deviceToPython(DLDevice device);

/// Turns the error in the thread's slot into a Python exception of its kind. Returns NULL. `code`
/// is what the failed function returned: -2 says that a Python exception is set already.
PyObject *raiseFromAbi(int code = -1);

/// An object of the ABI that holds a Python object; NULL with an exception set.
TVMFFIObjectHandle makeOpaque(PyObject *object);

/// An Error of the ABI for a Python exception; NULL where memory is short. Sets no exception.
TVMFFIObjectHandle makeError(PyObject *exception);

/// The integer of a kTVMFFIBigInt.
PyObject *bigIntToPython(const TVMFFIAny &value);

/// A Python int of any size, owned; false with an exception set.
bool intFromPython(PyObject *number, TVMFFIAny *out);

/// Turns the Python exception that is set into an error in the thread's slot. Returns -1.
int raiseToAbi();

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_VALUES_H_
