#include "object/Reflection.h"

#include "Guarded.h"
#include "call/Call.h"
#include "object/Errors.h"
#include "object/ToPython.h"
#include "tvm/ffi/inner/published.h"

#include <new>
#include <vector>

using namespace fairlead::python;
using tvm::ffi::inner::publishedCount;

namespace {

/// By type index; holds references that live as long as the process. Used with the GIL.
std::vector<PyTypeObject *> &classes() {
  static auto *all = new std::vector<PyTypeObject *>;
  return *all;
}

bool setClass(int32_t index, PyObject *type) {
  try {
    auto place = static_cast<size_t>(index);
    if (classes().size() <= place)
      classes().resize(place + 1);
    PyTypeObject *old = classes()[place];
    classes()[place] = reinterpret_cast<PyTypeObject *>(Py_NewRef(type));
    Py_XDECREF(old);
    return true;
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
    return false;
  }
}

bool checkClass(PyObject *type) {
  if (PyType_Check(type) &&
      PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type), state.objectType))
    return true;
  PyErr_Format(PyExc_TypeError, "expected a subclass of Object, but got %R", type);
  return false;
}

const TVMFFITypeInfo *infoOf(int32_t index) {
  const TVMFFITypeInfo *info = index >= 0 ? TVMFFIGetTypeInfo(index) : nullptr;
  if (!info)
    PyErr_Format(PyExc_ValueError, "there is no type of index %d", index);
  return info;
}

PyObject *text(const TVMFFIByteArray &bytes) {
  return PyUnicode_DecodeUTF8(bytes.data, static_cast<Py_ssize_t>(bytes.size), "replace");
}

PyObject *registerClass(PyObject *, PyObject *args) {
  int index;
  PyObject *type;
  if (!PyArg_ParseTuple(args, "iO:_register_class", &index, &type) || !infoOf(index) ||
      !checkClass(type) || !setClass(index, type))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *setMakeClass(PyObject *, PyObject *function) {
  Py_XSETREF(state.makeClass, Py_NewRef(function));
  Py_RETURN_NONE;
}

PyObject *typeClass(PyObject *, PyObject *args) {
  int index;
  if (!PyArg_ParseTuple(args, "i:_type_class", &index) || !infoOf(index))
    return nullptr;
  return Py_XNewRef(reinterpret_cast<PyObject *>(classOfType(index)));
}

PyObject *typeIndex(PyObject *, PyObject *key) {
  Py_ssize_t size = 0;
  TVMFFIByteArray name;
  name.data = PyUnicode_AsUTF8AndSize(key, &size);
  name.size = static_cast<size_t>(size);
  int32_t index;
  if (!name.data)
    return nullptr;
  if (TVMFFITypeKeyToIndex(&name, &index)) {
    // The library's words differ by version.
    TVMFFIObjectHandle error = nullptr;
    TVMFFIErrorMoveFromRaised(&error);
    if (error)
      TVMFFIObjectDecRef(error);
    return PyErr_Format(PyExc_ValueError, "Cannot find object type index for %U", key);
  }
  return PyLong_FromLong(index);
}

/// (key, index of the parent or -1, [(name, doc, flags)], [(name, doc, flags, function)]).
PyObject *typeInfo(PyObject *, PyObject *args) {
  int index;
  const TVMFFITypeInfo *info;
  if (!PyArg_ParseTuple(args, "i:_type_info", &index) || !(info = infoOf(index)))
    return nullptr;
  Ref fields(PyList_New(0)), methods(PyList_New(0));
  for (int32_t i = 0; fields && i < publishedCount(info->num_fields); ++i) {
    const TVMFFIFieldInfo &field = info->fields[i];
    Ref row(Py_BuildValue("(NNL)", text(field.name), text(field.doc),
                          static_cast<long long>(field.flags)));
    if (!row || PyList_Append(fields.get(), row.get()))
      return nullptr;
  }
  for (int32_t i = 0; methods && i < publishedCount(info->num_methods); ++i) {
    const TVMFFIMethodInfo &method = info->methods[i];
    Ref row(Py_BuildValue("(NNLN)", text(method.name), text(method.doc),
                          static_cast<long long>(method.flags), viewToPython(method.method)));
    if (!row || PyList_Append(methods.get(), row.get()))
      return nullptr;
  }
  if (!fields || !methods)
    return nullptr;
  int parent = info->type_depth > 0 ? info->type_ancestors[info->type_depth - 1]->type_index : -1;
  return Py_BuildValue("(NiNN)", text(info->type_key), parent, fields.release(), methods.release());
}

/// Returns the field's description if `self` is an object of its type; NULL with an exception set.
const TVMFFIFieldInfo *fieldOf(PyObject *self, int index, int number) {
  const TVMFFITypeInfo *info = infoOf(index);
  if (!info)
    return nullptr;
  auto *object = reinterpret_cast<ObjectObject *>(self);
  if (!PyObject_TypeCheck(self, state.objectType) || !object->handle) {
    PyErr_Format(PyExc_TypeError, "expected an object of the ABI, but got an empty or foreign %s",
                 Py_TYPE(self)->tp_name);
    return nullptr;
  }
  const TVMFFITypeInfo *actual = TVMFFIGetTypeInfo(TVMFFIObjectGetTypeIndex(object->handle));
  bool is = actual == info || (actual->type_depth > info->type_depth &&
                               actual->type_ancestors[info->type_depth] == info);
  if (!is || number < 0 || number >= publishedCount(info->num_fields)) {
    PyErr_Format(PyExc_TypeError, "an object of %s has no such field", actual->type_key.data);
    return nullptr;
  }
  return &info->fields[number];
}

void *addressOf(PyObject *self, const TVMFFIFieldInfo &field) {
  return static_cast<char *>(reinterpret_cast<ObjectObject *>(self)->handle) + field.offset;
}

/// A field of a type as a Python int, which the functions below are bound to.
PyObject *fieldNumber(int index, int number) {
  return PyLong_FromLongLong((static_cast<long long>(index) << 32) | number);
}

/// fieldOf for such an int.
const TVMFFIFieldInfo *numberedField(PyObject *number, PyObject *self) {
  long long both = PyLong_AsLongLong(number);
  if (both == -1 && PyErr_Occurred())
    return nullptr;
  return fieldOf(self, static_cast<int>(both >> 32), static_cast<int>(both & 0xFFFFFFFF));
}

PyObject *readField(PyObject *number, PyObject *self) {
  const TVMFFIFieldInfo *field = numberedField(number, self);
  if (!field)
    return nullptr;
  TVMFFIAny value = {};
  if (field->getter(addressOf(self, *field), &value))
    return raiseFromAbi();
  return toPython(value, reinterpret_cast<ObjectObject *>(self)->api);
}

PyObject *writeField(PyObject *number, PyObject *const *args, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "expected an object and a value, but got %zd arguments",
                        count);
  PyObject *self = args[0];
  const TVMFFIFieldInfo *field = numberedField(number, self);
  if (!field)
    return nullptr;
  if (!field->setter) {
    Ref name(text(field->name));
    return name ? PyErr_Format(PyExc_AttributeError, "the field %U is read-only", name.get())
                : nullptr;
  }
  TVMFFIAny owned = {};
  if (!convertOwned(args[1], &owned))
    return nullptr;
  int code;
  if (field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) {
    TVMFFIAny arguments[2] = {}, result = {};
    arguments[0].type_index = kTVMFFIOpaquePtr;
    arguments[0].v_ptr = addressOf(self, *field);
    arguments[1] = owned;
    code = TVMFFIFunctionCall(field->setter, arguments, 2, &result);
    if (!code && result.type_index >= kTVMFFIStaticObjectBegin)
      TVMFFIObjectDecRef(result.v_obj);
  } else {
    code = reinterpret_cast<TVMFFIFieldSetter>(field->setter)(addressOf(self, *field), &owned);
  }
  if (owned.type_index >= kTVMFFIStaticObjectBegin)
    TVMFFIObjectDecRef(owned.v_obj);
  if (code)
    return raiseFromAbi();
  Py_RETURN_NONE;
}

PyMethodDef readDef = {"read", method<readField>(), METH_O, nullptr};
PyMethodDef writeDef = {"write", method<writeField>(), METH_FASTCALL, nullptr};

PyObject *fieldAccess(PyObject *, PyObject *args) {
  int index, number;
  const TVMFFITypeInfo *info;
  if (!PyArg_ParseTuple(args, "ii:_field_access", &index, &number) || !(info = infoOf(index)))
    return nullptr;
  if (number < 0 || number >= publishedCount(info->num_fields))
    return PyErr_Format(PyExc_ValueError, "the type has no field %d", number);
  Ref self(fieldNumber(index, number));
  return self ? Py_BuildValue("(NN)", PyCFunction_New(&readDef, self.get()),
                              PyCFunction_New(&writeDef, self.get()))
              : nullptr;
}

/// The elements of an Array or List; NULL with an exception set.
TVMFFISeqCell *sequenceOf(PyObject *self) {
  auto *object = reinterpret_cast<ObjectObject *>(self);
  if (PyObject_TypeCheck(self, state.objectType) && object->handle) {
    int32_t index = TVMFFIObjectGetTypeIndex(object->handle);
    if (index == kTVMFFIArray || index == kTVMFFIList)
      return reinterpret_cast<TVMFFISeqCell *>(static_cast<char *>(object->handle) +
                                               sizeof(TVMFFIObject));
  }
  PyErr_Format(PyExc_TypeError, "expected an ffi.Array or ffi.List, but got an empty or other %s",
               Py_TYPE(self)->tp_name);
  return nullptr;
}

PyObject *sequenceSize(PyObject *, PyObject *self) {
  TVMFFISeqCell *cell = sequenceOf(self);
  return cell ? PyLong_FromLongLong(cell->size) : nullptr;
}

PyObject *sequenceItem(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 2)
    return PyErr_Format(PyExc_TypeError, "expected 2 arguments, but got %zd", count);
  TVMFFISeqCell *cell = sequenceOf(args[0]);
  if (!cell)
    return nullptr;
  Py_ssize_t index = PyNumber_AsSsize_t(args[1], PyExc_IndexError);
  if (index == -1 && PyErr_Occurred())
    return nullptr;
  Py_ssize_t place = index < 0 ? index + cell->size : index;
  if (place < 0 || place >= cell->size)
    return PyErr_Format(PyExc_IndexError, "Index out of range. size: %lld, got index %zd",
                        static_cast<long long>(cell->size), index);
  TVMFFIAny value = static_cast<TVMFFIAny *>(cell->data)[place];
  if (value.type_index >= kTVMFFIStaticObjectBegin)
    TVMFFIObjectIncRef(value.v_obj);
  return toPython(value, reinterpret_cast<ObjectObject *>(args[0])->api);
}

PyObject *convertValue(PyObject *, PyObject *value) {
  TVMFFIAny owned = {};
  return convertOwned(value, &owned) ? toPython(owned, nullptr) : nullptr;
}

PyObject *adopt(PyObject *, PyObject *args) {
  PyObject *value, *source;
  if (!PyArg_ParseTuple(args, "OO!:_adopt", &value, state.objectType, &source))
    return nullptr;
  return toFramework(value, reinterpret_cast<ObjectObject *>(source)->api);
}

//===--------------------------------------------------------------------------------------------===//

struct RValueObject {
  PyObject_HEAD PyObject *object;
};

void deallocRValue(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<RValueObject *>(self)->object);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot rvalueSlots[] = {
    {Py_tp_doc, const_cast<char *>("An argument whose reference the callee may take over.")},
    {Py_tp_dealloc, slot<deallocRValue>()},
    {0, nullptr}};

PyType_Spec rvalueSpec = {"fairlead._core.ObjectRValueRef", sizeof(RValueObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, rvalueSlots};

} // namespace

PyTypeObject *fairlead::python::classOfType(int32_t index) {
  auto place = static_cast<size_t>(index);
  if (place < classes().size() && classes()[place])
    return classes()[place];
  if (!state.makeClass)
    return state.objectType;
  Ref made(PyObject_CallFunction(state.makeClass, "i", index));
  if (!made || !checkClass(made.get()))
    return nullptr;
  // Making it may have registered one.
  if (place < classes().size() && classes()[place])
    return classes()[place];
  return setClass(index, made.get()) ? classes()[place] : nullptr;
}

PyObject *fairlead::python::makeRValue(PyObject *object, PyObject *) {
  if (PyObject_TypeCheck(object, state.functionType) ||
      PyObject_TypeCheck(object, state.tensorType))
    return PyErr_Format(PyExc_TypeError, "a %s cannot be moved", Py_TYPE(object)->tp_name);
  auto *self = reinterpret_cast<RValueObject *>(state.rvalueType->tp_alloc(state.rvalueType, 0));
  if (self)
    self->object = Py_NewRef(object);
  return reinterpret_cast<PyObject *>(self);
}

ObjectObject *fairlead::python::movedObject(PyObject *rvalue) {
  return reinterpret_cast<ObjectObject *>(reinterpret_cast<RValueObject *>(rvalue)->object);
}

int fairlead::python::addRValueType(PyObject *module) {
  return addType(module, state.rvalueType, rvalueSpec);
}

PyMethodDef fairlead::python::reflectionMethods[] = {
    {"_register_class", method<registerClass>(), METH_VARARGS,
     "_register_class(type_index, cls, /)\n--\n\nObjects of the type are of this class."},
    {"_set_make_class", method<setMakeClass>(), METH_O,
     "_set_make_class(function, /)\n--\n\nWhat makes the class of a type that has none."},
    {"_type_class", method<typeClass>(), METH_VARARGS,
     "_type_class(type_index, /)\n--\n\nThe class of a type's objects."},
    {"_type_index", method<typeIndex>(), METH_O,
     "_type_index(key, /)\n--\n\nThe index of a type; ValueError where there is none."},
    {"_type_info", method<typeInfo>(), METH_VARARGS,
     "_type_info(type_index, /)\n--\n\n(key, parent's index or -1, fields, methods)."},
    {"_field_access", method<fieldAccess>(), METH_VARARGS,
     "_field_access(type_index, number, /)\n--\n\nWhat reads a field of an object, and what writes "
     "it even where it is read-only."},
    {"_sequence_size", method<sequenceSize>(), METH_O,
     "_sequence_size(sequence, /)\n--\n\nIts length."},
    {"_sequence_item", method<sequenceItem>(), METH_FASTCALL,
     "_sequence_item(sequence, index, /)\n--\n\nOne element of an Array or List."},
    {"_convert", method<convertValue>(), METH_O,
     "_convert(value, /)\n--\n\nThe value as it comes back from the ABI."},
    {"_adopt", method<adopt>(), METH_VARARGS,
     "_adopt(value, source, /)\n--\n\nThe value as the framework of the container wants it."},
    {}};
