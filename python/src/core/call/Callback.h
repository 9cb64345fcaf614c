/// Python callables as functions of the ABI.
#pragma once

#include "Ref.h"

#include "tvm/ffi/c_api.h"

namespace fairlead::python {

/// A function object that calls `callable`, from any thread. NULL with an exception set. Tensor
/// arguments become those of `api`'s framework where it is not NULL.
TVMFFIObjectHandle makeCallback(PyObject *callable, const DLPackExchangeAPI *api = nullptr);

} // namespace fairlead::python
