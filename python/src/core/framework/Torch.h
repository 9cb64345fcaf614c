/// Tensors of torch, read where they lie.
#ifndef FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_
#define FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_

#include "Ref.h"

#include <dlpack/dlpack.h>

#include <cstdint>

namespace fairlead::python {

/// Whether the class is torch.Tensor or torch.nn.Parameter: other subclasses may be no tensors of
/// memory.
bool isPlainTorch(PyTypeObject *type);

/// Finds the functions of the torch in the process whose tensors have `exchange`; to be called
/// before the others. Needs the GIL.
void findTorch(const DLPackExchangeAPI &exchange);

/// Does what the exchange API's `dltensor_from_py_object_no_sync` does, in a third of the time, for
/// the classes of isPlainTorch; calls that where this torch is not known well enough.
///
/// It calls the C functions that torch keeps stable for the programs of its ahead-of-time compiler,
/// on the tensor inside of the Python object; the exchange API makes a reference of its own first,
/// which takes most of its time. Where the tensor lies in the object is found with the first tensor
/// that comes along, from the address that torch tells of it, and both ways must agree on it. What
/// these functions refuse goes the exchange API's way, so errors are torch's own.
///
/// FAIRLEAD_TORCH_EXCHANGE_ONLY=1 keeps to the exchange API.
int readTorch(void *tensor, DLTensor *out);

/// Likewise, for an argument of a call that autograd does not see: fails with RuntimeError set for
/// a tensor that requires grad while grad mode is on (but in the implementation of an operator,
/// where autograd sees nothing), or has a tangent of forward mode, and for one whose elements are
/// other numbers than those in memory.
int readTorchArgument(void *tensor, DLTensor *out);

/// For subclasses of torch.Tensor that are no tensors of memory (fake and functional tensors,
/// wrappers with a `__torch_dispatch__` of their own): raises TypeError.
int refuseTorchWrapper(void *object, DLTensor *);

/// Finds what a call asks of torch before 2.10, whose tensors have no exchange API. Needs the GIL.
void learnTorch();

/// Of a tensor that may require grad or have a tangent: whether it may be an argument, since it
/// does not, or grad mode is off. Else false with RuntimeError set.
[[gnu::cold]] bool acceptsGrad(PyObject *tensor);

/// The tensor's `requires_grad`; an exception that is set stays set.
[[gnu::cold]] bool requiresGrad(PyObject *tensor);

/// Raises RuntimeError for a tensor whose elements are other numbers than those in memory. False:
/// it is none.
bool refusesNegative(PyObject *tensor);

/// Raises RuntimeError for what vmap, grad, jvp and functionalize hand to functions: its class is
/// that of plain tensors, and it has no memory. False: it is none of these.
bool refusesTransformed(PyObject *tensor);

/// Whether the class is such a subclass. Needs the GIL; never fails.
bool isTorchWrapper(PyTypeObject *type);

/// What a call asks of torch; null where it is not known.
struct TorchModes {
  /// Dispatch modes of the thread; with true without those of torch's own tracing.
  bool (*any)(bool skipInfra) = nullptr;
  /// Whether torch's dispatcher takes a key into account for all that the thread runs. It looks at
  /// modes where it does so for `key`, and tells that in a third of the time.
  bool (*hasKey)(uint16_t key) = nullptr;
  uint16_t key = 0;
};
extern TorchModes torchModes;

/// Whether torch traces or fakes what this thread runs (torch.export, make_fx), and tensors that
/// look plain stand for others.
inline bool torchTraces() {
  const TorchModes &modes = torchModes;
  if (modes.hasKey && !modes.hasKey(modes.key)) [[likely]]
    return false;
  // A mode that a program sets itself (counters, loggers) sees no foreign calls, and needs not.
  return modes.any && modes.any(false) && !modes.any(true);
}

/// Raises RuntimeError for a call in torchTraces(). False.
bool refuseTraced();

/// Tells autograd that a plain tensor is written, so that backward passes notice that one which
/// they saved has changed. False with RuntimeError set, where torch refuses writes.
bool bumpTorchVersion(PyObject *tensor);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_
