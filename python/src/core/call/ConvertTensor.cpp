#include "Ref.h"
#include "call/Convert.h"
#include "call/ConvertParts.h"
#include "framework/Import.h"
#include "framework/NumPy.h"
#include "framework/Torch.h"
#include "object/Errors.h"

#include <cstdlib>
#include <cstring>

using namespace fairlead::python;

namespace {

/// True if the function only reads the argument, so that it may get a view of read-only memory;
/// otherwise an exception is set.
bool acceptsReadOnly(Call &call, int index) {
  if (call.function && hasArgument(call.function->loads, index))
    return true;
  const bool stores = call.function && hasArgument(call.function->stores, index);
  return failArgument(call, PyExc_BufferError, index,
                      stores
                          ? "the tensor is read-only, and the function writes it; pass a copy or "
                            "make it writeable"
                          : "the tensor is read-only, and a view that the function gets cannot "
                            "say so; pass a copy or make it writeable");
}

/// An array that something outlives: the DLPack tensor, its layout, and the array itself.
struct KeptArray {
  DLManagedTensorVersioned managed;
  int64_t layout[];
};

void releaseArray(DLManagedTensorVersioned *managed) {
  releasePyObject(managed->manager_ctx);
  std::free(managed);
}

/// An owning DLPack tensor of an array; NULL with an exception set.
DLManagedTensorVersioned *keepArray(Call &call, PyObject *array, int index) {
  int rank = numPyRank(array);
  auto *kept =
      static_cast<KeptArray *>(std::malloc(sizeof(KeptArray) + 2 * rank * sizeof(int64_t)));
  if (!kept) {
    PyErr_NoMemory();
    return nullptr;
  }
  DLTensor &tensor = kept->managed.dl_tensor;
  const char *reason = describeNumPyArray(array, &tensor, kept->layout + rank);
  if (reason) {
    std::free(kept);
    if (!PyErr_Occurred())
      failArgument(call, PyExc_BufferError, index, "the array cannot be shared: %s", reason);
    return nullptr;
  }
  if (rank)
    std::memcpy(kept->layout, tensor.shape, rank * sizeof(int64_t));
  tensor.shape = kept->layout;
  kept->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  kept->managed.manager_ctx = Py_NewRef(array);
  kept->managed.deleter = releaseArray;
  kept->managed.flags = isNumPyWriteable(array) ? 0 : DLPACK_FLAG_BITMASK_READ_ONLY;
  return &kept->managed;
}

/// Makes an owning Tensor of `managed`, which is taken over even when it fails.
bool setOwned(Call &call, DLManagedTensorVersioned *managed, int index, TVMFFIAny *out) {
  TVMFFIObjectHandle handle;
  call.isReadOnly = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
  if (TVMFFITensorFromDLPackVersioned(managed, 0, 0, &handle)) {
    raiseFromAbi();
    releaseVersioned(managed);
    return nameArgument(call, index);
  }
  setPointer(out, kTVMFFITensor, handle);
  return call.defer(releaseHandle, handle);
}

} // namespace

bool fairlead::python::convertExchanged(Call &call, const TypeEntry &entry, PyObject *argument,
                                        int index, TVMFFIAny *out, DLTensor *tensor) {
  // Torch's tensors are well-formed and never read-only.
  if (entry.plainTorch && !call.views && tensor) {
    if (readTorch(argument, tensor))
      return nameArgument(call, index);
    if (tensor->ndim <= kLentRank)
      return (lendTensor(call, argument, true, *tensor, out) &&
              call.noteTensor(entry.api, tensor->device)) ||
             nameArgument(call, index);
  }
  DLManagedTensorVersioned *managed;
  if (entry.api->managed_tensor_from_py_object_no_sync(argument, &managed))
    return nameArgument(call, index);
  DLDevice device = managed->dl_tensor.device;
  if (call.views) {
    if (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY && !acceptsReadOnly(call, index)) {
      releaseVersioned(managed);
      return false;
    }
    setPointer(out, kTVMFFIDLTensorPtr, &managed->dl_tensor);
    if (!call.defer(releaseVersioned, managed))
      return false;
  } else if (!setOwned(call, managed, index, out)) {
    return false;
  }
  return call.noteTensor(entry.api, device) || nameArgument(call, index);
}

bool fairlead::python::convertNumPy(Call &call, PyObject *argument, int index, TVMFFIAny *out,
                                    DLTensor *tensor) {
  bool writeable = isNumPyWriteable(argument);
  if (!call.views && (!tensor || !writeable || numPyRank(argument) > kLentRank)) {
    DLManagedTensorVersioned *managed = keepArray(call, argument, index);
    return managed && setOwned(call, managed, index, out);
  }
  if (!writeable && !acceptsReadOnly(call, index))
    return false;
  int64_t *strides = call.makeExtents(numPyRank(argument));
  if (!strides)
    return false;
  const char *reason = describeNumPyArray(argument, tensor, strides);
  if (reason)
    return PyErr_Occurred()
               ? nameArgument(call, index)
               : failArgument(call, PyExc_BufferError, index,
                              "the array (dtype %S) cannot be shared: %s",
                              Ref(PyObject_GetAttrString(argument, "dtype")).get(), reason);
  if (!call.views)
    return lendTensor(call, argument, false, *tensor, out);
  setPointer(out, kTVMFFIDLTensorPtr, tensor);
  return true;
}

bool fairlead::python::acceptsShared(Call &call, int index) {
  if (!call.function || !hasArgument(call.function->stores, index))
    return true;
  return acceptsReadOnly(call, index);
}

bool fairlead::python::acceptsImmutable(Call &call, int index) {
  if (!call.function || !hasArgument(call.function->stores, index))
    return true;
  return failArgument(call, PyExc_BufferError, index,
                      "the function writes it, and JAX arrays are immutable: every alias would "
                      "change; `fairlead.jax.call` makes a function of JAX that returns what is "
                      "written as new arrays");
}

bool fairlead::python::convertOldTorch(Call &call, const TypeEntry &entry, PyObject *argument,
                                       int index, TVMFFIAny *out) {
  if (entry.isTorchWrapper)
    return !refuseTorchWrapper(argument, nullptr) || nameArgument(call, index);
  const bool detaches = call.function && call.function->detaches;
  if (!call.notesTorch() || (!detaches && !acceptsGrad(argument)) || refusesTransformed(argument) ||
      refusesNegative(argument))
    return nameArgument(call, index);
  // Torch exports no tensor that requires grad, also where grad mode is off.
  Ref detached(PyObject_CallMethod(argument, "detach", nullptr));
  return detached ? convertImported(call, detached.get(), /*isCapsule=*/false, index, out, nullptr)
                  : nameArgument(call, index);
}

bool fairlead::python::convertRefused(Call &call, const TypeEntry &entry, PyObject *argument,
                                      int index, TVMFFIAny *out, DLTensor *tensor) {
  if (!entry.plainTorch || !call.function || !call.function->detaches || !requiresGrad(argument))
    return nameArgument(call, index);
  PyErr_Clear();
  Ref detached(PyObject_CallMethod(argument, "detach", nullptr));
  if (!detached || entry.toDLTensor(detached.get(), tensor) ||
      !call.noteTensor(entry.api, tensor->device) ||
      !call.defer(releasePyObject, Py_NewRef(detached.get())))
    return nameArgument(call, index);
  setPointer(out, kTVMFFIDLTensorPtr, tensor);
  return true;
}

bool fairlead::python::convertImported(Call &call, PyObject *argument, bool isCapsule, int index,
                                       TVMFFIAny *out, void *stream) {
  ImportedTensor imported;
  if (!(isCapsule ? imported.takeCapsule(argument) : imported.takeProducer(argument, stream)))
    return nameArgument(call, index);
  if (call.views) {
    if (!call.defer(imported.releaser(), imported.value()))
      return false;
    if (imported.isReadOnly() && !acceptsReadOnly(call, index))
      return false;
    setPointer(out, kTVMFFIDLTensorPtr, imported.tensor());
    return true;
  }
  TVMFFIObjectHandle handle;
  call.isReadOnly |= imported.isReadOnly();
  if (imported.toOwned(&handle)) {
    raiseFromAbi();
    imported.releaser()(imported.value());
    return nameArgument(call, index);
  }
  setPointer(out, kTVMFFITensor, handle);
  return call.defer(releaseHandle, handle);
}
