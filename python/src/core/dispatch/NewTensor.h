/// A tensor that each call of a plan makes.
#ifndef FAIRLEAD_PYTHON_CORE_DISPATCH_NEWTENSOR_H_
#define FAIRLEAD_PYTHON_CORE_DISPATCH_NEWTENSOR_H_

#include "framework/Torch.h"

#include <optional>
#include <vector>

namespace fairlead::python {

/// A callable with its arguments, such as torch.empty with a shape, dtype and device.
///
/// `torch.empty(shape, dtype=..., device=...)` goes to torch's C interface, which takes a fraction
/// of the time. The device must have an index, unless it is the CPU.
class NewTensor {
public:
  /// Reads (callable, tuple of arguments, dict of keyword arguments). False with an exception set.
  bool read(PyObject *described);

  /// Makes a tensor. Nothing with an exception set.
  Ref make() const;

  PyObject *callable() const { return function.get(); }

private:
  bool readKeywords(PyObject *keywords);
  bool findPlace(PyObject *keywords);

  Ref function;
  std::vector<Ref> owners; ///< of `args` and `names`
  std::vector<PyObject *> args;
  size_t numPositional = 0;
  PyObject *names = nullptr;
  std::optional<TorchPlace> place; ///< for torch.empty
  int rank = 0;
  std::vector<int64_t> layout; ///< for torch.empty: shape and strides
};

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_DISPATCH_NEWTENSOR_H_
