#include "framework/NumPy.h"

#include "tvm/ffi/c_api.h"

using namespace fairlead::python;

namespace {

/// The public part of an array, as NumPy's C headers show it.
struct ArrayFields {
  PyObject_HEAD char *data;
  int rank;
  Py_ssize_t *extents;
  Py_ssize_t *strides; ///< in bytes
  PyObject *base;
  PyObject *descriptor;
  int flags;
};
static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));

/// The part of a dtype object that NumPy 1 and 2 share.
struct DescriptorFields {
  PyObject_HEAD PyTypeObject *scalarType;
  char kind;
  char type;
  char byteOrder;
  char flags;
  int typeNumber;
};

constexpr int kWriteable = 0x0400;
constexpr int kFirstUserType = 256;
constexpr char kForeignOrder = PY_BIG_ENDIAN ? '<' : '>';

const ArrayFields *fields(PyObject *array) { return reinterpret_cast<ArrayFields *>(array); }

/// By NumPy's type number; bits 0: not an element of a DLPack tensor.
constexpr DLDataType kTypes[] = {
    {kDLBool, 8, 1},                // bool
    {kDLInt, 8, 1},                 // byte
    {kDLUInt, 8, 1},                // ubyte
    {kDLInt, 16, 1},                // short
    {kDLUInt, 16, 1},               // ushort
    {kDLInt, 32, 1},                // int
    {kDLUInt, 32, 1},               // uint
    {kDLInt, 8 * sizeof(long), 1},  // long
    {kDLUInt, 8 * sizeof(long), 1}, // ulong
    {kDLInt, 64, 1},                // longlong
    {kDLUInt, 64, 1},               // ulonglong
    {kDLFloat, 32, 1},              // float
    {kDLFloat, 64, 1},              // double
    {kDLFloat, 0, 1},               // longdouble
    {kDLComplex, 64, 1},            // cfloat
    {kDLComplex, 128, 1},           // cdouble
};
constexpr int kHalf = 23;

/// Types of other packages (ml_dtypes), by name. Only types whose elements fill their bytes.
bool userType(PyObject *descriptor, DLDataType *out) {
  // The dtype object of such a type is one for all arrays; the last one is remembered.
  static PyObject *lastDescriptor = nullptr;
  static DLDataType lastType = {};
#ifndef Py_GIL_DISABLED
  if (descriptor == lastDescriptor) {
    *out = lastType;
    return true;
  }
#endif
  Ref name(PyObject_GetAttrString(descriptor, "name"));
  Ref itemSize(PyObject_GetAttrString(descriptor, "itemsize"));
  if (!name || !itemSize)
    return false;
  TVMFFIByteArray text = {};
  Py_ssize_t size = 0;
  text.data = PyUnicode_AsUTF8AndSize(name.get(), &size);
  if (!text.data)
    return false;
  text.size = static_cast<size_t>(size);
  DLDataType type;
  if (TVMFFIDataTypeFromString(&text, &type)) {
    TVMFFIObjectHandle error;
    TVMFFIErrorMoveFromRaised(&error);
    TVMFFIObjectDecRef(error);
    return false;
  }
  if (type.lanes != 1 || type.bits != 8 * PyLong_AsLong(itemSize.get()))
    return false;
#ifndef Py_GIL_DISABLED
  Py_INCREF(descriptor);
  Py_XSETREF(lastDescriptor, descriptor);
  lastType = type;
#endif
  *out = type;
  return true;
}

bool elementType(PyObject *descriptor, DLDataType *out) {
  auto *described = reinterpret_cast<const DescriptorFields *>(descriptor);
  if (described->byteOrder == kForeignOrder)
    return false;
  int number = described->typeNumber;
  if (number >= 0 && number < static_cast<int>(sizeof kTypes / sizeof *kTypes)) {
    *out = kTypes[number];
    return out->bits;
  }
  if (number == kHalf) {
    *out = {kDLFloat, 16, 1};
    return true;
  }
  return number >= kFirstUserType && userType(descriptor, out);
}

/// The version of the layout of arrays that NumPy's own C interface reports.
bool layoutIsKnown() {
  for (const char *name : {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
    Ref moduleName(PyUnicode_FromString(name));
    Ref module(moduleName ? PyImport_GetModule(moduleName.get()) : nullptr);
    Ref capsule(module ? PyObject_GetAttrString(module.get(), "_ARRAY_API") : nullptr);
    void *interface = nullptr;
    if (capsule && PyCapsule_CheckExact(capsule.get()))
      interface = PyCapsule_GetPointer(capsule.get(), nullptr);
    PyErr_Clear();
    if (!interface)
      continue;
    void *entry = *static_cast<void **>(interface);
    unsigned version = reinterpret_cast<unsigned (*)()>(entry)();
    return version == 0x01000009 || version == 0x02000000;
  }
  return false;
}

/// True if numbers of this dtype have the byte order of this machine.
bool isNative(PyObject *descriptor) {
  Ref answer(PyObject_GetAttrString(descriptor, "isnative"));
  const bool isOther = answer && PyObject_Not(answer.get()) == 1;
  PyErr_Clear();
  return !isOther;
}

} // namespace

bool fairlead::python::isNumPyArray(PyTypeObject *type) {
  Ref name(PyUnicode_FromString("numpy"));
  Ref numpy(name ? PyImport_GetModule(name.get()) : nullptr);
  Ref array(numpy ? PyObject_GetAttrString(numpy.get(), "ndarray") : nullptr);
  PyErr_Clear();
  return array && PyType_Check(array.get()) &&
         PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(array.get())) && layoutIsKnown();
}

int fairlead::python::numPyRank(PyObject *array) { return fields(array)->rank; }

bool fairlead::python::isNumPyWriteable(PyObject *array) {
  return fields(array)->flags & kWriteable;
}

const char *fairlead::python::describeNumPyArray(PyObject *array, DLTensor *out, int64_t *strides) {
  const ArrayFields *a = fields(array);
  if (!elementType(a->descriptor, &out->dtype))
    return isNative(a->descriptor) ? "its dtype has no DLPack form"
                                   : "its numbers are in the byte order of other machines; pass "
                                     "array.astype(array.dtype.newbyteorder('='))";
  out->data = a->data;
  out->device = {kDLCPU, 0};
  out->ndim = a->rank;
  out->shape = reinterpret_cast<int64_t *>(a->extents);
  out->strides = strides;
  out->byte_offset = 0;
  // Sizes of elements are powers of two.
  int shift = __builtin_ctz(out->dtype.bits / 8u);
  for (int i = 0; i < a->rank; ++i) {
    strides[i] = a->strides[i] >> shift;
    if (strides[i] << shift != a->strides[i])
      return "its strides are no multiples of its element's size";
  }
  return nullptr;
}
