#include "dispatch/Kinds.h"

#include "call/Convert.h"

#include <algorithm>

using namespace fairlead::python;

namespace {

/// The ints of a tuple; false with an exception set.
bool readInts(PyObject *tuple, std::vector<int64_t> &out) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    out.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
  return !PyErr_Occurred();
}

/// The key of a static value; NULL with an exception set. See staticKeyOf.
Ref staticKey(PyObject *value, PyObject *identified);

/// A tuple of the keys of items, which `next` gives one after another.
template <typename Next> Ref keysOf(PyObject *identified, Next next) {
  Ref keys(PyList_New(0));
  while (keys) {
    Ref item = next();
    if (!item)
      break;
    Ref key = staticKey(item.get(), identified);
    if (!key || PyList_Append(keys.get(), key.get()))
      return {};
  }
  return PyErr_Occurred() || !keys ? Ref() : Ref(PyList_AsTuple(keys.get()));
}

Ref staticKey(PyObject *value, PyObject *identified) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
  const bool isDict = PyDict_Check(value), isSet = PyAnySet_Check(value);
  if (isDict || isSet || PyTuple_Check(value) || PyList_Check(value)) {
    if (Py_EnterRecursiveCall(" in a static value"))
      return {};
    // Items of a dict are tuples of key and value.
    Ref items(isDict ? PyDict_Items(value) : Py_NewRef(value));
    Ref iterator(items ? PyObject_GetIter(items.get()) : nullptr);
    Ref keys;
    if (iterator)
      keys = keysOf(identified, [&] { return Ref(PyIter_Next(iterator.get())); });
    if (keys && isSet)
      keys = Ref(PyFrozenSet_New(keys.get()));
    Py_LeaveRecursiveCall();
    return keys ? Ref(PyTuple_Pack(2, type, keys.get())) : Ref();
  }
  if (PyFloat_Check(value)) {
    double number = PyFloat_AS_DOUBLE(value);
    return Ref(Py_BuildValue("(Oy#)", type, &number, Py_ssize_t(sizeof number)));
  }
  if (PyObject_Hash(value) != -1)
    return Ref(PyTuple_Pack(2, type, value));
  PyErr_Clear();
  if (PyList_Append(identified, value))
    return {};
  return Ref(Py_BuildValue("(ON)", type, PyLong_FromVoidPtr(value)));
}

/// The number that an object gives for its kind; false where it gives none.
bool readNumber(PyObject *object, Kind &kind) {
  static PyObject *name = PyUnicode_InternFromString("__fairlead_kind__");
  Ref number(name ? PyObject_GetAttr(object, name) : nullptr);
  long long read = number && PyLong_Check(number.get()) ? PyLong_AsLongLong(number.get()) : -1;
  PyErr_Clear();
  kind = {kNumberedTag, static_cast<uint64_t>(read)};
  return read >= 0;
}

} // namespace

bool fairlead::python::describeValue(ArgKind how, PyObject *object, const TVMFFIAny &value,
                                     Kind &kind) {
  switch (how) {
  case ArgKind::Int:
    kind.first = kIntTag;
    return value.type_index == kTVMFFIInt;
  case ArgKind::Float:
    kind.first = kFloatTag;
    return true;
  case ArgKind::Bool:
    kind.first = kBoolTag;
    return true;
  case ArgKind::CudaStream:
  case ArgKind::IntStream:
  case ArgKind::TorchStream:
    kind.first = kStreamTag;
    return true;
  case ArgKind::OpaqueSource:
  case ArgKind::RuntimeTensor:
  case ArgKind::ValueSource:
    return readNumber(object, kind);
  default:
    if (value.type_index == kTVMFFIDLTensorPtr)
      return describeTensor(*static_cast<DLTensor *>(value.v_ptr), kind);
    if (value.type_index == kTVMFFITensor)
      return describeTensor(*TVMFFITensorGetDLTensorPtr(value.v_obj), kind);
    return false;
  }
}

PyObject *fairlead::python::keptStridesOf(PyObject *, PyObject *args) {
  PyObject *shapeTuple, *strideTuple;
  std::vector<int64_t> shape, strides;
  if (!PyArg_ParseTuple(args, "O!O!:kept_strides", &PyTuple_Type, &shapeTuple, &PyTuple_Type,
                        &strideTuple) ||
      !readInts(shapeTuple, shape) || !readInts(strideTuple, strides))
    return nullptr;
  if (shape.size() != strides.size()) {
    PyErr_SetString(PyExc_ValueError, "kept_strides: shape and strides of different ranks");
    return nullptr;
  }
  std::vector<bool> kept(shape.size());
  int leading = keptStrides(static_cast<int>(shape.size()), shape.data(), strides.data(),
                            [&](int mode) { kept[mode] = true; });
  if (leading >= 0)
    kept[leading] = true;
  Ref made(PyTuple_New(static_cast<Py_ssize_t>(kept.size())));
  for (size_t i = 0; made && i < kept.size(); ++i)
    PyTuple_SET_ITEM(made.get(), i,
                     Py_NewRef(kept[i] ? PyTuple_GET_ITEM(strideTuple, i) : Py_None));
  return made.release();
}

bool fairlead::python::sameStatic(PyObject *known, PyObject *value) {
  if (known == value)
    return true;
  if (Py_TYPE(known) != Py_TYPE(value))
    return false;
  if (PyFloat_CheckExact(known)) {
    double left = PyFloat_AS_DOUBLE(known), right = PyFloat_AS_DOUBLE(value);
    return std::memcmp(&left, &right, sizeof left) == 0;
  }
  if (PyTuple_Check(known)) {
    Py_ssize_t count = PyTuple_GET_SIZE(known);
    if (count != PyTuple_GET_SIZE(value))
      return false;
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!sameStatic(PyTuple_GET_ITEM(known, i), PyTuple_GET_ITEM(value, i)))
        return false;
    return true;
  }
  int same = PyObject_RichCompareBool(known, value, Py_EQ);
  if (same < 0)
    PyErr_Clear();
  return same > 0;
}

bool fairlead::python::cannotChange(PyObject *value) {
  if (PyTuple_Check(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i)
      if (!cannotChange(PyTuple_GET_ITEM(value, i)))
        return false;
    return true;
  }
  if (PyAnySet_Check(value)) // {1} equals {True}
    return false;
  bool isHashable = PyObject_Hash(value) != -1;
  PyErr_Clear();
  return isHashable;
}

PyObject *fairlead::python::staticKeyOf(PyObject *, PyObject *args) {
  PyObject *value, *identified;
  if (!PyArg_ParseTuple(args, "OO!:static_key", &value, &PyList_Type, &identified))
    return nullptr;
  return staticKey(value, identified).release();
}

bool Parts::operator==(const std::vector<Kind> &known) const {
  return known.size() == static_cast<size_t>(count) && std::equal(begin(), end(), known.begin());
}

std::vector<Ref> Parts::types() const {
  std::vector<Ref> types;
  for (const Kind &kind : *this)
    if (kind.first == kPartsTag)
      types.push_back(Ref::share(reinterpret_cast<PyObject *>(kind.second)));
  return types;
}

bool Parts::push(Kind kind) {
  if (count == kMost)
    return false;
  kinds[count++] = kind;
  return true;
}

bool Parts::add(const Form &form, PyObject *value) {
  switch (form.kind) {
  case Form::Kind::Argument:
    return addArgument(value);
  case Form::Kind::None:
    return value == Py_None && push({kNoneTag, 0});
  case Form::Kind::Constant:
    return sameStatic(form.value, value);
  case Form::Kind::Tuple:
  case Form::Kind::Fields:
    if (!push({kPartsTag, reinterpret_cast<uintptr_t>(Py_TYPE(value))}))
      return false;
    if (PyTuple_Check(value))
      return addItems(form, value);
    if (PyList_CheckExact(value)) {
      Ref items(PyList_AsTuple(value));
      PyErr_Clear();
      return items && addItems(form, items.get());
    }
    return form.kind == Form::Kind::Fields && addFields(form, value);
  case Form::Kind::Omitted:
  case Form::Kind::Custom:
    break;
  }
  return false;
}

bool Parts::addArgument(PyObject *value) {
  const TypeEntry *entry = findType(Py_TYPE(value));
  TVMFFIAny converted;
  DLTensor tensor;
  Kind kind = {0, 0};
  bool isDescribed = entry && hasOneKind(entry->kind) &&
                     convertInline(call, *entry, value, 0, &converted, &tensor) &&
                     describeValue(entry->kind, value, converted, kind);
  PyErr_Clear();
  return isDescribed && push(kind);
}

bool Parts::addItems(const Form &form, PyObject *items) {
  if (static_cast<size_t>(PyTuple_GET_SIZE(items)) != form.children.size())
    return false;
  for (size_t i = 0; i < form.children.size(); ++i)
    if (!add(form.children[i], PyTuple_GET_ITEM(items, i)))
      return false;
  return true;
}

bool Parts::addFields(const Form &form, PyObject *value) {
  for (size_t i = 0; i < form.children.size(); ++i) {
    Ref field(PyObject_GetAttr(value, PyTuple_GET_ITEM(form.value, i)));
    PyErr_Clear();
    if (!field || !add(form.children[i], field.get()))
      return false;
  }
  return true;
}
