/// Values of the ABI as Python objects.
#pragma once

#include "Ref.h"
#include "tvm/ffi/c_api.h"

namespace fairlead::python {

/// The Python object of an owned value, which is taken over even when it fails. Tensors become
/// those of `api`'s framework where it is not NULL, else Tensors.
PyObject *toPython(TVMFFIAny value, const DLPackExchangeAPI *api);

/// Converts a borrowed value. A DLTensor becomes a Tensor that the caller must expire.
PyObject *viewToPython(const TVMFFIAny &value, const DLPackExchangeAPI *api = nullptr);

/// A tensor as one of `api`'s framework, a container that remembers `api`; others as they are. A
/// new reference.
PyObject *toFramework(PyObject *value, const DLPackExchangeAPI *api);

/// An object of fairlead.ffi.dtype, or fairlead.ffi.Device.
PyObject *dtypeToPython(DLDataType dtype);
PyObject *deviceToPython(DLDevice device);

/// An object of the ABI that holds a Python object; NULL with an exception set.
TVMFFIObjectHandle makeOpaque(PyObject *object);

/// The integer of a kTVMFFIBigInt.
PyObject *bigIntToPython(const TVMFFIAny &value);

/// A Python int of any size, owned; false with an exception set.
bool intFromPython(PyObject *number, TVMFFIAny *out);

} // namespace fairlead::python
