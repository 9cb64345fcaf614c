/// NumPy arrays without NumPy's headers: their layout has been the same in NumPy 1 and 2.
#pragma once

#include "Ref.h"

#include <dlpack/dlpack.h>

#include <cstdint>

namespace fairlead::python {

/// True if `type` is numpy.ndarray or a subclass, of a NumPy whose arrays this file can read.
bool isNumPyArray(PyTypeObject *type);

/// The number of dimensions. Each needs an int64_t in `strides` of describeNumPyArray.
int numPyRank(PyObject *array);

bool isNumPyWriteable(PyObject *array);

/// Fills `out` with the array's data, element type and layout; the shape stays the array's own,
/// `strides` (in elements) receives one entry a dimension. NULL, or the reason why DLPack cannot
/// say the array; a Python exception may then be set as well.
const char *describeNumPyArray(PyObject *array, DLTensor *out, int64_t *strides);

} // namespace fairlead::python
