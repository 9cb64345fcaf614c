/// What plans of calls are found by, and the tensors that they make.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "call/Call.h"
#include "framework/Torch.h"

namespace fairlead::python {

/// Collects the arguments of one call: the tensors, also those in tuples and lists, and bytes that
/// tell calls apart.
///
/// The bytes hold, of a tensor: its class, dtype, shape, strides, device, the alignment of its
/// address, and which earlier argument is the same object. Of numbers, strings, booleans and None
/// they hold type and value; of dtypes and classes the identity. Lives on the stack.
class CallKey {
public:
  static constexpr int kMostTensors = 32;

  /// `alignment`: a power of two. The key has the alignment of each address, up to this one.
  explicit CallKey(unsigned alignment) : alignment(alignment) {}

  /// Adds an argument. Returns false, without an exception, if the call has no key: the argument
  /// is of another kind, autograd or a trace of torch must see it, or there are too many.
  bool add(Call &call, PyObject *argument, int depth = 0);

  std::string_view bytes() const {
    return {reinterpret_cast<const char *>(words), sizeof(uint64_t) * numWords};
  }

  int numTensors = 0;
  // Not initialised: a call pays only for the parts that it uses.
  PyObject *objects[kMostTensors]; ///< borrowed
  const TypeEntry *entries[kMostTensors];
  DLTensor tensors[kMostTensors];

  /// Objects whose addresses are among the bytes: they must live as long as the key. Borrowed.
  int numIdentified = 0;
  PyObject *identified[kMostTensors];

private:
  static constexpr int kMostWords = 320;

  bool push(uint64_t word) {
    if (numWords == kMostWords) [[unlikely]]
      return false;
    words[numWords++] = word;
    return true;
  }
  bool addTensor(Call &call, const TypeEntry &entry, PyObject *argument);
  bool addIdentity(PyObject *object);
  bool addText(PyObject *text);
  bool addItems(Call &call, PyObject *items, int depth);

  const unsigned alignment;
  int numWords = 0;
  const TypeEntry *lastEntry = nullptr; ///< of the last tensor: the next one is often of its class
  uint64_t words[kMostWords];
};

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
