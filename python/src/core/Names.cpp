// fairlead._core.Names: the names outside of a traced program, shared by what was compiled of it.

#include "Outside.h"
#include "State.h"

using namespace fairlead::python;

namespace {

PyTypeObject *namesType = nullptr;

struct NamesObject {
  PyObject_HEAD Outside *names;
};

Outside &namesIn(PyObject *self) { return *reinterpret_cast<NamesObject *>(self)->names; }

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *entries;
  static const char *names[] = {"entries", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Names", const_cast<char **>(names), &entries))
    return nullptr;
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  auto *made = new Outside();
  if (!made->read(entries)) {
    delete made;
    Py_DECREF(self);
    return nullptr;
  }
  reinterpret_cast<NamesObject *>(self)->names = made;
  return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Outside *names = reinterpret_cast<NamesObject *>(self)->names;
  return names ? names->visit(visit, arg) : 0;
}

/// Afterwards there is no name left, and nothing that may have changed: whoever still asks is
/// collected, too.
int clear(PyObject *self) {
  if (Outside *names = reinterpret_cast<NamesObject *>(self)->names)
    names->clear();
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(reinterpret_cast<NamesObject *>(self)->names, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *isUnchanged(PyObject *self, PyObject *) {
  return PyBool_FromLong(namesIn(self).isUnchanged());
}

PyObject *changed(PyObject *self, PyObject *) {
  Ref found(PyList_New(0));
  const Outside &names = namesIn(self);
  for (size_t i = 0; found && i < names.size(); ++i) {
    Ref index(names.isUnchanged(i) ? nullptr : PyLong_FromSize_t(i));
    if (index && PyList_Append(found.get(), index.get()))
      return nullptr;
  }
  return found.release();
}

PyObject *key(PyObject *self, PyObject *) { return namesIn(self).key(); }

PyMethodDef methods[] = {
    {"is_unchanged", isUnchanged, METH_NOARGS,
     "is_unchanged($self)\n--\n\nWhether every name stands for what it stood for."},
    {"changed", changed, METH_NOARGS, "changed($self)\n--\n\nThe indices of those that do not."},
    {"key", key, METH_NOARGS,
     "key($self)\n--\n\nHashable, and equal where the names stand for like values: numbers, texts "
     "and containers by what they are, other objects by which one it was."},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Names(entries)\n--\n\nWhat names outside of a program stand for. entries: tuples of a "
         "place and a name: a dict, a cell, a class, a function with `__code__`, `__defaults__` or "
         "`__kwdefaults__`, an object with `__dict__` (it and the class are the same) or a slot.")},
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_free, reinterpret_cast<void *>(PyObject_GC_Del)},
    {Py_tp_methods, methods},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Names", sizeof(NamesObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

Outside *fairlead::python::namesOf(PyObject *object) {
  return object && Py_IS_TYPE(object, namesType) ? reinterpret_cast<NamesObject *>(object)->names
                                                 : nullptr;
}

int fairlead::python::addNamesType(PyObject *module) {
  if (!namesType)
    namesType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return namesType ? PyModule_AddObjectRef(module, "Names", reinterpret_cast<PyObject *>(namesType))
                   : -1;
}
