#include "call/CallDescription.h"

#include "Guarded.h"
#include "State.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <memory>

using namespace fairlead::python;

namespace {

PyTypeObject *descriptionType = nullptr;
CallDescription *emptyDescription = nullptr; ///< made with the type

CallDescription *cast(PyObject *self) { return reinterpret_cast<CallDescription *>(self); }

/// The elements of an argument called `name`; null with a TypeError if it has none.
PyObject *elementsOf(PyObject *argument, const char *name) {
  if (!argument || argument == Py_None)
    return PyTuple_New(0);
  PyObject *elements = PySequence_Tuple(argument);
  if (!elements && PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_TypeError, "%s: expected a sequence or None, but got %s", name,
                 Py_TYPE(argument)->tp_name);
  return elements;
}

/// A tuple of the names. Keywords of a call are interned, so that most are found by their address.
Ref internedNames(PyObject *names) {
  Ref given(elementsOf(names, "arg_names"));
  Ref interned(given ? PyTuple_New(PyTuple_GET_SIZE(given.get())) : nullptr);
  for (Py_ssize_t i = 0; interned && i < PyTuple_GET_SIZE(given.get()); ++i) {
    PyObject *each = PyTuple_GET_ITEM(given.get(), i);
    if (!PyUnicode_CheckExact(each)) {
      PyErr_Format(PyExc_TypeError, "arg_names[%zd]: expected str, but got %s", i,
                   Py_TYPE(each)->tp_name);
      return {};
    }
    Py_INCREF(each);
    PyUnicode_InternInPlace(&each);
    PyTuple_SET_ITEM(interned.get(), i, each);
  }
  return interned;
}

/// One default for each name: Ellipsis for the first ones.
Ref allDefaults(PyObject *last, Py_ssize_t count) {
  Ref given(elementsOf(last, "defaults"));
  if (!given)
    return {};
  Py_ssize_t first = count - PyTuple_GET_SIZE(given.get());
  if (first < 0) {
    PyErr_Format(PyExc_ValueError, "%zd defaults for %zd arguments", PyTuple_GET_SIZE(given.get()),
                 count);
    return {};
  }
  Ref all(PyTuple_New(count));
  for (Py_ssize_t i = 0; all && i < count; ++i)
    PyTuple_SET_ITEM(all.get(), i,
                     Py_NewRef(i < first ? Py_Ellipsis : PyTuple_GET_ITEM(given.get(), i - first)));
  return all;
}

/// Reads a Form for each name; false with an exception set.
bool readForms(PyObject *names, PyObject *formObjects, std::vector<Form> &forms) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *each = PyTuple_GET_ITEM(formObjects, i);
    const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    if (!name || !isForm(each))
      return false;
    forms.push_back(readForm(each, name));
  }
  return true;
}

/// Takes over nothing. NULL with an exception set.
CallDescription *make(const Ref &names, const Ref &defaults, int numPositional, PyObject *forms) {
  if (!names || !defaults)
    return nullptr;
  auto read = forms ? std::make_unique<std::vector<Form>>() : nullptr;
  if (read && !readForms(names.get(), forms, *read))
    return nullptr;
  Ref self(descriptionType->tp_alloc(descriptionType, 0));
  if (!self)
    return nullptr;
  CallDescription *call = cast(self.get());
  call->forms = read.release();
  call->names = Py_NewRef(names.get());
  call->defaults = Py_NewRef(defaults.get());
  call->formObjects = Py_XNewRef(forms);
  call->count = static_cast<int>(PyTuple_GET_SIZE(names.get()));
  call->numPositional = numPositional;
  call->numRequired = call->count;
  while (call->numRequired &&
         PyTuple_GET_ITEM(call->defaults, call->numRequired - 1) != Py_Ellipsis)
    --call->numRequired;
  call->isPlain = !forms && numPositional == call->count;
  for (int i = 0; i < call->numRequired; ++i)
    call->isPlain &= PyTuple_GET_ITEM(call->defaults, i) == Py_Ellipsis;
  for (Arrangement &each : call->arrangements)
    each.numArgs = -1;
  call->numArguments = forms ? 0 : call->count;
  for (int i = 0; forms && i < call->count; ++i)
    call->numArguments += (*call->forms)[i].countArguments();
  return cast(self.release());
}

PyObject *create(PyTypeObject *, PyObject *args, PyObject *keywords) {
  static const char *keys[] = {"names", "defaults", "num_positional", "forms", nullptr};
  PyObject *names, *defaults, *forms = Py_None;
  int numPositional;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!i|O:CallDescription",
                                   const_cast<char **>(keys), &names, &PyTuple_Type, &defaults,
                                   &numPositional, &forms))
    return nullptr;
  Ref interned = internedNames(names);
  if (!interned)
    return nullptr;
  Py_ssize_t count = PyTuple_GET_SIZE(interned.get());
  bool hasForms = forms != Py_None;
  if (PyTuple_GET_SIZE(defaults) != count || numPositional < 0 || numPositional > count ||
      (hasForms && (!PyTuple_Check(forms) || PyTuple_GET_SIZE(forms) != count))) {
    PyErr_SetString(PyExc_ValueError,
                    "CallDescription: a default and a form for each name, of which some are "
                    "positional");
    return nullptr;
  }
  return reinterpret_cast<PyObject *>(
      make(interned, Ref::share(defaults), numPositional, hasForms ? forms : nullptr));
}

/// Never cleared, as it does not change: a circle that it is part of has something else that is.
int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->defaults);
  Py_VISIT(cast(self)->formObjects);
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  CallDescription *call = cast(self);
  delete call->forms;
  for (Arrangement &each : call->arrangements)
    Py_CLEAR(each.keywords);
  Py_CLEAR(call->formObjects);
  Py_CLEAR(call->defaults);
  Py_CLEAR(call->names);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *reduce(PyObject *self, PyObject *) {
  CallDescription *call = cast(self);
  return Py_BuildValue("O(OOiO)", Py_TYPE(self), call->names, call->defaults, call->numPositional,
                       call->formObjects ? call->formObjects : Py_None);
}

PyObject *getForms(PyObject *self, void *) {
  PyObject *forms = cast(self)->formObjects;
  return Py_NewRef(forms ? forms : Py_None);
}

PyObject *getLastDefaults(PyObject *self, void *) { return lastDefaults(*cast(self)); }

PyObject *getText(PyObject *self, void *) { return callText(*cast(self)); }

PyObject *fromText(PyObject *type, PyObject *text) {
  Ref arguments(parseCallText(text));
  return arguments ? PyObject_CallObject(type, arguments.get()) : nullptr;
}

PyMethodDef methods[] = {{"__reduce__", method<reduce>(), METH_NOARGS, nullptr},
                         {"from_text", method<fromText>(), METH_O | METH_CLASS,
                          "from_text($type, text)\n--\n\nThe description that `text` told. "
                          "ValueError for other text."},
                         {}};

PyMemberDef members[] = {
    {"names", T_OBJECT, offsetof(CallDescription, names), READONLY, "Those of the parameters."},
    {"defaults", T_OBJECT, offsetof(CallDescription, defaults), READONLY,
     "One for each parameter; Ellipsis for none."},
    {"is_plain", T_BOOL, offsetof(CallDescription, isPlain), READONLY,
     "Whether the arguments are those of the entry, by position or name, with defaults of the last "
     "ones only."},
    {"num_positional", T_INT, offsetof(CallDescription, numPositional), READONLY,
     "Parameters that may be passed by position, the first ones."},
    {}};

PyGetSetDef properties[] = {
    {"forms", propertyGetter<getForms>(), nullptr,
     "A Form for each parameter; None where all are arguments of the entry, one by one.", nullptr},
    {"text", propertyGetter<getText>(), nullptr,
     "What exported files hold of a call. A default that text cannot tell is left out; None where "
     "a "
     "form holds what it cannot.",
     nullptr},
    {"last_defaults", propertyGetter<getLastDefaults>(), nullptr,
     "The defaults of the last parameters, as far as all of them have one.", nullptr},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>("CallDescription(names, defaults, num_positional, forms=None)\n--\n\n"
                        "The parameters of a function as Python sees them. defaults: one for each, "
                        "Ellipsis for none; forms: what becomes of each, a Form.")},
    {Py_tp_new, slot<create>()},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_traverse, slot<traverse>()},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.CallDescription", sizeof(CallDescription), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

int CallDescription::indexOf(PyObject *name) const {
  for (int i = 0; i < count; ++i)
    if (PyTuple_GET_ITEM(names, i) == name)
      return i;
  for (int i = 0; i < count; ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name) == 0)
      return i;
  return -1;
}

PyObject *const *CallDescription::bind(PyObject *const *args, Py_ssize_t numArgs,
                                       PyObject *keywords, PyObject **full, BindProblem &problem) {
  Py_ssize_t numKeywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  if (numArgs > numPositional) {
    problem = {BindProblem::Kind::TooMany, numPositional < count ? numArgs : numArgs + numKeywords,
               nullptr};
    return nullptr;
  }
  std::copy(args, args + numArgs, full);
  std::fill(full + numArgs, full + count, nullptr);
  for (Py_ssize_t i = 0; i < numKeywords; ++i) {
    PyObject *name = PyTuple_GET_ITEM(keywords, i);
    int place = indexOf(name);
    if (place < 0 || full[place]) {
      problem = {place < 0 ? BindProblem::Kind::Unexpected : BindProblem::Kind::Twice, 0, name};
      return nullptr;
    }
    full[place] = args[numArgs + i];
  }
  for (int i = 0; i < count; ++i)
    if (!full[i] && (full[i] = PyTuple_GET_ITEM(defaults, i)) == Py_Ellipsis) {
      problem = {BindProblem::Kind::Missing, i, nullptr};
      return nullptr;
    }
  remember(numArgs, keywords);
  return full;
}

void CallDescription::remember(Py_ssize_t numArgs, PyObject *keywords) {
#ifndef Py_GIL_DISABLED
  if (count > kInlineArgs)
    return;
  Py_ssize_t numKeywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  Arrangement arrangement = {Py_XNewRef(keywords), numArgs, numArgs + numKeywords == count, {}};
  for (int i = 0; i < count; ++i)
    arrangement.from[i] = static_cast<int8_t>(i < numArgs ? i : -1);
  for (Py_ssize_t i = 0; i < numKeywords; ++i) {
    int place = indexOf(PyTuple_GET_ITEM(keywords, i));
    arrangement.from[place] = static_cast<int8_t>(numArgs + i);
    arrangement.inOrder &= place == numArgs + i;
  }
  Arrangement old = std::exchange(arrangements[oldestArrangement], arrangement);
  oldestArrangement = (oldestArrangement + 1) % kArrangements;
  Py_XDECREF(old.keywords);
#else
  (void)numArgs, (void)keywords;
#endif
}

CallDescription *fairlead::python::describeArguments(PyObject *names, PyObject *last) {
  Ref interned = internedNames(names);
  if (!interned)
    return nullptr;
  Py_ssize_t count = PyTuple_GET_SIZE(interned.get());
  if (!count && !last)
    return reinterpret_cast<CallDescription *>(
        Py_XNewRef(reinterpret_cast<PyObject *>(noDescription())));
  return make(interned, allDefaults(last, count), static_cast<int>(count), nullptr);
}

CallDescription *fairlead::python::noDescription() { return emptyDescription; }

CallDescription *fairlead::python::asCallDescription(PyObject *object) {
  return object && Py_IS_TYPE(object, descriptionType) ? cast(object) : nullptr;
}

PyObject *fairlead::python::lastDefaults(const CallDescription &call) {
  return PyTuple_GetSlice(call.defaults, call.numRequired, call.count);
}

int fairlead::python::addCallDescriptionType(PyObject *module) {
  if (addType(module, descriptionType, spec))
    return -1;
  if (!emptyDescription) {
    Ref empty(PyTuple_New(0));
    emptyDescription = make(empty, empty, 0, nullptr);
  }
  return emptyDescription ? 0 : -1;
}
