#include "object/ToPython.h"

#include "call/Function.h"
#include "object/Errors.h"
#include "object/Reflection.h"
#include "object/Tensor.h"

using namespace fairlead::python;

namespace {

/// ctypes.c_void_p(address).
PyObject *pointerToPython(void *address) {
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

/// Returns a tensor of the framework for a handle, which stays the caller's.
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

} // namespace

PyObject *fairlead::python::toFramework(PyObject *value, const DLPackExchangeAPI *api) {
  auto *object = reinterpret_cast<ObjectObject *>(value);
  if (!api || !PyObject_TypeCheck(value, state.objectType) || !object->handle)
    return Py_NewRef(value);
  if (PyObject_TypeCheck(value, state.tensorType) && api->managed_tensor_to_py_object_no_sync)
    return frameworkTensor(object->handle, api);
  if (!object->api)
    object->api = api;
  return Py_NewRef(value);
}

namespace {

PyObject *shapeToPython(TVMFFIObjectHandle handle) {
  const TVMFFIShapeCell *shape = TVMFFIShapeGetCellPtr(handle);
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(shape->size)));
  for (size_t i = 0; tuple && i < shape->size; ++i) {
    PyObject *extent = PyLong_FromLongLong(shape->data[i]);
    if (!extent)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, extent);
  }
  if (tuple && state.shapeClass)
    return PyObject_CallOneArg(state.shapeClass, tuple.get());
  return tuple.release();
}

TVMFFIAny share(const TVMFFIAny &value) {
  if (value.type_index >= kTVMFFIStaticObjectBegin)
    TVMFFIObjectIncRef(value.v_obj);
  return value;
}

/// Returns the Python object for an object, whose reference stays the caller's.
PyObject *objectToPython(TVMFFIObjectHandle handle, const DLPackExchangeAPI *api) {
  int32_t index = TVMFFIObjectGetTypeIndex(handle);
  switch (index) {
  case kTVMFFIStr:
  case kTVMFFIBytes: {
    const TVMFFIByteArray *text = TVMFFIBytesGetByteArrayPtr(handle);
    return textToPython(text->data, text->size, index == kTVMFFIStr);
  }
  case kTVMFFIFunction:
    TVMFFIObjectIncRef(handle);
    return newFunctionObject(state.functionType, handle);
  case kTVMFFITensor:
    if (api && api->managed_tensor_to_py_object_no_sync)
      return frameworkTensor(handle, api);
    TVMFFIObjectIncRef(handle);
    return wrapTensor(handle);
  case kTVMFFIShape:
    return shapeToPython(handle);
  case kTVMFFIOpaquePyObject:
    return Py_NewRef(static_cast<PyObject *>(TVMFFIOpaqueObjectGetCellPtr(handle)->handle));
  case kTVMFFIBigInt: {
    TVMFFIAny value = {};
    value.type_index = kTVMFFIBigInt;
    value.v_obj = static_cast<TVMFFIObject *>(handle);
    return bigIntToPython(value);
  }
  default: {
    PyTypeObject *type = classOfType(index);
    if (!type)
      return nullptr;
    TVMFFIObjectIncRef(handle);
    return wrapObject(type, handle, api);
  }
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

PyObject *fairlead::python::viewToPython(const TVMFFIAny &value, const DLPackExchangeAPI *api) {
  if (value.type_index != kTVMFFIRawStr && value.type_index != kTVMFFIByteArrayPtr &&
      value.type_index != kTVMFFIObjectRValueRef)
    return toPython(share(value), api);
  TVMFFIAny owned;
  if (TVMFFIAnyViewToOwnedAny(&value, &owned))
    return raiseFromAbi();
  return toPython(owned, api);
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

// Integers of any size: kTVMFFIBigInt.

// Null under the library of an apache-tvm-ffi before 0.1.14.post1.
#pragma weak TVMFFIBigIntFromByteArray
#pragma weak TVMFFIBigIntGetContentByteArray

PyObject *fairlead::python::bigIntToPython(const TVMFFIAny &value) {
  TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&value);
  Ref bytes(PyBytes_FromStringAndSize(words.data, static_cast<Py_ssize_t>(words.size)));
  Ref args(bytes ? Py_BuildValue("(Os)", bytes.get(), "little") : nullptr);
  Ref kwargs(args ? Py_BuildValue("{s:O}", "signed", Py_True) : nullptr);
  Ref method(kwargs
                 ? PyObject_GetAttrString(reinterpret_cast<PyObject *>(&PyLong_Type), "from_bytes")
                 : nullptr);
  return method ? PyObject_Call(method.get(), args.get(), kwargs.get()) : nullptr;
}

bool fairlead::python::intFromPython(PyObject *number, TVMFFIAny *out) {
  if (!TVMFFIBigIntFromByteArray) {
    PyErr_SetString(PyExc_OverflowError,
                    "int too large: this libtvm_ffi.so, of an apache-tvm-ffi before 0.1.14.post1, "
                    "passes integers of 64 bits");
    return false;
  }
  Ref bits(PyObject_CallMethod(number, "bit_length", nullptr));
  size_t count = bits ? PyLong_AsSize_t(bits.get()) : 0;
  if (PyErr_Occurred())
    return false;
  // One bit more, for the sign, in whole words.
  Ref args(Py_BuildValue("(ns)", static_cast<Py_ssize_t>((count / 64 + 1) * 8), "little"));
  Ref kwargs(args ? Py_BuildValue("{s:O}", "signed", Py_True) : nullptr);
  Ref method(kwargs ? PyObject_GetAttrString(number, "to_bytes") : nullptr);
  Ref bytes(method ? PyObject_Call(method.get(), args.get(), kwargs.get()) : nullptr);
  if (!bytes)
    return false;
  TVMFFIByteArray words = {PyBytes_AS_STRING(bytes.get()),
                           static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
  if (TVMFFIBigIntFromByteArray(&words, out)) {
    raiseFromAbi();
    return false;
  }
  return true;
}
