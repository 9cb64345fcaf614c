// Types that Python defines at run time: their keys, fields, methods and attributes in the table of
// the ABI.

#include "Guarded.h"
#include "call/Call.h"
#include "call/Callback.h"
#include "call/Function.h"
#include "object/Errors.h"
#include "object/Reflection.h"
#include "object/ToPython.h"
#include "tvm/ffi/inner/published.h"

using namespace fairlead::python;
using tvm::ffi::inner::publishedCount;

namespace {

TVMFFIByteArray bytesOf(const char *data, Py_ssize_t size) {
  return {data, static_cast<size_t>(size)};
}

PyObject *text(const TVMFFIByteArray &bytes) {
  return PyUnicode_DecodeUTF8(bytes.data, static_cast<Py_ssize_t>(bytes.size), "replace");
}

/// A converted argument, released at the end of the scope.
struct Owned {
  TVMFFIAny value = {};
  ~Owned() {
    if (value.type_index >= kTVMFFIStaticObjectBegin)
      TVMFFIObjectDecRef(value.v_obj);
  }
};

const TVMFFITypeInfo *typeOf(int index) {
  const TVMFFITypeInfo *info = index >= 0 ? TVMFFIGetTypeInfo(index) : nullptr;
  if (info && info->type_index == index)
    return info;
  PyErr_Format(PyExc_ValueError, "there is no type of index %d", index);
  return nullptr;
}

PyObject *done(int code) {
  if (code)
    return raiseFromAbi(code);
  Py_RETURN_NONE;
}

PyObject *defineType(PyObject *, PyObject *args) {
  const char *key;
  Py_ssize_t size;
  int parent;
  const TVMFFITypeInfo *info;
  if (!PyArg_ParseTuple(args, "s#i:_define_type", &key, &size, &parent) || !(info = typeOf(parent)))
    return nullptr;
  TVMFFIByteArray name = bytesOf(key, size);
  int32_t index;
  if (!TVMFFITypeKeyToIndex(&name, &index))
    return PyErr_Format(PyExc_ValueError, "Type key '%s' is already registered", key);
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error)
    TVMFFIObjectDecRef(error);
  index = TVMFFITypeGetOrAllocIndex(&name, -1, info->type_depth + 1, 0, 1, parent);
  return PyLong_FromLong(index);
}

PyObject *defineMetadata(PyObject *, PyObject *args) {
  const char *doc;
  Py_ssize_t size;
  int index, total, kind;
  if (!PyArg_ParseTuple(args, "is#ii:_define_metadata", &index, &doc, &size, &total, &kind) ||
      !typeOf(index))
    return nullptr;
  TVMFFITypeMetadata metadata = {};
  metadata.doc = bytesOf(doc, size);
  metadata.total_size = total;
  metadata.structural_eq_hash_kind = static_cast<TVMFFISEqHashKind>(kind);
  return done(TVMFFITypeRegisterMetadata(index, &metadata));
}

PyObject *defineField(PyObject *, PyObject *args) {
  int index, storage;
  const char *name, *doc, *metadata;
  Py_ssize_t nameSize, docSize, metadataSize;
  long long flags, size, alignment, offset, getter;
  PyObject *setter, *fallback;
  if (!PyArg_ParseTuple(args, "is#s#s#LLLLiLO!O:_define_field", &index, &name, &nameSize, &doc,
                        &docSize, &metadata, &metadataSize, &flags, &size, &alignment, &offset,
                        &storage, &getter, state.functionType, &setter, &fallback) ||
      !typeOf(index))
    return nullptr;
  Owned value;
  if ((flags & kTVMFFIFieldFlagBitMaskHasDefault) && !convertOwned(fallback, &value.value))
    return nullptr;
  TVMFFIFieldInfo field = {};
  field.name = bytesOf(name, nameSize);
  field.doc = bytesOf(doc, docSize);
  field.metadata = bytesOf(metadata, metadataSize);
  field.flags = flags | kTVMFFIFieldFlagBitSetterIsFunctionObj;
  field.size = size;
  field.alignment = alignment;
  field.offset = offset;
  field.getter = reinterpret_cast<TVMFFIFieldGetter>(static_cast<intptr_t>(getter));
  // Types stay for the life of the process, and so do their setters.
  field.setter = reinterpret_cast<FunctionObject *>(setter)->object.handle;
  TVMFFIObjectIncRef(field.setter);
  field.default_value_or_factory = value.value;
  field.field_static_type_index = storage;
  return done(TVMFFITypeRegisterField(index, &field));
}

PyObject *defineMethod(PyObject *, PyObject *args) {
  int index;
  const char *name, *doc, *metadata;
  Py_ssize_t nameSize, docSize, metadataSize;
  long long flags;
  PyObject *function;
  if (!PyArg_ParseTuple(args, "is#s#s#LO:_define_method", &index, &name, &nameSize, &doc, &docSize,
                        &metadata, &metadataSize, &flags, &function) ||
      !typeOf(index))
    return nullptr;
  Owned value;
  if (!convertOwned(function, &value.value))
    return nullptr;
  TVMFFIMethodInfo method = {};
  method.name = bytesOf(name, nameSize);
  method.doc = bytesOf(doc, docSize);
  method.metadata = bytesOf(metadata, metadataSize);
  method.flags = flags;
  method.method = value.value;
  return done(TVMFFITypeRegisterMethod(index, &method));
}

PyObject *defineAttribute(PyObject *, PyObject *args) {
  int index;
  const char *name;
  Py_ssize_t size;
  PyObject *value;
  if (!PyArg_ParseTuple(args, "is#O:_define_attribute", &index, &name, &size, &value) ||
      (index && !typeOf(index)))
    return nullptr;
  Owned owned;
  if (!convertOwned(value, &owned.value))
    return nullptr;
  TVMFFIByteArray key = bytesOf(name, size);
  return done(TVMFFITypeRegisterAttr(index, &key, &owned.value));
}

PyObject *typeAttribute(PyObject *, PyObject *args) {
  int index;
  const char *name;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "is#:_type_attribute", &index, &name, &size))
    return nullptr;
  TVMFFIByteArray key = bytesOf(name, size);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&key);
  const TVMFFIAny *cell = column ? tvm::ffi::inner::findCell(column, index) : nullptr;
  if (!cell)
    Py_RETURN_NONE;
  return viewToPython(*cell);
}

//===--------------------------------------------------------------------------------------------===//
// What a field stores, as Python says
//===--------------------------------------------------------------------------------------------===//

/// The conversion of a field's setter. It lives as long as the process, as types do.
struct Converter {
  /// Values of this type index pass unchanged, without Python. kTVMFFIAny: all values do.
  int32_t accepted;
  bool acceptsNone;
  PyObject *convert; ///< of all other values: callable(value) -> what is stored, or raises
};

bool isOfType(const TVMFFIAny &value, int32_t accepted) {
  int32_t index = value.type_index;
  if (index == accepted)
    return true;
  if (accepted == kTVMFFIStr)
    return index == kTVMFFISmallStr;
  if (accepted == kTVMFFIBytes)
    return index == kTVMFFISmallBytes;
  if (accepted < kTVMFFIStaticObjectBegin || index < kTVMFFIStaticObjectBegin)
    return false;
  const TVMFFITypeInfo *wanted = TVMFFIGetTypeInfo(accepted), *actual = TVMFFIGetTypeInfo(index);
  return actual->type_depth > wanted->type_depth &&
         actual->type_ancestors[wanted->type_depth] == wanted;
}

int convertWithPython(PyObject *convert, const TVMFFIAny &value, TVMFFIAny *result) {
  Ref object(viewToPython(value));
  Ref converted(object ? PyObject_CallOneArg(convert, object.get()) : nullptr);
  return converted && convertOwned(converted.get(), result) ? 0 : raiseToAbi();
}

/// The conversion that ffi.MakeFieldSetter calls: an owned value, or the thread's error.
int convertField(void *self, const TVMFFIAny *value, TVMFFIAny *result) {
  auto *converter = static_cast<Converter *>(self);
  bool passes = converter->accepted == kTVMFFIAny || isOfType(*value, converter->accepted) ||
                (converter->acceptsNone && value->type_index == kTVMFFINone);
  if (passes)
    return TVMFFIAnyViewToOwnedAny(value, result);
  if (!Py_IsInitialized()) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "a field was set after Python ended");
    return -1;
  }
  PyGILState_STATE gil = PyGILState_Ensure();
  int code = guarded([&] { return convertWithPython(converter->convert, *value, result); });
  if (code && PyErr_Occurred()) // memory is short
    raiseToAbi();
  PyGILState_Release(gil);
  return code;
}

PyObject *makeConverter(PyObject *, PyObject *args) {
  int accepted, acceptsNone;
  PyObject *convert;
  if (!PyArg_ParseTuple(args, "ipO:_make_converter", &accepted, &acceptsNone, &convert))
    return nullptr;
  auto *converter = new (std::nothrow) Converter{accepted, acceptsNone != 0, Py_NewRef(convert)};
  if (!converter) {
    Py_DECREF(convert);
    return PyErr_NoMemory();
  }
  return Py_BuildValue("(NN)", PyLong_FromVoidPtr(converter),
                       PyLong_FromVoidPtr(reinterpret_cast<void *>(convertField)));
}

//===--------------------------------------------------------------------------------------------===//
// What is registered of a type
//===--------------------------------------------------------------------------------------------===//

PyObject *fieldRow(const TVMFFIFieldInfo &field) {
  bool has = field.flags & kTVMFFIFieldFlagBitMaskHasDefault;
  return Py_BuildValue("(NNNLLLLiN)", text(field.name), text(field.doc), text(field.metadata),
                       static_cast<long long>(field.flags), static_cast<long long>(field.size),
                       static_cast<long long>(field.alignment),
                       static_cast<long long>(field.offset), field.field_static_type_index,
                       has ? viewToPython(field.default_value_or_factory) : Py_NewRef(Py_None));
}

PyObject *methodRow(const TVMFFIMethodInfo &method) {
  return Py_BuildValue("(NNNLN)", text(method.name), text(method.doc), text(method.metadata),
                       static_cast<long long>(method.flags), viewToPython(method.method));
}

PyObject *typeDetails(PyObject *, PyObject *args) {
  int index;
  const TVMFFITypeInfo *info;
  if (!PyArg_ParseTuple(args, "i:_type_details", &index) || !(info = typeOf(index)))
    return nullptr;
  Ref fields(PyList_New(0)), methods(PyList_New(0)), ancestors(PyList_New(0));
  if (!fields || !methods || !ancestors)
    return nullptr;
  for (int32_t i = 0, count = publishedCount(info->num_fields); i < count; ++i) {
    Ref row(fieldRow(info->fields[i]));
    if (!row || PyList_Append(fields.get(), row.get()))
      return nullptr;
  }
  for (int32_t i = 0, count = publishedCount(info->num_methods); i < count; ++i) {
    Ref row(methodRow(info->methods[i]));
    if (!row || PyList_Append(methods.get(), row.get()))
      return nullptr;
  }
  for (int32_t i = 0; i < info->type_depth; ++i) {
    Ref number(PyLong_FromLong(info->type_ancestors[i]->type_index));
    if (!number || PyList_Append(ancestors.get(), number.get()))
      return nullptr;
  }
  const TVMFFITypeMetadata *metadata = info->metadata;
  return Py_BuildValue("(NNNNii)", text(info->type_key), ancestors.release(), fields.release(),
                       methods.release(), metadata ? metadata->total_size : 0,
                       metadata ? static_cast<int>(metadata->structural_eq_hash_kind) : -1);
}

/// Object and its kin become classes of a metaclass of Python: they are made without one.
PyObject *setMetaclass(PyObject *, PyObject *metaclass) {
  if (!PyType_Check(metaclass) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(metaclass), &PyType_Type))
    return PyErr_Format(PyExc_TypeError, "expected a metaclass, but got %R", metaclass);
  for (PyTypeObject *type : {state.objectType, state.functionType, state.tensorType}) {
    if (Py_TYPE(type) != &PyType_Type)
      continue;
    Py_INCREF(metaclass);
    Py_SET_TYPE(reinterpret_cast<PyObject *>(type), reinterpret_cast<PyTypeObject *>(metaclass));
  }
  return Py_BuildValue("(OOO)", state.objectType, state.functionType, state.tensorType);
}

} // namespace

PyMethodDef fairlead::python::languageTypeMethods[] = {
    {"_define_type", method<defineType>(), METH_VARARGS,
     "_define_type(key, parent, /)\n--\n\nA new type under a parent's index: its index."},
    {"_define_metadata", method<defineMetadata>(), METH_VARARGS,
     "_define_metadata(type_index, doc, total_size, structural_kind, /)\n--\n\nOf a type, once."},
    {"_define_field", method<defineField>(), METH_VARARGS,
     "_define_field(type_index, name, doc, metadata, flags, size, alignment, offset, "
     "storage_index, getter, setter, default, /)\n--\n\nAdds a field to a type."},
    {"_define_method", method<defineMethod>(), METH_VARARGS,
     "_define_method(type_index, name, doc, metadata, flags, function, /)\n--\n\nAdds a method."},
    {"_define_attribute", method<defineAttribute>(), METH_VARARGS,
     "_define_attribute(type_index, name, value, /)\n--\n\nSets an attribute of a type, once."},
    {"_type_attribute", method<typeAttribute>(), METH_VARARGS,
     "_type_attribute(type_index, name, /)\n--\n\nAn attribute of a type, or None."},
    {"_make_converter", method<makeConverter>(), METH_VARARGS,
     "_make_converter(accepted, accepts_none, convert, /)\n--\n\nThe two addresses that "
     "ffi.MakeFieldSetter takes."},
    {"_type_details", method<typeDetails>(), METH_VARARGS,
     "_type_details(type_index, /)\n--\n\n(key, ancestors, fields, methods, size, structural "
     "kind)."},
    {"_set_metaclass", method<setMetaclass>(), METH_O,
     "_set_metaclass(metaclass, /)\n--\n\nMakes Object, Function and Tensor classes of it."},
    {}};
