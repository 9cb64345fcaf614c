/// Reads tensors of torch in place.
#pragma once

#include "Ref.h"

#include <dlpack/dlpack.h>

#include <cstdint>

namespace fairlead::python {

/// True if the class is torch.Tensor or torch.nn.Parameter.
/// Other subclasses may not have memory.
bool isPlainTorch(PyTypeObject *type);

/// Finds the functions of the torch in the process whose tensors have `exchange`; to be called
/// before the others. Needs the GIL.
void findTorch(const DLPackExchangeAPI &exchange);

/// Has the effect of the exchange API's `dltensor_from_py_object_no_sync`, in a third of the time,
/// for the classes of isPlainTorch; calls that function if this torch is not known well enough.
///
/// It calls the C++ function behind the exchange API on the tensor inside of the Python object. The
/// exchange API makes a reference of its own first, which takes most of its time. The offset of the
/// tensor in the object is found with the first tensor that is passed, from the address that torch
/// tells of it, and both ways must agree on its description. If that function throws, the exchange
/// API is asked, so errors are torch's own.
///
/// FAIRLEAD_TORCH_EXCHANGE_ONLY=1 keeps to the exchange API.
int readTorch(void *tensor, DLTensor *out);

/// Reads an argument of a call that autograd does not see. Fails with RuntimeError set for a tensor
/// that requires grad in grad mode, that has a tangent of forward mode, or whose elements differ
/// from the numbers in memory. Tensors that require grad are accepted in the implementation of an
/// operator, where autograd sees nothing.
int readTorchArgument(void *tensor, DLTensor *out);

/// For subclasses of torch.Tensor that are no tensors of memory (fake and functional tensors,
/// wrappers with a `__torch_dispatch__` of their own): raises TypeError.
int refuseTorchWrapper(void *object, DLTensor *);

/// Finds the functions for torch before 2.10, whose tensors have no exchange API. Needs the GIL.
void learnTorch();

/// Decides if a tensor that may require grad or have a tangent can be an argument: it has neither,
/// or grad mode is off. If not, returns false with RuntimeError set.
[[gnu::cold]] bool acceptsGrad(PyObject *tensor);

/// The tensor's `requires_grad`; an exception that is set stays set.
[[gnu::cold]] bool requiresGrad(PyObject *tensor);

/// Raises RuntimeError for a tensor whose elements differ from the numbers in memory. Returns false
/// for other tensors.
bool refusesNegative(PyObject *tensor);

/// Raises RuntimeError for tensors that vmap, grad, jvp and functionalize pass to functions. Their
/// class is that of plain tensors, but they have no memory. Returns false for other tensors.
bool refusesTransformed(PyObject *tensor);

/// True for the subclasses of refuseTorchWrapper. Needs the GIL; never fails.
bool isTorchWrapper(PyTypeObject *type);

/// torch's functions for dispatch modes; null if unknown.
struct TorchModes {
  /// Dispatch modes of the thread; with true without those of torch's own tracing.
  bool (*any)(bool skipInfra) = nullptr;
  /// True if torch's dispatcher applies a key to everything that the thread runs. It looks at modes
  /// if this holds for `key`, which takes a third of the time to ask.
  bool (*hasKey)(uint16_t key) = nullptr;
  uint16_t key = 0;
};
extern TorchModes torchModes;

/// True if torch traces or fakes the thread's work (torch.export, make_fx), so that tensors that
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

/// Element type and device of a tensor, as torch's C interface numbers them.
struct TorchPlace {
  int32_t dtype, deviceType, deviceIndex;
};

/// Reads them of a plain tensor. Returns false, without an exception, if this torch lacks the
/// functions for emptyTorch, or the tensor cannot be read.
bool readTorchPlace(PyObject *tensor, TorchPlace &place);

/// Calls torch.empty_strided. Returns NULL, without an exception, if that fails.
PyObject *emptyTorch(const TorchPlace &place, int rank, const int64_t *shape,
                     const int64_t *strides);

} // namespace fairlead::python
