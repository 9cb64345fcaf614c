#include "Outside.h"

using namespace fairlead::python;

namespace {

bool isContainer(PyObject *value) {
  return PyList_CheckExact(value) || PyDict_CheckExact(value) || PyAnySet_CheckExact(value);
}

/// What the name stands for; NULL: nothing.
Ref lookUp(PyObject *place, PyObject *name) {
  PyObject *now = PyCell_Check(place) ? PyCell_GET(place) : PyDict_GetItemWithError(place, name);
  if (!now)
    PyErr_Clear();
  return Ref::share(now);
}

} // namespace

bool Outside::read(PyObject *function) {
  Ref given(PyObject_GetAttrString(function, "outside"));
  if (!given) {
    PyErr_Clear();
    return true;
  }
  Ref entries(PySequence_Tuple(given.get()));
  for (Py_ssize_t i = 0; entries && i < PyTuple_GET_SIZE(entries.get()); ++i) {
    PyObject *entry = PyTuple_GET_ITEM(entries.get(), i), *place = nullptr;
    if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 3 ||
        !(PyDict_Check(place = PyTuple_GET_ITEM(entry, 0)) || PyCell_Check(place) ||
          PyFunction_Check(place))) {
      PyErr_SetString(PyExc_TypeError,
                      "outside: tuples of a dict, cell or function, a name and a value");
      return false;
    }
    PyObject *name = PyTuple_GET_ITEM(entry, 1), *value = PyTuple_GET_ITEM(entry, 2);
    if (PyFunction_Check(place)) {
      bool code = PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__code__") == 0;
      functions.push_back(
          {Ref::share(place), Ref::share(value == Py_None ? nullptr : value), code});
    } else if (isContainer(value)) {
      containers.push_back({Ref::share(place), Ref::share(name), Ref::share(value)});
    } else if (PyCell_Check(place)) {
      // A cell without content stands for itself.
      cells.push_back({Ref::share(place), Ref::share(value == place ? nullptr : value)});
    } else {
      Module &module = moduleOf(place);
      module.watch.add(name);
      module.names.push_back({Ref::share(name), Ref::share(value)});
    }
  }
  return static_cast<bool>(entries);
}

Outside::Module &Outside::moduleOf(PyObject *dict) {
  for (Module &each : modules)
    if (each.dict.get() == dict)
      return each;
  return modules.emplace_back(dict);
}

void Outside::Module::look(uint64_t now) {
  bool found = true;
  for (const Name &each : names)
    if (lookUp(dict.get(), each.name.get()).get() != each.value.get()) {
      found = false;
      break;
    }
  same = found;
  version = now;
}

bool Outside::areEqual() {
  for (const Container &each : containers) {
    PyObject *value = each.value.get();
    Ref now = lookUp(each.place.get(), each.name.get());
    if (now.get() == value)
      continue;
    if (!now || Py_TYPE(now.get()) != Py_TYPE(value))
      return false;
    int same = PyObject_RichCompareBool(now.get(), value, Py_EQ);
    if (same < 0)
      PyErr_Clear();
    if (same <= 0)
      return false;
  }
  return true;
}

int Outside::visit(visitproc visit, void *arg) const {
  for (const Cell &each : cells) {
    Py_VISIT(each.cell.get());
    Py_VISIT(each.value.get());
  }
  for (const Function &each : functions) {
    Py_VISIT(each.function.get());
    Py_VISIT(each.value.get());
  }
  for (const Module &each : modules) {
    Py_VISIT(each.dict.get());
    for (const Name &name : each.names)
      Py_VISIT(name.value.get());
  }
  for (const Container &each : containers) {
    Py_VISIT(each.place.get());
    Py_VISIT(each.value.get());
  }
  return 0;
}
