/// Tensors of torch, read where they lie.
#ifndef FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_
#define FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_

#include "Ref.h"

#include <dlpack/dlpack.h>

#include <atomic>
#include <cstring>

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

/// Finds what a call asks of torch before 2.10, whose tensors have no exchange API. Needs the GIL.
void learnTorch();

/// Raises RuntimeError for what vmap, grad, jvp and functionalize hand to functions: its class is
/// that of plain tensors, and it has no memory. False: it is none of these.
bool refusesTransformed(PyObject *tensor);

/// Whether the class is such a subclass. Needs the GIL; never fails.
bool isTorchWrapper(PyTypeObject *type);

/// What a call asks of torch, for the tensors of isPlainTorch; null and 0 where it is not known.
struct TorchQuestions {
  /// Of a TensorImpl.
  bool (*requiresGrad)(const void *impl) = nullptr;
  /// Dispatch modes of the thread; with true without those of torch's own tracing.
  bool (*anyModes)(bool skipInfra) = nullptr;
  /// Where in the Python object the address of the TensorImpl is.
  std::atomic<Py_ssize_t> offset{0};
};
extern TorchQuestions torchQuestions;

/// Whether torch traces or fakes what this thread runs (torch.export, make_fx), and tensors that
/// look plain stand for others.
inline bool torchTraces() {
  const TorchQuestions &ask = torchQuestions;
  // A mode that a program sets itself (counters, loggers) sees no foreign calls, and needs not.
  return ask.anyModes && ask.anyModes(false) && !ask.anyModes(true);
}

/// Raises RuntimeError for a call in torchTraces(). False.
bool refuseTraced();

/// For a tensor that requires grad, or may: whether it may be an argument, since grad mode is off.
/// Else false with RuntimeError set.
bool checkGrad(PyObject *tensor);

/// Whether a plain tensor may be an argument: it must not require grad while grad is on. False with
/// an exception set.
inline bool acceptsGrad(PyObject *tensor) {
  const TorchQuestions &ask = torchQuestions;
  const Py_ssize_t offset = ask.offset.load(std::memory_order_relaxed);
  if (offset && ask.requiresGrad) [[likely]] {
    void *impl;
    std::memcpy(&impl, reinterpret_cast<char *>(tensor) + offset, sizeof impl);
    if (!ask.requiresGrad(impl)) [[likely]]
      return true;
  }
  return checkGrad(tensor);
}

/// Tells autograd that a plain tensor is written, so that backward passes notice that one which
/// they saved has changed. False with RuntimeError set, where torch refuses writes.
bool bumpTorchVersion(PyObject *tensor);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_FRAMEWORK_TORCH_H_
