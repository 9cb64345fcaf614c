#include "Values.h"

#include "Function.h"
#include "Tensor.h"

using namespace fairlead::python;

namespace {

/// ctypes.c_void_p(address); None for NULL.
PyObject *pointerToPython(void *address) {
  if (!address)
    Py_RETURN_NONE;
  Ref ctypes(PyImport_ImportModule("ctypes"));
  Ref number(PyLong_FromVoidPtr(address));
  if (!ctypes || !number)
    return nullptr;
  return PyObject_CallMethod(ctypes.get(), "c_void_p", "O", number.get());
}

PyObject *textToPython(const char *data, size_t size, bool isText) {
  auto length = static_cast<Py_ssize_t>(size);
  return isText ? PyUnicode_DecodeUTF8(data, length, nullptr)
                : PyBytes_FromStringAndSize(data, length);
}

/// A tensor of the framework, from a handle that stays the caller's.
PyObject *frameworkTensor(TVMFFIObjectHandle handle, const DLPackExchangeAPI *api) {
  DLManagedTensorVersioned *managed;
  if (TVMFFITensorToDLPackVersioned(handle, &managed))
    return raiseFromAbi();
  void *tensor;
  // The tensor is taken over whether or not it fails.
  if (api->managed_tensor_to_py_object_no_sync(managed, &tensor))
    return nullptr;
  return static_cast<PyObject *>(tensor);
}

PyObject *shapeToPython(TVMFFIObjectHandle handle) {
  const TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(handle);
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(shape->size)));
  for (size_t i = 0; tuple && i < shape->size; ++i) {
    PyObject *extent = PyLong_FromLongLong(shape->data[i]);
    if (!extent)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, extent);
  }
  return tuple.release();
}

TVMFFIAny share(const TVMFFIAny &value) {
  if (value.type_index >= kTVMFFIStaticObjectBegin)
    TVMFFIObjectIncRef(value.v_obj);
  return value;
}

PyObject *arrayToPython(TVMFFIObjectHandle handle, const DLPackExchangeAPI *api) {
  auto *cell =
      reinterpret_cast<TVMFFISeqCell *>(static_cast<char *>(handle) + sizeof(TVMFFIObject));
  auto *elements = static_cast<const TVMFFIAny *>(cell->data);
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(cell->size)));
  for (int64_t i = 0; tuple && i < cell->size; ++i) {
    PyObject *element = toPython(share(elements[i]), api);
    if (!element)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, element);
  }
  return tuple.release();
}

/// The Python object of an object whose reference stays the caller's.
PyObject *objectToPython(TVMFFIObjectHandle handle, const DLPackExchangeAPI *api) {
  auto wrap = [&](PyTypeObject *type) {
    TVMFFIObjectIncRef(handle);
    return wrapObject(type, handle);
  };
  switch (TVMFFIObjectGetTypeIndex(handle)) {
  case kTVMFFIStr:
  case kTVMFFIBytes: {
    const TVMFFIByteArray *text = TVMFFIBytesGetByteArrayPtr(handle);
    return textToPython(text->data, text->size, TVMFFIObjectGetTypeIndex(handle) == kTVMFFIStr);
  }
  case kTVMFFIFunction:
    TVMFFIObjectIncRef(handle);
    return makeFunction(state.functionType, handle);
  case kTVMFFITensor:
    if (api && api->managed_tensor_to_py_object_no_sync)
      return frameworkTensor(handle, api);
    TVMFFIObjectIncRef(handle);
    return wrapTensor(handle);
  case kTVMFFIShape:
    return shapeToPython(handle);
  case kTVMFFIArray:
    return arrayToPython(handle, api);
  case kTVMFFIOpaquePyObject:
    return Py_NewRef(static_cast<PyObject *>(TVMFFIOpaqueObjectGetCellPtr(handle)->handle));
  case kTVMFFIModule:
    if (state.moduleClass)
      return wrap(reinterpret_cast<PyTypeObject *>(state.moduleClass));
    [[fallthrough]];
  default:
    return wrap(state.objectType);
  }
}

} // namespace

PyObject *fairlead::python::toPython(TVMFFIAny value, const DLPackExchangeAPI *api) {
  if (value.type_index >= kTVMFFIStaticObjectBegin) {
    PyObject *object = objectToPython(value.v_obj, api);
    TVMFFIObjectDecRef(value.v_obj);
    return object;
  }
  switch (value.type_index) {
  case kTVMFFINone:
    Py_RETURN_NONE;
  case kTVMFFIInt:
    return PyLong_FromLongLong(value.v_int64);
  case kTVMFFIBool:
    return PyBool_FromLong(value.v_int64 != 0);
  case kTVMFFIFloat:
    return PyFloat_FromDouble(value.v_float64);
  case kTVMFFIOpaquePtr:
    return pointerToPython(value.v_ptr);
  case kTVMFFIDataType:
    return dtypeToPython(value.v_dtype);
  case kTVMFFIDevice:
    return deviceToPython(value.v_device);
  case kTVMFFIDLTensorPtr:
    return borrowTensor(static_cast<DLTensor *>(value.v_ptr));
  case kTVMFFISmallStr:
  case kTVMFFISmallBytes:
    return textToPython(value.v_bytes, value.small_str_len, value.type_index == kTVMFFISmallStr);
  default:
    return PyErr_Format(PyExc_ValueError, "a function cannot return a value of type index %d",
                        value.type_index);
  }
}

PyObject *fairlead::python::viewToPython(const TVMFFIAny &value) {
  if (value.type_index != kTVMFFIRawStr && value.type_index != kTVMFFIByteArrayPtr &&
      value.type_index != kTVMFFIObjectRValueRef)
    return toPython(share(value), nullptr);
  TVMFFIAny owned;
  if (TVMFFIAnyViewToOwnedAny(&value, &owned))
    return raiseFromAbi();
  return toPython(owned, nullptr);
}

PyObject *fairlead::python::dtypeToPython(DLDataType dtype) {
  TVMFFIAny text;
  if (TVMFFIDataTypeToString(&dtype, &text))
    return raiseFromAbi();
  Ref name(toPython(text, nullptr));
  if (!name || !state.dtypeClass)
    return name.release();
  return PyObject_CallOneArg(state.dtypeClass, name.get());
}

PyObject *fairlead::python::deviceToPython(DLDevice device) {
  int type = device.device_type, id = device.device_id;
  if (!state.deviceClass)
    return Py_BuildValue("(ii)", type, id);
  return PyObject_CallFunction(state.deviceClass, "ii", type, id);
}
