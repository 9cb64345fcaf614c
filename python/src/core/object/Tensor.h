/// fairlead._core.Tensor: a tensor that a function returned, or a callback was handed.
#pragma once

#include "object/Object.h"

namespace fairlead::python {

struct TensorObject {
  ObjectObject object;
  /// Lies in the object's handle, or (handle NULL) is a copy made for a callback; NULL once that
  /// callback has returned.
  DLTensor *tensor;
  /// The producer's memory must not be written to, as its DLPack tensor said.
  bool isReadOnly;
};

/// A Tensor around a handle of kTVMFFITensor, which it takes over even when it fails.
PyObject *wrapTensor(TVMFFIObjectHandle handle);

/// A Tensor that shows a borrowed one, until expireTensor.
PyObject *borrowTensor(const DLTensor *tensor);

/// Ends what borrowTensor made: reading it is a ValueError from now on. Does nothing to other
/// objects.
void expireTensor(PyObject *tensor);

/// The tensor of a Tensor object; NULL with an exception set once it is expired.
DLTensor *readTensor(PyObject *tensor);

} // namespace fairlead::python
