/// Owning tensors for functions that may keep their arguments. Most functions do not.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_LENTTENSOR_H_
#define FAIRLEAD_PYTHON_CORE_CALL_LENTTENSOR_H_

#include "call/Call.h"

namespace fairlead::python {

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
#endif // FAIRLEAD_PYTHON_CORE_CALL_LENTTENSOR_H_
