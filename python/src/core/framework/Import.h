/// Tensors of other packages through the Python side of DLPack: `__dlpack__` and capsules.
#pragma once

#include "call/Call.h"

#include "tvm/ffi/c_api.h"

namespace fairlead::python {

/// A tensor taken out of a capsule, in one of DLPack's two forms.
class ImportedTensor {
public:
  /// Takes the tensor out of `capsule`, which is marked as used. False with an exception set: no
  /// DLPack capsule, used before, of another major version, or without a layout.
  bool takeCapsule(PyObject *capsule);

  /// Asks `producer.__dlpack__()`, for `stream`, or the environment's of its device where that is
  /// NULL. False with an exception set.
  bool takeProducer(PyObject *producer, void *stream);

  DLTensor *tensor() const { return versioned ? &versioned->dl_tensor : &legacy->dl_tensor; }
  bool isReadOnly() const {
    return versioned && (versioned->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
  }

  /// Makes an owning Tensor of it, which takes it over; -1 with an error of the ABI raised.
  int toOwned(TVMFFIObjectHandle *out) const;

  /// Returns the function that releases it: call `release(value)` once, unless toOwned took it
  /// over.
  void (*releaser() const)(void *);
  void *value() const { return versioned ? static_cast<void *>(versioned) : legacy; }

private:
  /// More modes than any framework has: the field was never set.
  static constexpr int kMostModes = 1024;

  /// True if its layout can be read. If not, releases it and sets an exception.
  bool isSound();

  DLManagedTensorVersioned *versioned = nullptr;
  DLManagedTensor *legacy = nullptr;
};

/// Gives a DLManagedTensorVersioned back to its producer. An exception that is set stays.
void releaseVersioned(void *value);

/// The framework's tensor of an owned Tensor of the ABI, which is taken over. A Tensor where the
/// framework has no such tensors: of another device, or dtype. NULL with an exception set.
PyObject *importResult(const TVMFFIAny &tensor, Importer importer);

} // namespace fairlead::python
