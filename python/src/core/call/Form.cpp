#include "call/Form.h"

#include "Guarded.h"
#include "State.h"

#include <structmember.h>

#include <cstddef>
#include <string_view>

using namespace fairlead::python;

namespace {

using Kind = Form::Kind;

PyTypeObject *formType = nullptr;
constexpr const auto &kKindNames = fairlead::CallForm::kKindNames;

struct FormObject {
  PyObject_HEAD Kind kind;
  PyObject *value;    ///< None if the kind has none
  PyObject *children; ///< tuple of Form
};

FormObject *cast(PyObject *self) { return reinterpret_cast<FormObject *>(self); }

bool fail(const char *problem) {
  PyErr_Format(PyExc_TypeError, "Form: %s", problem);
  return false;
}

bool findKind(const char *name, Kind &kind) {
  for (size_t i = 0; i < std::size(kKindNames); ++i)
    if (std::string_view(name) == kKindNames[i]) {
      kind = static_cast<Kind>(i);
      return true;
    }
  PyErr_Format(PyExc_ValueError, "Form: there is no kind '%s'", name);
  return false;
}

bool check(Kind kind, PyObject *value, PyObject *children) {
  Py_ssize_t count = PyTuple_GET_SIZE(children);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!isForm(PyTuple_GET_ITEM(children, i)))
      return false;
  if (count && kind < Kind::Tuple && kind != Kind::Constant)
    return fail("only structures have children");
  if (kind == Kind::Custom && !PyCallable_Check(value))
    return fail("the value of a custom one is callable");
  if (!fairlead::CallForm::namesChildren(kind))
    return true;
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != count)
    return fail("fields have a tuple of names, one for each child");
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!PyUnicode_Check(PyTuple_GET_ITEM(value, i)))
      return fail("names of fields are str");
  return true;
}

PyObject *allocate(PyTypeObject *type, Kind kind, PyObject *value, PyObject *children) {
  PyObject *self = check(kind, value, children) ? type->tp_alloc(type, 0) : nullptr;
  if (!self)
    return nullptr;
  cast(self)->kind = kind;
  cast(self)->value = Py_NewRef(value);
  cast(self)->children = Py_NewRef(children);
  return self;
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"kind", "value", "children", nullptr};
  const char *kindName;
  PyObject *value = Py_None, *children = nullptr;
  Kind kind;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|OO!:Form", const_cast<char **>(names),
                                   &kindName, &value, &PyTuple_Type, &children) ||
      !findKind(kindName, kind))
    return nullptr;
  Ref parts(children ? Py_NewRef(children) : PyTuple_New(0));
  return parts ? allocate(type, kind, value, parts.get()) : nullptr;
}

/// Does not change once it is made: a circle that it is part of has something that can be cleared.
int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->value);
  Py_VISIT(cast(self)->children);
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(cast(self)->value);
  Py_CLEAR(cast(self)->children);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *getKind(PyObject *self, void *) {
  return PyUnicode_InternFromString(kKindNames[static_cast<int>(cast(self)->kind)]);
}

PyObject *reduce(PyObject *self, PyObject *) {
  return Py_BuildValue("O(sOO)", Py_TYPE(self), kKindNames[static_cast<int>(cast(self)->kind)],
                       cast(self)->value, cast(self)->children);
}

PyObject *repr(PyObject *self) {
  return PyUnicode_FromFormat("Form('%s', %R, %R)", kKindNames[static_cast<int>(cast(self)->kind)],
                              cast(self)->value, cast(self)->children);
}

PyMethodDef methods[] = {{"__reduce__", method<reduce>(), METH_NOARGS, nullptr}, {}};

PyMemberDef members[] = {
    {"value", T_OBJECT, offsetof(FormObject, value), READONLY,
     "The constant; the names of fields; what gives the values of a custom one; else None."},
    {"children", T_OBJECT, offsetof(FormObject, children), READONLY, "Forms of the parts."},
    {}};

PyGetSetDef properties[] = {
    {"kind", propertyGetter<getKind>(), nullptr, "One of the names above.", nullptr}, {}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Form(kind, value=None, children=())\n--\n\n"
         "What a call does with one value. 'argument': hands it on; 'none': it must be None; "
         "'omitted': it may be left out of a tuple; 'constant': it must equal value; 'tuple': "
         "takes "
         "its items, children; 'fields': takes the attributes named by value, children, or the "
         "items of a tuple; 'custom': takes what value(it) gives, children.")},
    {Py_tp_new, slot<create>()},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_traverse, slot<traverse>()},
    {Py_tp_repr, slot<repr>()},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Form", sizeof(FormObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

std::string placeOf(const Form &form, Py_ssize_t child) {
  if (!fairlead::CallForm::namesChildren(form.kind))
    return form.place + "[" + std::to_string(child) + "]";
  const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(form.value, child));
  PyErr_Clear();
  return form.place + "." + (name ? name : "?");
}

} // namespace

int Form::countArguments() const {
  int count = kind == Kind::Argument;
  for (const Form &child : children)
    count += child.countArguments();
  return count;
}

PyObject *fairlead::python::makeForm(Kind kind, PyObject *value, PyObject *children) {
  return allocate(formType, kind, value, children);
}

bool fairlead::python::isForm(PyObject *object) {
  if (Py_IS_TYPE(object, formType))
    return true;
  PyErr_Format(PyExc_TypeError, "expected a Form, but got %s", Py_TYPE(object)->tp_name);
  return false;
}

Form fairlead::python::readForm(PyObject *object, std::string place) {
  Form form{cast(object)->kind, 0, cast(object)->value, std::move(place), {}};
  PyObject *children = cast(object)->children;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(children); ++i) {
    form.children.push_back(readForm(PyTuple_GET_ITEM(children, i), placeOf(form, i)));
    form.numOmitted += form.children.back().kind == Kind::Omitted;
  }
  return form;
}

int fairlead::python::addFormType(PyObject *module) { return addType(module, formType, spec); }
