/// fairlead._core.Object: any object of the ABI, held by one strong reference.
#pragma once

#include "State.h"

#include "tvm/ffi/c_api.h"

#include <atomic>

namespace fairlead::python {

struct ObjectObject {
  PyObject_HEAD
      /// Owned; NULL in a tensor that shows a callback's borrowed argument, in an object that no
      /// constructor has filled yet, and in one that was moved from.
      TVMFFIObjectHandle handle;
  /// The framework that a container's tensors are converted to when they are read; or NULL.
  const DLPackExchangeAPI *api;
};

/// A new `type` (a subclass of Object) around `handle`, which it takes over even when it fails.
PyObject *wrapObject(PyTypeObject *type, TVMFFIObjectHandle handle,
                     const DLPackExchangeAPI *api = nullptr);

/// Drops a strong reference, as a function to be called later.
void releaseHandle(void *handle);

/// Drops a reference to a Python object from any thread. Without the GIL it is noted only, and
/// dropped by the next call or by the main thread, whichever comes first: waiting for the GIL here
/// could be waiting for a thread that waits for the caller. Once the interpreter is gone the object
/// is left alone.
void releasePyObject(void *object);

/// References that releasePyObject noted.
extern std::atomic<bool> hasNotedReferences;

/// Drops them. Needs the GIL.
void dropNotedReferences();

} // namespace fairlead::python
