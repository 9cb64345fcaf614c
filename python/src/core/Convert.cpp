#include "Convert.h"

#include "Callback.h"
#include "ConvertParts.h"
#include "Tensor.h"
#include "Values.h"

using namespace fairlead::python;

namespace {

/// Raises what the ABI reported, in the argument's name.
bool failAbi(Call &call, int index) {
  raiseFromAbi();
  return nameArgument(call, index);
}

/// A view of `object`, whose reference the call drops.
bool setOwned(Call &call, TVMFFIObjectHandle object, TVMFFIAny *out) {
  setPointer(out, TVMFFIObjectGetTypeIndex(object), object);
  return call.defer(releaseHandle, object);
}

/// `text` as an int64 of a view: an int, or a Python object that answers as one.
bool setIndex(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  Ref number(PyNumber_Index(argument));
  if (!number)
    return nameArgument(call, index);
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow)
    return failArgument(call, PyExc_OverflowError, index,
                        "the int %R does not fit 64 bits with a sign", number.get());
  setValue(out, kTVMFFIInt, value);
  return true;
}

bool setReal(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  double value = PyFloat_AsDouble(argument);
  if (value == -1.0 && PyErr_Occurred())
    return nameArgument(call, index);
  out->type_index = kTVMFFIFloat;
  out->zero_padding = 0;
  out->v_float64 = value;
  return true;
}

/// An address that Python code gives as an int; None is NULL.
bool setAddress(Call &call, Ref number, int index, TVMFFIAny *out) {
  void *address = nullptr;
  if (number && number.get() != Py_None) {
    number = Ref(PyNumber_Index(number.get()));
    address = number ? PyLong_AsVoidPtr(number.get()) : nullptr;
  }
  if (PyErr_Occurred())
    return nameArgument(call, index);
  setPointer(out, kTVMFFIOpaquePtr, address);
  return true;
}

bool setCudaStream(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  Ref pair(PyObject_GetAttrString(argument, "__cuda_stream__"));
  if (pair && PyCallable_Check(pair.get()))
    pair = Ref(PyObject_CallNoArgs(pair.get()));
  Ref address(pair ? PySequence_GetItem(pair.get(), 1) : nullptr);
  return setAddress(call, std::move(address), index, out);
}

bool setText(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  TVMFFIByteArray text;
  Py_ssize_t size = 0;
  bool isText = PyUnicode_Check(argument);
  if (isText)
    text.data = PyUnicode_AsUTF8AndSize(argument, &size);
  else if (PyBytes_Check(argument))
    text.data = PyBytes_AS_STRING(argument), size = PyBytes_GET_SIZE(argument);
  else
    text.data = PyByteArray_AS_STRING(argument), size = PyByteArray_GET_SIZE(argument);
  if (!text.data)
    return nameArgument(call, index);
  text.size = static_cast<size_t>(size);
  int code = isText ? TVMFFIStringFromByteArray(&text, out) : TVMFFIBytesFromByteArray(&text, out);
  if (code)
    return failAbi(call, index);
  return out->type_index < kTVMFFIStaticObjectBegin || call.defer(releaseHandle, out->v_obj);
}

/// The handle of an object of another package. It is kept only as long as the object says.
bool setForeign(Call &call, PyObject *object, int index, TVMFFIAny *out) {
  if (PyObject_TypeCheck(object, state.objectType)) {
    TVMFFIObjectHandle handle = reinterpret_cast<ObjectObject *>(object)->handle;
    if (!handle)
      return failArgument(call, PyExc_TypeError, index, "a borrowed tensor is no object");
    setPointer(out, TVMFFIObjectGetTypeIndex(handle), handle);
    return true;
  }
  Ref address(PyObject_CallMethod(object, "__chandle__", nullptr));
  void *handle = address ? PyLong_AsVoidPtr(address.get()) : nullptr;
  if (PyErr_Occurred())
    return nameArgument(call, index);
  if (!handle)
    return failArgument(call, PyExc_ValueError, index, "its __chandle__() is NULL");
  setPointer(out, TVMFFIObjectGetTypeIndex(handle), handle);
  return true;
}

void releaseReference(void *object) { Py_DECREF(static_cast<PyObject *>(object)); }

bool setFromSource(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  Ref source(PyObject_GetAttrString(argument, "__tvm_ffi_object__"));
  if (source && PyCallable_Check(source.get()))
    source = Ref(PyObject_CallNoArgs(source.get()));
  if (!source)
    return nameArgument(call, index);
  // It may be a temporary.
  PyObject *object = source.release();
  return call.defer(releaseReference, object) && setForeign(call, object, index, out);
}

bool setFromValue(Call &call, PyObject *argument, int index, TVMFFIAny *out, DLTensor *tensor) {
  if (Py_EnterRecursiveCall(" while reading __tvm_ffi_value__"))
    return false;
  Ref value(PyObject_GetAttrString(argument, "__tvm_ffi_value__"));
  if (value && PyCallable_Check(value.get()))
    value = Ref(PyObject_CallNoArgs(value.get()));
  bool done = false;
  if (!value) {
    nameArgument(call, index);
  } else {
    PyObject *kept = value.release();
    const TypeEntry *entry = findType(Py_TYPE(kept));
    done = call.defer(releaseReference, kept) && entry &&
           convertArgument(call, *entry, kept, index, out, tensor);
  }
  Py_LeaveRecursiveCall();
  return done;
}

bool setMethodResult(Call &call, PyObject *argument, const char *method, int index,
                     TVMFFIAny *out) {
  Ref value(PyObject_CallMethod(argument, method, nullptr));
  if (!value)
    return nameArgument(call, index);
  return PyFloat_Check(value.get()) ? setReal(call, value.get(), index, out)
                                    : setIndex(call, value.get(), index, out);
}

bool setDataType(Call &call, PyObject *text, int index, TVMFFIAny *out) {
  TVMFFIByteArray name;
  Py_ssize_t size = 0;
  name.data = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
  if (!name.data)
    return nameArgument(call, index);
  name.size = static_cast<size_t>(size);
  // torch's dtypes print with their package.
  constexpr size_t kPackage = sizeof "torch." - 1;
  if (name.size > kPackage && PyUnicode_Tailmatch(text, Ref(PyUnicode_FromString("torch.")).get(),
                                                  0, PY_SSIZE_T_MAX, -1) == 1) {
    name.data += kPackage;
    name.size -= kPackage;
  }
  setValue(out, kTVMFFIDataType, 0);
  return !TVMFFIDataTypeFromString(&name, &out->v_dtype) || failAbi(call, index);
}

bool setDevice(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  Ref type(PyObject_CallMethod(argument, "dlpack_device_type", nullptr));
  Ref ordinal(PyObject_GetAttrString(argument, "index"));
  long typeCode = type ? PyLong_AsLong(type.get()) : -1;
  long number = ordinal ? PyLong_AsLong(ordinal.get()) : -1;
  if (PyErr_Occurred())
    return nameArgument(call, index);
  setValue(out, kTVMFFIDevice, 0);
  out->v_device = {static_cast<DLDeviceType>(typeCode), static_cast<int32_t>(number)};
  return true;
}

bool unsupported(Call &call, PyObject *argument, int index) {
  return failArgument(call, PyExc_TypeError, index,
                      "cannot pass an object of type `%s`; expected a tensor (DLPack), bool, int, "
                      "float, str, bytes, None, a stream, a pointer (ctypes.c_void_p), a tuple, "
                      "list or dict of these, a dtype, a device or a callable",
                      Py_TYPE(argument)->tp_name);
}

} // namespace

bool fairlead::python::convertArgument(Call &call, const TypeEntry &entry, PyObject *argument,
                                       int index, TVMFFIAny *out, DLTensor *tensor) {
  return convertInline(call, entry, argument, index, out, tensor);
}

bool fairlead::python::convertOther(Call &call, const TypeEntry &entry, PyObject *argument,
                                    int index, TVMFFIAny *out, DLTensor *tensor) {
  switch (entry.kind) {
  case ArgKind::ExchangeTensor:
    return convertExchanged(call, entry, argument, index, out);
  case ArgKind::NumPyArray:
    return convertNumPy(call, argument, index, out, tensor);
  case ArgKind::Capsule:
  case ArgKind::DLPack:
    return convertImported(call, argument, entry.kind == ArgKind::Capsule, index, out);
  case ArgKind::Tensor: {
    DLTensor *shown = readTensor(argument);
    if (!shown)
      return nameArgument(call, index);
    TVMFFIObjectHandle handle = reinterpret_cast<ObjectObject *>(argument)->handle;
    if (!handle && !tensor)
      return failArgument(call, PyExc_TypeError, index,
                          "a callback's tensor argument is borrowed and cannot be kept");
    if (!handle || call.views)
      setPointer(out, kTVMFFIDLTensorPtr, shown);
    else
      setPointer(out, kTVMFFITensor, handle);
    return true;
  }
  case ArgKind::Object:
  case ArgKind::Handle:
    return setForeign(call, argument, index, out);
  case ArgKind::HandleSource:
    return setFromSource(call, argument, index, out);
  case ArgKind::CudaStream:
    return setCudaStream(call, argument, index, out);
  case ArgKind::IntStream:
    return setAddress(call, Ref(PyNumber_Long(argument)), index, out);
  case ArgKind::TorchStream:
    return setAddress(call, Ref(PyObject_GetAttrString(argument, "cuda_stream")), index, out);
  case ArgKind::VoidPtr:
    return setAddress(call, Ref(PyObject_GetAttrString(argument, "value")), index, out);
  case ArgKind::OpaqueSource:
    return setAddress(call, Ref(PyObject_CallMethod(argument, "__tvm_ffi_opaque_ptr__", nullptr)),
                      index, out);
  case ArgKind::Truth: {
    int truth = PyObject_IsTrue(argument);
    setValue(out, kTVMFFIBool, truth);
    return truth >= 0 || nameArgument(call, index);
  }
  case ArgKind::Index:
    return setIndex(call, argument, index, out);
  case ArgKind::Real:
    return setReal(call, argument, index, out);
  case ArgKind::IntSource:
    return setMethodResult(call, argument, "__tvm_ffi_int__", index, out);
  case ArgKind::FloatSource:
    return setMethodResult(call, argument, "__tvm_ffi_float__", index, out);
  case ArgKind::ValueSource:
    return setFromValue(call, argument, index, out, tensor);
  case ArgKind::Str:
  case ArgKind::Bytes:
    return setText(call, argument, index, out);
  case ArgKind::DataType:
    return setDataType(call, argument, index, out);
  case ArgKind::FrameworkType:
    return setDataType(call, Ref(PyObject_Str(argument)).get(), index, out);
  case ArgKind::Device:
    return setDevice(call, argument, index, out);
  case ArgKind::Sequence:
    return convertContainer(call, argument, "ffi.Array", index, out);
  case ArgKind::Dict:
    return convertContainer(call, argument, "ffi.Map", index, out);
  case ArgKind::Callable: {
    TVMFFIObjectHandle callback = makeCallback(argument);
    return callback ? setOwned(call, callback, out) : nameArgument(call, index);
  }
  default:
    return unsupported(call, argument, index);
  }
}

bool fairlead::python::convertOwned(PyObject *value, TVMFFIAny *out) {
  Call call(nullptr, false);
  const TypeEntry *entry = findType(Py_TYPE(value));
  TVMFFIAny view;
  if (!entry || !convertArgument(call, *entry, value, 0, &view, nullptr))
    return false;
  if (TVMFFIAnyViewToOwnedAny(&view, out)) {
    raiseFromAbi();
    return false;
  }
  return true;
}
