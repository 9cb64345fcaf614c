/// Tensors of torch, read where they lie.
#ifndef FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_
#define FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_

#include "Ref.h"

#include <dlpack/dlpack.h>

namespace fairlead::python {

/// Whether the class is torch.Tensor or torch.nn.Parameter: other subclasses may be no tensors of
/// memory.
bool isPlainTorch(PyTypeObject *type);

/// A function that does what `exchange.dltensor_from_py_object_no_sync` does, in a third of the
/// time, for the classes of isPlainTorch; that function itself where this torch is not known well
/// enough. Needs the GIL.
///
/// It calls the C functions that torch keeps stable for the programs of its ahead-of-time compiler,
/// on the tensor inside of the Python object; the exchange API makes a reference of its own first,
/// which takes most of its time. Where the tensor lies in the object is found with the first tensor
/// that comes along, from the address that torch tells of it, and both ways must agree on it. What
/// these functions refuse goes the exchange API's way, so errors are torch's own.
///
/// FAIRLEAD_TORCH_EXCHANGE_ONLY=1 keeps to the exchange API.
DLPackDLTensorFromPyObjectNoSync torchReader(const DLPackExchangeAPI &exchange);

/// For subclasses of torch.Tensor that are no tensors of memory (fake and functional tensors,
/// wrappers with a `__torch_dispatch__` of their own): raises TypeError.
int refuseTorchWrapper(void *object, DLTensor *);

/// Whether the class is such a subclass. Needs the GIL; never fails.
bool isTorchWrapper(PyTypeObject *type);

/// What of torch's state a call with its tensors has to look at.
enum TorchState : int8_t {
  kTorchUnknown = -1,
  kTorchPlain = 0,
  kTorchGrad = 1,   ///< grad mode is on
  kTorchTracing = 2 ///< torch traces or fakes what runs (torch.export, make_fx)
};

/// The thread's.
int8_t torchState();

/// Whether a plain tensor may be an argument in this state: it must not require grad while grad is
/// on, and nothing may be traced. False with RuntimeError set.
bool checkTorchState(PyObject *tensor, int8_t state);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_
