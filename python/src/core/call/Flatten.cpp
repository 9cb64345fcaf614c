#include "call/Invoke.h"

#include "State.h"

using namespace fairlead::python;

namespace {

/// The arguments of one call taken apart.
class Flattening {
public:
  Flattening(FunctionObject *function, const CallDescription &description)
      : function(function), description(description) {}
  ~Flattening() {
    while (numOwned)
      Py_DECREF(owned[--numOwned]);
  }

  /// Appends the arguments of the entry that a value becomes; false with an exception set.
  [[gnu::always_inline]] bool add(const Form &form, PyObject *value, int param) {
    if (form.kind == Form::Kind::Argument) {
      flat.items[count++] = value;
      return true;
    }
    if (form.kind == Form::Kind::None && value == Py_None)
      return true;
    return addOther(form, value, param);
  }

  bool reserve() { return flat.reserve(description.numArguments); }
  PyObject *call() { return invokePositional(function, flat.items, count); }

private:
  /// Drops the reference when the call is done.
  void own(PyObject *object) {
    if (numOwned < kInlineArgs)
      owned[numOwned++] = object;
    else
      moreOwned.push_back(Ref(object));
  }

  bool addOther(const Form &form, PyObject *value, int param) {
    switch (form.kind) {
    case Form::Kind::Argument:
      break;
    case Form::Kind::Omitted:
      return true;
    case Form::Kind::None:
      return fail(PyExc_TypeError, "type", form, param, "expected None", value);
    case Form::Kind::Constant:
      return addConstant(form, value, param);
    case Form::Kind::Tuple:
      return addItems(form, value, param);
    case Form::Kind::Fields:
      return PyTuple_Check(value) ? addItems(form, value, param) : addFields(form, value, param);
    case Form::Kind::Custom:
      return addCustom(form, value, param);
    }
    return false;
  }

  bool addConstant(const Form &form, PyObject *value, int param) {
    if (value == form.value || (value == Py_None && !form.children.empty()))
      return true;
    int same = PyObject_RichCompareBool(value, form.value, Py_EQ);
    if (same > 0)
      return true;
    if (same < 0)
      PyErr_Clear();
    Ref expected(PyObject_Repr(form.value)), got(PyObject_Repr(value));
    if (expected && got)
      PyErr_Format(PyExc_ValueError,
                   "Mismatched %s on argument #%d when calling: `%U`, expected %U, for which it "
                   "was compiled, but got %U",
                   form.place.c_str(), param, describeFunction(function).get(), expected.get(),
                   got.get());
    return false;
  }

  bool addItems(const Form &form, PyObject *value, int param) {
    PyObject *items = value;
    if (!PyTuple_Check(value)) {
      bool sequence = PyList_Check(value) ||
                      (state.shapeClass && PyObject_IsInstance(value, state.shapeClass) == 1);
      PyErr_Clear();
      // A snapshot: converting the items runs code that could change the list.
      items = sequence ? PySequence_Tuple(value) : nullptr;
      if (!items) {
        PyErr_Clear();
        return failCount(form, value, param);
      }
      own(items);
    }
    auto count = PyTuple_GET_SIZE(items), all = static_cast<Py_ssize_t>(form.children.size());
    if (count != all && count != all - form.numOmitted)
      return failCount(form, items, param);
    Py_ssize_t next = 0;
    for (const Form &child : form.children) {
      if (child.kind == Form::Kind::Omitted && count != all)
        continue;
      if (!add(child, PyTuple_GET_ITEM(items, next++), param))
        return false;
    }
    return true;
  }

  bool addFields(const Form &form, PyObject *value, int param) {
    for (size_t i = 0; i < form.children.size(); ++i) {
      const Form &child = form.children[i];
      if (child.kind == Form::Kind::Omitted)
        continue;
      PyObject *field = PyObject_GetAttr(value, PyTuple_GET_ITEM(form.value, i));
      if (!field) {
        PyErr_Clear();
        return fail(PyExc_TypeError, "type", form, param,
                    ("expected an object with the field " + child.place).c_str(), value);
      }
      own(field);
      if (!add(child, field, param))
        return false;
    }
    return true;
  }

  bool addCustom(const Form &form, PyObject *value, int param) {
    PyObject *values = PyObject_CallOneArg(form.value, value);
    if (!values)
      return false;
    own(values);
    auto all = static_cast<Py_ssize_t>(form.children.size());
    if (!PyTuple_Check(values) || PyTuple_GET_SIZE(values) != all)
      return fail(PyExc_TypeError, "type", form, param,
                  "expected an object that follows the protocol of arguments", value);
    for (Py_ssize_t i = 0; i < all; ++i)
      if (!add(form.children[i], PyTuple_GET_ITEM(values, i), param))
        return false;
    return true;
  }

  bool failCount(const Form &form, PyObject *value, int param) {
    std::string expected =
        "expected a tuple of " + std::to_string(form.children.size() - form.numOmitted);
    if (!PyTuple_Check(value))
      return fail(PyExc_TypeError, "type", form, param, expected.c_str(), value);
    PyErr_Format(PyExc_TypeError,
                 "Mismatched length of %s on argument #%d when calling: `%U`, %s, but got %zd",
                 form.place.c_str(), param, describeFunction(function).get(), expected.c_str(),
                 PyTuple_GET_SIZE(value));
    return false;
  }

  bool fail(PyObject *kind, const char *what, const Form &form, int param, const char *expected,
            PyObject *value) {
    PyErr_Format(kind, "Mismatched %s of %s on argument #%d when calling: `%U`, %s, but got %s",
                 what, form.place.c_str(), param, describeFunction(function).get(), expected,
                 value == Py_None ? "None" : Py_TYPE(value)->tp_name);
    return false;
  }

  FunctionObject *function;
  const CallDescription &description;
  Pointers flat;
  int count = 0, numOwned = 0;
  PyObject *owned[kInlineArgs];
  std::vector<Ref> moreOwned;
};

} // namespace

PyObject *fairlead::python::invokeFlattened(FunctionObject *function, const CallDescription &call,
                                            PyObject *const *args) {
  Flattening flattening(function, call);
  if (!flattening.reserve())
    return nullptr;
  for (int i = 0; i < call.count; ++i)
    if (!flattening.add((*call.forms)[i], args[i], i))
      return nullptr;
  return flattening.call();
}
