/// Integers of any size: kTVMFFIBigInt.
#ifndef FAIRLEAD_PYTHON_CORE_OBJECT_BIGINT_H_
#define FAIRLEAD_PYTHON_CORE_OBJECT_BIGINT_H_

#include "Ref.h"

#include "tvm/ffi/c_api.h"

namespace fairlead::python {

/// The integer of a kTVMFFIBigInt.
PyObject *bigIntToPython(const TVMFFIAny &value);

/// A Python int of any size, owned; false with an exception set.
bool intFromPython(PyObject *number, TVMFFIAny *out);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_OBJECT_BIGINT_H_
