/// Classes of objects by their types of the ABI, their fields and methods, and moved arguments.
#pragma once

#include "object/Object.h"

namespace fairlead::python {

/// The class registered for a type index, or the one that state.makeClass makes; borrowed, a
/// subclass of Object. NULL with an exception set.
PyTypeObject *classOfType(int32_t index);

/// Object._move.
PyObject *makeRValue(PyObject *object, PyObject *);

/// The object that makeRValue was asked to move.
ObjectObject *movedObject(PyObject *rvalue);

} // namespace fairlead::python
