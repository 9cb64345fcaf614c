#include "call/Convert.h"

#include "call/Callback.h"
#include "call/ConvertParts.h"
#include "object/Errors.h"
#include "object/Reflection.h"
#include "object/Tensor.h"
#include "object/ToPython.h"

#include <atomic>

using namespace fairlead::python;

namespace {

/// Raises the ABI's error, and names the argument in it.
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
    return convertBigInt(call, number.get(), index, out);
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

/// Converts an address that Python code returns as an int; None is NULL.
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

/// Reads `__cuda_stream__`: version 0 of the protocol, and the address. Older classes give a name
/// for the version.
bool setCudaStream(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  // Python caches lookups of interned names.
  static PyObject *name = PyUnicode_InternFromString("__cuda_stream__");
  Ref given(name ? PyObject_GetAttr(argument, name) : nullptr);
  if (given && PyCallable_Check(given.get()))
    given = Ref(PyObject_CallNoArgs(given.get()));
  if (!given)
    return nameArgument(call, index);
  Ref pair(PyTuple_Check(given.get()) || PyList_Check(given.get()) ? PySequence_Tuple(given.get())
                                                                   : nullptr);
  if (!pair || PyTuple_GET_SIZE(pair.get()) != 2)
    return PyErr_Occurred()
               ? nameArgument(call, index)
               : failArgument(call, PyExc_TypeError, index,
                              "its __cuda_stream__ gives %R, expected (0, address)", given.get());
  PyObject *version = PyTuple_GET_ITEM(pair.get(), 0), *address = PyTuple_GET_ITEM(pair.get(), 1);
  int overflow = 0;
  bool isKnown = (PyUnicode_Check(version) && PyUnicode_IsIdentifier(version)) ||
                 (PyLong_Check(version) && PyLong_AsLongAndOverflow(version, &overflow) == 0);
  bool isNegative =
      PyLong_Check(address) && PyLong_AsLongLongAndOverflow(address, &overflow) < 0 && !overflow;
  if (!isKnown || isNegative || address == Py_None)
    return failArgument(call, isKnown ? PyExc_TypeError : PyExc_ValueError, index,
                        "its __cuda_stream__ gives %R, expected version 0 and an address",
                        given.get());
  return setAddress(call, Ref::share(address), index, out);
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
      return failArgument(call, PyExc_TypeError, index,
                          "the %s holds no object: it was moved from, or no constructor filled it",
                          Py_TYPE(object)->tp_name);
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

/// Returns findType(type). Most arguments hold values of one type, so the last one is kept.
const TypeEntry *findValueType(PyTypeObject *type) {
  static std::atomic<const TypeEntry *> last = nullptr;
  const TypeEntry *entry = last.load(std::memory_order_acquire);
  if (entry && entry->type == type) [[likely]]
    return entry;
  entry = findType(type);
  last.store(entry, std::memory_order_release);
  return entry;
}

/// Converts `value`, for which the argument stands; NULL with an exception set.
bool setValueOf(Call &call, Ref value, int index, TVMFFIAny *out, DLTensor *tensor) {
  if (!call.enterLevel(" while converting what an argument stands for"))
    return false;
  bool done = false;
  if (!value) {
    nameArgument(call, index);
  } else {
    PyObject *kept = value.release();
    const TypeEntry *entry = findValueType(Py_TYPE(kept));
    done = call.defer(releaseReference, kept) && entry &&
           convertArgument(call, *entry, kept, index, out, tensor);
  }
  call.leaveLevel();
  return done;
}

/// Converts the value of an attribute of the argument, or the result of a method.
/// `name`: a str of the attribute or method; NULL with an exception set.
bool setFromValue(Call &call, PyObject *argument, PyObject *name, int index, TVMFFIAny *out,
                  DLTensor *tensor) {
  Ref value(name ? PyObject_GetAttr(argument, name) : nullptr);
  if (value && PyCallable_Check(value.get()))
    value = Ref(PyObject_CallNoArgs(value.get()));
  return setValueOf(call, std::move(value), index, out, tensor);
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

/// Reads a pair or triple of small ints from a method or a property of the argument.
bool readNumbers(PyObject *argument, const char *name, int count, long *numbers) {
  Ref source(PyObject_GetAttrString(argument, name));
  if (source && PyCallable_Check(source.get()))
    source = Ref(PyObject_CallNoArgs(source.get()));
  Ref tuple(source ? PySequence_Tuple(source.get()) : nullptr);
  if (!tuple)
    return false;
  if (PyTuple_GET_SIZE(tuple.get()) != count) {
    PyErr_Format(PyExc_ValueError, "%s gave %zd numbers, expected %d", name,
                 PyTuple_GET_SIZE(tuple.get()), count);
    return false;
  }
  for (int i = 0; i < count; ++i) {
    numbers[i] = PyLong_AsLong(PyTuple_GET_ITEM(tuple.get(), i));
    if (numbers[i] == -1 && PyErr_Occurred())
      return false;
    if (numbers[i] < INT32_MIN || numbers[i] > INT32_MAX) {
      PyErr_Format(PyExc_ValueError, "%s gave %ld, which is no 32-bit integer", name, numbers[i]);
      return false;
    }
  }
  return true;
}

bool setDTypeSource(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  long numbers[3];
  if (!readNumbers(argument, "__dlpack_data_type__", 3, numbers))
    return nameArgument(call, index);
  if (numbers[0] < 0 || numbers[0] > 255 || numbers[1] < 0 || numbers[1] > 255 || numbers[2] < 0 ||
      numbers[2] > 65535)
    return failArgument(call, PyExc_ValueError, index, "(%ld, %ld, %ld) is no dtype of DLPack",
                        numbers[0], numbers[1], numbers[2]);
  setValue(out, kTVMFFIDataType, 0);
  out->v_dtype = {static_cast<uint8_t>(numbers[0]), static_cast<uint8_t>(numbers[1]),
                  static_cast<uint16_t>(numbers[2])};
  return true;
}

bool setDeviceSource(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  long numbers[2];
  if (!readNumbers(argument, "__dlpack_device__", 2, numbers))
    return nameArgument(call, index);
  setValue(out, kTVMFFIDevice, 0);
  out->v_device = {static_cast<DLDeviceType>(numbers[0]), static_cast<int32_t>(numbers[1])};
  return true;
}

/// For a container that remembers a framework: its first tensor on a device sets the stream.
bool noteContainer(Call &call, PyObject *argument, int index) {
  auto *object = reinterpret_cast<ObjectObject *>(argument);
  if (!object->api || !object->handle)
    return true;
  if (call.hasStream) {
    call.api = object->api;
    return true;
  }
  TVMFFIByteArray name = {"ffi.ContainerFindFirstNonCPUDevice",
                          sizeof "ffi.ContainerFindFirstNonCPUDevice" - 1};
  TVMFFIObjectHandle find = nullptr;
  if (TVMFFIFunctionGetGlobal(&name, &find))
    return failAbi(call, index);
  DLDevice device = {kDLCPU, 0};
  if (find) {
    TVMFFIAny value, result = {};
    setPointer(&value, TVMFFIObjectGetTypeIndex(object->handle), object->handle);
    int code = TVMFFIFunctionCall(find, &value, 1, &result);
    TVMFFIObjectDecRef(find);
    if (code)
      return failAbi(call, index);
    if (result.type_index == kTVMFFIDevice)
      device = result.v_device;
    else if (result.type_index >= kTVMFFIStaticObjectBegin)
      TVMFFIObjectDecRef(result.v_obj);
  }
  return call.noteTensor(object->api, device) || nameArgument(call, index);
}

/// The current stream of a framework that has DLPack's Python interface alone: what
/// `__tvm_ffi_env_stream__` gives, or CuPy's. The call runs there, unless a tensor ahead has said
/// where; CuPy's gives way to a stream that the program has set. `stream`: where the call runs.
[[gnu::noinline]] bool noteProducer(Call &call, const TypeEntry &entry, PyObject *argument,
                                    void **stream) {
  Ref device(PyObject_CallMethod(argument, "__dlpack_device__", nullptr));
  Ref type(device ? PySequence_GetItem(device.get(), 0) : nullptr);
  Ref ordinal(type ? PySequence_GetItem(device.get(), 1) : nullptr);
  long typeCode = ordinal ? PyLong_AsLong(type.get()) : -1;
  long number = ordinal ? PyLong_AsLong(ordinal.get()) : -1;
  if (PyErr_Occurred())
    return false;
  const DLDevice on = {static_cast<DLDeviceType>(typeCode), static_cast<int32_t>(number)};
  if (typeCode != kDLCUDA && typeCode != kDLROCM)
    return true;
  if (!call.hasStream) {
    Ref handle;
    if (entry.tellsStream) {
      handle = Ref(PyObject_CallMethod(argument, "__tvm_ffi_env_stream__", nullptr));
    } else {
      if (TVMFFIEnvGetStream(on.device_type, on.device_id))
        return true;
      Ref name(PyUnicode_FromString("cupy"));
      Ref module(name ? PyImport_GetModule(name.get()) : nullptr);
      Ref cuda(module ? PyObject_GetAttrString(module.get(), "cuda") : nullptr);
      Ref current(cuda ? PyObject_CallMethod(cuda.get(), "get_current_stream", nullptr) : nullptr);
      handle = Ref(current ? PyObject_GetAttrString(current.get(), "ptr") : nullptr);
      if (!module && !PyErr_Occurred())
        return true; // a class of that name, and no CuPy
    }
    void *address = handle ? PyLong_AsVoidPtr(handle.get()) : nullptr;
    if (PyErr_Occurred())
      return false;
    call.device = on;
    call.stream = address;
    call.hasStream = true;
  }
  *stream = call.stream;
  return true;
}

//===--- kinds of arguments --------------------------------------------------------------------===

bool setProduced(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                 TVMFFIAny *out) {
  if (entry.isJax) {
    if (!acceptsImmutable(call, index))
      return false;
    call.isReadOnly = true;
    call.importer = Importer::Jax;
  }
  if (void *stream = nullptr; (entry.isCuPy || entry.tellsStream)) {
    if (!noteProducer(call, entry, argument, &stream))
      return nameArgument(call, index);
    return convertImported(call, argument, false, index, out, stream);
  }
  if (entry.plainTorch || entry.isTorchWrapper)
    return convertOldTorch(call, entry, argument, index, out);
  return convertImported(call, argument, entry.kind == ArgKind::Capsule, index, out, nullptr);
}

bool setTensor(Call &call, PyObject *argument, int index, TVMFFIAny *out, bool isBorrowed) {
  DLTensor *shown = readTensor(argument);
  if (!shown)
    return nameArgument(call, index);
  if (reinterpret_cast<TensorObject *>(argument)->isReadOnly && !acceptsShared(call, index))
    return false;
  TVMFFIObjectHandle handle = reinterpret_cast<ObjectObject *>(argument)->handle;
  if (!handle && isBorrowed)
    return failArgument(call, PyExc_TypeError, index,
                        "a callback's tensor argument is borrowed and cannot be kept");
  if (!handle || call.views)
    setPointer(out, kTVMFFIDLTensorPtr, shown);
  else
    setPointer(out, kTVMFFITensor, handle);
  return true;
}

/// Streams and addresses.
bool convertAddress(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                    TVMFFIAny *out) {
  switch (entry.kind) {
  case ArgKind::CudaStream:
    return setCudaStream(call, argument, index, out);
  case ArgKind::IntStream:
    return setAddress(call, Ref(PyNumber_Long(argument)), index, out);
  case ArgKind::TorchStream: {
    static PyObject *name = PyUnicode_InternFromString("cuda_stream");
    return setAddress(call, Ref(name ? PyObject_GetAttr(argument, name) : nullptr), index, out);
  }
  case ArgKind::VoidPtr: {
    static PyObject *name = PyUnicode_InternFromString("value");
    return setAddress(call, Ref(name ? PyObject_GetAttr(argument, name) : nullptr), index, out);
  }
  case ArgKind::OpaqueSource:
    return setAddress(call, Ref(PyObject_CallMethod(argument, "__tvm_ffi_opaque_ptr__", nullptr)),
                      index, out);
  case ArgKind::OpaqueHandled: {
    auto *type = reinterpret_cast<PyObject *>(Py_TYPE(argument));
    Ref handler = Ref::share(PyDict_GetItemWithError(state.opaqueHandlers, type));
    if (!handler && !PyErr_Occurred())
      return failArgument(call, PyExc_TypeError, index, "the handler of %s was taken away",
                          Py_TYPE(argument)->tp_name);
    return setAddress(call, Ref(handler ? PyObject_CallOneArg(handler.get(), argument) : nullptr),
                      index, out);
  }
  default:
    __builtin_unreachable();
  }
}

/// Numbers, text, dtypes and devices.
bool convertValue(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                  TVMFFIAny *out) {
  switch (entry.kind) {
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
  case ArgKind::FloatSource: {
    Ref number(PyObject_CallMethod(argument, "__tvm_ffi_float__", nullptr));
    return number ? setReal(call, number.get(), index, out) : nameArgument(call, index);
  }
  case ArgKind::Str:
  case ArgKind::Bytes:
    return setText(call, argument, index, out);
  case ArgKind::DataType:
    return setDataType(call, argument, index, out);
  case ArgKind::FrameworkType:
    return setDataType(call, Ref(PyObject_Str(argument)).get(), index, out);
  case ArgKind::Device:
    return setDevice(call, argument, index, out);
  case ArgKind::DTypeSource:
    return setDTypeSource(call, argument, index, out);
  case ArgKind::DeviceSource:
    return setDeviceSource(call, argument, index, out);
  default:
    __builtin_unreachable();
  }
}

/// Objects and containers; anything else becomes an opaque object.
bool convertObject(Call &call, const TypeEntry &entry, PyObject *argument, int index,
                   TVMFFIAny *out, DLTensor *tensor) {
  switch (entry.kind) {
  case ArgKind::Object:
    return noteContainer(call, argument, index) && setForeign(call, argument, index, out);
  case ArgKind::Handle:
    return setForeign(call, argument, index, out);
  case ArgKind::HandleSource:
    return setFromSource(call, argument, index, out);
  case ArgKind::RuntimeTensor: {
    static PyObject *name = PyUnicode_InternFromString("_producer");
    Ref held(name ? PyObject_GetAttr(argument, name) : nullptr);
    return setValueOf(call, std::move(held), index, out, tensor);
  }
  case ArgKind::ValueSource: {
    static PyObject *name = PyUnicode_InternFromString("__tvm_ffi_value__");
    return setFromValue(call, argument, name, index, out, tensor);
  }
  case ArgKind::Convertible: {
    static PyObject *name = PyUnicode_InternFromString("asobject");
    return setFromValue(call, argument, name, index, out, tensor);
  }
  case ArgKind::Sequence:
    return convertContainer(call, argument, "ffi.Array", index, out);
  case ArgKind::Shape:
    return convertContainer(call, argument, "ffi.Shape", index, out);
  case ArgKind::Dict:
    return convertContainer(call, argument, "ffi.Map", index, out);
  case ArgKind::Callable: {
    TVMFFIObjectHandle callback = makeCallback(argument);
    return callback ? setOwned(call, callback, out) : nameArgument(call, index);
  }
  case ArgKind::RValue: {
    ObjectObject *moved = movedObject(argument);
    if (!moved->handle)
      return failArgument(call, PyExc_ValueError, index, "the object was moved from before");
    setPointer(out, kTVMFFIObjectRValueRef, &moved->handle);
    return true;
  }
  case ArgKind::Exception: {
    TVMFFIObjectHandle error = makeError(argument);
    if (error)
      return setOwned(call, error, out);
    PyErr_NoMemory();
    return false;
  }
  default: {
    TVMFFIObjectHandle opaque = makeOpaque(argument);
    return opaque ? setOwned(call, opaque, out) : nameArgument(call, index);
  }
  }
}

/// Converts an argument that is no NumPy array. Not inlined, so that arrays do not pay for its
/// registers.
[[gnu::noinline]] bool convertRare(Call &call, const TypeEntry &entry, PyObject *argument,
                                   int index, TVMFFIAny *out, DLTensor *tensor) {
  switch (entry.kind) {
  case ArgKind::ExchangeTensor:
    return convertExchanged(call, entry, argument, index, out, tensor);
  case ArgKind::Capsule:
  case ArgKind::DLPack:
    return setProduced(call, entry, argument, index, out);
  case ArgKind::Tensor:
    return setTensor(call, argument, index, out, /*isBorrowed=*/!tensor);
  case ArgKind::CudaStream:
  case ArgKind::IntStream:
  case ArgKind::TorchStream:
  case ArgKind::VoidPtr:
  case ArgKind::OpaqueSource:
  case ArgKind::OpaqueHandled:
    return convertAddress(call, entry, argument, index, out);
  case ArgKind::Truth:
  case ArgKind::Index:
  case ArgKind::Real:
  case ArgKind::IntSource:
  case ArgKind::FloatSource:
  case ArgKind::Str:
  case ArgKind::Bytes:
  case ArgKind::DataType:
  case ArgKind::FrameworkType:
  case ArgKind::Device:
  case ArgKind::DTypeSource:
  case ArgKind::DeviceSource:
    return convertValue(call, entry, argument, index, out);
  default:
    return convertObject(call, entry, argument, index, out, tensor);
  }
}

} // namespace

bool fairlead::python::convertArgument(Call &call, const TypeEntry &entry, PyObject *argument,
                                       int index, TVMFFIAny *out, DLTensor *tensor) {
  return convertInline(call, entry, argument, index, out, tensor);
}

bool fairlead::python::convertOther(Call &call, const TypeEntry &entry, PyObject *argument,
                                    int index, TVMFFIAny *out, DLTensor *tensor) {
  if (entry.kind != ArgKind::NumPyArray)
    return convertRare(call, entry, argument, index, out, tensor);
  call.importer = Importer::NumPy;
  return convertNumPy(call, argument, index, out, tensor);
}

bool fairlead::python::convertBigInt(Call &call, PyObject *argument, int index, TVMFFIAny *out) {
  if (!intFromPython(argument, out))
    return nameArgument(call, index);
  return out->type_index < kTVMFFIStaticObjectBegin || call.defer(releaseHandle, out->v_obj);
}

bool fairlead::python::convertOwned(PyObject *value, TVMFFIAny *out, bool *isReadOnly) {
  Call call(nullptr, false);
  const TypeEntry *entry = findType(Py_TYPE(value));
  TVMFFIAny view;
  if (!entry || !convertArgument(call, *entry, value, 0, &view, nullptr))
    return false;
  if (TVMFFIAnyViewToOwnedAny(&view, out)) {
    raiseFromAbi();
    return false;
  }
  if (isReadOnly)
    *isReadOnly = call.isReadOnly;
  return true;
}
