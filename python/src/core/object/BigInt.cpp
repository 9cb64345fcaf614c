// Integers of any size: kTVMFFIBigInt.

#include "object/BigInt.h"

#include "object/Errors.h"

using namespace fairlead::python;

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
