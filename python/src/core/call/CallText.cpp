#include "call/CallDescription.h"

#include "call/Form.h"

#include "signature/CallDescription.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/string.h"

using namespace fairlead::python;

namespace {

using tvm::ffi::Any;
using tvm::ffi::Array;
using TextDescription = fairlead::CallDescription;
using fairlead::CallForm;
using fairlead::CallParameter;

/// False, and no exception, for text that has no UTF-8.
bool toText(PyObject *text, std::string &out) {
  Py_ssize_t size;
  const char *content = PyUnicode_AsUTF8AndSize(text, &size);
  PyErr_Clear();
  if (content)
    out.assign(content, static_cast<size_t>(size));
  return content;
}

/// False, and no exception, for an object that is no such value.
bool toValue(PyObject *object, Any &value) {
  if (object == Py_None || PyBool_Check(object)) {
    if (object == Py_None)
      value = nullptr;
    else
      value = object == Py_True;
    return true;
  }
  if (PyLong_CheckExact(object)) {
    int overflow;
    value = static_cast<int64_t>(PyLong_AsLongLongAndOverflow(object, &overflow));
    return !overflow;
  }
  if (PyFloat_CheckExact(object)) {
    value = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyUnicode_CheckExact(object)) {
    std::string text;
    bool isValid = toText(object, text);
    value = tvm::ffi::String(text);
    return isValid;
  }
  if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object))
    return false;
  Array<Any> parts;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    Any part;
    if (!toValue(PySequence_Fast_GET_ITEM(object, i), part))
      return false;
    parts.push_back(part);
  }
  value = parts;
  return true;
}

/// Lists become tuples. NULL with an exception set.
PyObject *fromValue(const Any &value) {
  switch (value.type_index()) {
  case kTVMFFINone:
    Py_RETURN_NONE;
  case kTVMFFIBool:
    return PyBool_FromLong(value.cast<bool>());
  case kTVMFFIInt:
    return PyLong_FromLongLong(value.cast<int64_t>());
  case kTVMFFIFloat:
    return PyFloat_FromDouble(value.cast<double>());
  default:
    break;
  }
  if (auto text = value.as<tvm::ffi::String>())
    return PyUnicode_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size()));
  auto list = value.as<Array<Any>>();
  if (!list)
    return PyErr_Format(PyExc_ValueError, "a value of a call is no number, text or list");
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(list->size())));
  for (size_t i = 0; tuple && i < list->size(); ++i) {
    PyObject *part = fromValue((*list)[i]);
    if (!part)
      return nullptr;
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), part);
  }
  return tuple.release();
}

/// False for a form that holds an object that is no such value.
bool toForm(const Form &given, CallForm &form) {
  form.kind = given.kind;
  // For an object that is a part of the program calls from files give what else does: None.
  if (form.kind == CallForm::Kind::Constant && !toValue(given.value, form.value))
    return !given.children.empty() && toForm(given.children.front(), form);
  if (CallForm::namesChildren(form.kind))
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given.value); ++i)
      if (!toText(PyTuple_GET_ITEM(given.value, i), form.fields.emplace_back()))
        return false;
  for (const Form &child : given.children)
    if (!toForm(child, form.children.emplace_back()))
      return false;
  return true;
}

/// Returns a tuple of the results of `make`; empty with an exception set.
template <typename List, typename Make> Ref tupleOf(const List &list, Make make) {
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  Py_ssize_t next = 0;
  for (const auto &each : list) {
    PyObject *part = tuple ? make(each) : nullptr;
    if (!part)
      return {};
    PyTuple_SET_ITEM(tuple.get(), next++, part);
  }
  return tuple;
}

PyObject *fromText(const std::string &text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject *fromForm(const CallForm &form) {
  Ref value(CallForm::namesChildren(form.kind) ? tupleOf(form.fields, fromText).release()
                                               : fromValue(form.value));
  Ref children = tupleOf(form.children, fromForm);
  return value && children ? makeForm(form.kind, value.get(), children.get()) : nullptr;
}

PyObject *initialOf(const CallParameter &parameter) {
  return parameter.initial ? fromValue(*parameter.initial) : Py_NewRef(Py_Ellipsis);
}

/// Returns nullopt if no text can express the description.
std::optional<TextDescription> describe(const CallDescription &call) {
  TextDescription description;
  description.numPositional = static_cast<size_t>(call.numPositional);
  for (int i = 0; i < call.count; ++i) {
    CallParameter &parameter = description.parameters.emplace_back();
    if (!toText(PyTuple_GET_ITEM(call.names, i), parameter.name) ||
        (call.forms && !toForm((*call.forms)[i], parameter.form)))
      return std::nullopt;
    PyObject *initial = PyTuple_GET_ITEM(call.defaults, i);
    Any value;
    if (initial != Py_Ellipsis && toValue(initial, value))
      parameter.initial = value;
  }
  return description;
}

} // namespace

PyObject *fairlead::python::callText(const CallDescription &call) {
  std::optional<TextDescription> description = describe(call);
  std::optional<std::string> text = description ? description->text() : std::nullopt;
  if (!text)
    Py_RETURN_NONE;
  return fromText(*text);
}

PyObject *fairlead::python::parseCallText(PyObject *text) {
  if (!PyUnicode_Check(text))
    return PyErr_Format(PyExc_ValueError, "the description of a call is %s, expected text",
                        Py_TYPE(text)->tp_name);
  std::string content;
  std::optional<TextDescription> description =
      toText(text, content) ? TextDescription::parse(content) : std::nullopt;
  if (!description)
    return PyErr_Format(PyExc_ValueError, "a text that describes no call: %R", text);
  Ref names =
      tupleOf(description->parameters, [](const CallParameter &p) { return fromText(p.name); });
  Ref defaults = tupleOf(description->parameters, initialOf);
  bool plain = true;
  for (const CallParameter &parameter : description->parameters)
    plain &= parameter.form.kind == CallForm::Kind::Argument;
  Ref forms = plain ? Ref::share(Py_None)
                    : tupleOf(description->parameters,
                              [](const CallParameter &p) { return fromForm(p.form); });
  if (!names || !defaults || !forms)
    return nullptr;
  return Py_BuildValue("OOnO", names.get(), defaults.get(),
                       static_cast<Py_ssize_t>(description->numPositional), forms.get());
}
