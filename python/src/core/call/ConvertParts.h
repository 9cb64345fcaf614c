/// The conversions of tensors and containers that need more than a few lines.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_CONVERTPARTS_H_
#define FAIRLEAD_PYTHON_CORE_CALL_CONVERTPARTS_H_

#include "call/Call.h"

namespace fairlead::python {

// Each sets `out` to a view that lives as long as `call`; false with an exception set that names
// the argument.

/// A tensor with the exchange API: owned, or through a managed tensor where the API fills no
/// DLTensor. `tensor` is room for a view; NULL if the value outlives the call.
bool convertExchanged(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                      TVMFFIAny *out, DLTensor *tensor);

/// A NumPy array; a view of it goes to `tensor`, which is NULL if the value outlives the call.
bool convertNumPy(Call &call, PyObject *argument, int index, TVMFFIAny *out, DLTensor *tensor);

/// A tensor of torch before 2.10.
bool convertOldTorch(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                     TVMFFIAny *out);

/// True unless the function is known to write the argument, a Tensor of read-only memory: else an
/// exception is set that names it.
bool acceptsShared(Call &call, int index);

/// True unless the function is known to write the argument, an array of JAX: else an exception is
/// set that names it.
bool acceptsImmutable(Call &call, int index);

/// A capsule, or an object with `__dlpack__`.
/// `stream`: where the call runs, as far as the producer said; else NULL.
bool convertImported(Call &call, PyObject *argument, bool isCapsule, int index, TVMFFIAny *out,
                     void *stream);

/// A tuple, list or dict, through the global function that makes the container.
bool convertContainer(Call &call, PyObject *argument, const char *maker, int index, TVMFFIAny *out);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_CONVERTPARTS_H_
