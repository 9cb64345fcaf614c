// fairlead._core.Guards: guards as a Python object, shared by all results of compiling one program.

#include "Guarded.h"
#include "State.h"
#include "dispatch/Guards.h"

#include <memory>

using namespace fairlead::python;

namespace {

PyTypeObject *guardsType = nullptr;

struct GuardsObject {
  PyObject_HEAD Guards *guards;
};

Guards &guardsIn(PyObject *self) { return *reinterpret_cast<GuardsObject *>(self)->guards; }

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *entries;
  static const char *names[] = {"entries", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Guards", const_cast<char **>(names),
                                   &entries))
    return nullptr;
  auto guards = std::make_unique<Guards>();
  PyObject *self = guards->read(entries) ? type->tp_alloc(type, 0) : nullptr;
  if (self)
    reinterpret_cast<GuardsObject *>(self)->guards = guards.release();
  return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Guards *guards = reinterpret_cast<GuardsObject *>(self)->guards;
  return guards ? guards->visit(visit, arg) : 0;
}

/// Leaves no names, so that nothing can have changed. Objects that still ask are being collected
/// too.
int clear(PyObject *self) {
  if (Guards *guards = reinterpret_cast<GuardsObject *>(self)->guards)
    guards->clear();
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(reinterpret_cast<GuardsObject *>(self)->guards, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *isUnchanged(PyObject *self, PyObject *) {
  return PyBool_FromLong(guardsIn(self).isUnchanged());
}

PyObject *changed(PyObject *self, PyObject *) {
  Ref found(PyList_New(0));
  const Guards &guards = guardsIn(self);
  for (size_t i = 0; found && i < guards.size(); ++i) {
    Ref index(guards.isUnchanged(i) ? nullptr : PyLong_FromSize_t(i));
    if (index && PyList_Append(found.get(), index.get()))
      return nullptr;
  }
  return found.release();
}

PyObject *key(PyObject *self, PyObject *) { return guardsIn(self).key(); }

PyMethodDef methods[] = {
    {"is_unchanged", method<isUnchanged>(), METH_NOARGS,
     "is_unchanged($self)\n--\n\nWhether every name stands for what it stood for."},
    {"changed", method<changed>(), METH_NOARGS,
     "changed($self)\n--\n\nThe indices of those that do not."},
    {"key", method<key>(), METH_NOARGS,
     "key($self)\n--\n\nHashable, and equal where the names stand for like values: numbers, texts "
     "and containers by what they are, other objects by which one it was."},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Guards(entries)\n--\n\nWhat names outside of a program stand for. entries: tuples of a "
         "place and a name: a dict, a cell, a class, a function with `__code__`, `__defaults__` or "
         "`__kwdefaults__`, an object with `__dict__` (it and the class are the same) or a slot.")},
    {Py_tp_new, slot<create>()},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_traverse, slot<traverse>()},
    {Py_tp_clear, slot<clear>()},
    {Py_tp_free, reinterpret_cast<void *>(PyObject_GC_Del)},
    {Py_tp_methods, methods},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Guards", sizeof(GuardsObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

Guards *fairlead::python::guardsOf(PyObject *object) {
  return object && Py_IS_TYPE(object, guardsType) ? reinterpret_cast<GuardsObject *>(object)->guards
                                                  : nullptr;
}

int fairlead::python::addGuardsType(PyObject *module) { return addType(module, guardsType, spec); }
