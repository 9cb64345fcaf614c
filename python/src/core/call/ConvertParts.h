/// The conversions of tensors and containers that need more than a few lines.
#pragma once

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

/// Tensors of more dimensions are not lent.
inline constexpr int kLentRank = 8;

/// Sets `out` to a Tensor of the ABI that shows `shown`, the data of `argument`, which must live as
/// long as `call`. Nothing is allocated, and no reference made, where the function keeps nothing:
/// the Tensor comes from a pool, and goes back at the end of the call. One that the function kept
/// is given a reference then: to `argument`, or where that is a tensor of torch to a second one of
/// the same data. False with an exception set.
bool lendTensor(Call &call, PyObject *argument, bool isTorch, const DLTensor &shown,
                TVMFFIAny *out);

} // namespace fairlead::python
