#include "dispatch/Guards.h"

#include <structmember.h>

#include <algorithm>

using namespace fairlead::python;

namespace {

bool isNamed(PyObject *name, const char *text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

PyObject *find(PyObject *place, PyObject *name) {
  if (PyType_Check(place)) // with its bases; gives the class a number, too
    return _PyType_Lookup(reinterpret_cast<PyTypeObject *>(place), name);
  PyObject *now = PyDict_GetItemWithError(place, name);
  if (!now)
    PyErr_Clear();
  return now;
}

} // namespace

bool Guards::read(PyObject *given) {
  Ref all(PySequence_Tuple(given));
  if (!all)
    return false;
  entries.reserve(PyTuple_GET_SIZE(all.get())); // others point into it
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i) {
    PyObject *each = PyTuple_GET_ITEM(all.get(), i);
    if (!PyTuple_Check(each) || PyTuple_GET_SIZE(each) != 2 ||
        !PyUnicode_Check(PyTuple_GET_ITEM(each, 1))) {
      PyErr_SetString(PyExc_TypeError, "Guards: tuples of a place and a name");
      return false;
    }
    Entry &entry = entries.emplace_back();
    entry.place = Ref::share(PyTuple_GET_ITEM(each, 0));
    entry.name = Ref::share(PyTuple_GET_ITEM(each, 1));
    if (!file(entry)) {
      PyErr_Format(PyExc_TypeError, "Guards: a %s has no %R that can be watched",
                   Py_TYPE(entry.place.get())->tp_name, entry.name.get());
      return false;
    }
  }
  return true;
}

bool Guards::file(Entry &entry) {
  PyObject *place = entry.place.get(), *name = entry.name.get();
  if (PyDict_CheckExact(place) || PyType_Check(place)) {
    entry.value = Snapshot(find(place, name));
    if (PyType_Check(place))
      addName(classes, entry);
    else
      addName(dicts, entry);
    return true;
  }
  if (PyObject **direct = directPlace(place, name)) {
    entry.value = Snapshot(*direct);
    (entry.value.mayChange() ? mutableDirects : directs).push_back({direct, *direct, &entry});
    return true;
  }
  if (!isNamed(name, "__dict__"))
    return false;
  PyObject **dict = _PyObject_GetDictPtr(place);
  if (dict && !*dict) { // Python makes it when it is first needed
    Ref made(PyObject_GenericGetDict(place, nullptr));
    PyErr_Clear();
  }
  entry.isObject = true;
  entry.dict = Ref::share(dict ? *dict : nullptr);
  entry.value = Snapshot(reinterpret_cast<PyObject *>(Py_TYPE(place)));
  objects.push_back({place, Py_TYPE(place), dict, entry.dict.get()});
  return true;
}

PyObject **Guards::directPlace(PyObject *place, PyObject *name) {
  if (PyCell_Check(place))
    return &reinterpret_cast<PyCellObject *>(place)->ob_ref;
  if (PyFunction_Check(place)) {
    auto *function = reinterpret_cast<PyFunctionObject *>(place);
    return isNamed(name, "__code__")         ? &function->func_code
           : isNamed(name, "__defaults__")   ? &function->func_defaults
           : isNamed(name, "__kwdefaults__") ? &function->func_kwdefaults
                                             : nullptr;
  }
  PyObject *slot = _PyType_Lookup(Py_TYPE(place), name);
  if (!slot || !Py_IS_TYPE(slot, &PyMemberDescr_Type))
    return nullptr;
  const PyMemberDef *member = reinterpret_cast<PyMemberDescrObject *>(slot)->d_member;
  return member->type == T_OBJECT_EX
             ? reinterpret_cast<PyObject **>(reinterpret_cast<char *>(place) + member->offset)
             : nullptr;
}

template <typename Watch>
void Guards::addName(std::vector<Space<Watch>> &spaces, const Entry &entry) {
  PyObject *place = entry.place.get();
  auto space = std::find_if(spaces.begin(), spaces.end(),
                            [place](const auto &each) { return each.place == place; });
  if (space == spaces.end()) {
    spaces.emplace_back(place);
    space = std::prev(spaces.end());
  }
  space->watch.add(entry.name.get());
  if (entry.value.mayChange())
    space->mutables.push_back({&entry, nullptr});
  else
    space->names.push_back(&entry);
}

template <typename Watch> void Guards::Space<Watch>::look() {
  same = std::all_of(names.begin(), names.end(), [this](const Entry *each) {
    return each->value.isLike(find(place, each->name.get()));
  });
  for (Name &each : mutables)
    each.now = find(place, each.entry->name.get());
  version = watch.version();
}

template void Guards::Space<DictWatch>::look();
template void Guards::Space<Guards::ClassWatch>::look();

Ref Guards::current(const Entry &entry) {
  PyObject *place = entry.place.get();
  if (PyDict_CheckExact(place) || PyType_Check(place))
    return Ref::share(find(place, entry.name.get()));
  PyObject **direct = directPlace(place, entry.name.get());
  return Ref::share(direct ? *direct : nullptr);
}

bool Guards::isUnchanged(size_t index) const {
  const Entry &entry = entries[index];
  if (!entry.isObject)
    return entry.value.isLike(current(entry).get());
  for (const Held &each : objects)
    if (each.object == entry.place.get())
      return Py_TYPE(each.object) == each.type && (!each.place || *each.place == each.dict);
  return false;
}

PyObject *Guards::key() const {
  Ref all(PyFrozenSet_New(nullptr));
  for (size_t i = 0; all && i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    PyObject *value = entry.value.key();
    Ref each(value ? Py_BuildValue("(KON)", reinterpret_cast<uintptr_t>(entry.place.get()),
                                   entry.name.get(), value)
                   : nullptr);
    if (!each || PySet_Add(all.get(), each.get()))
      return nullptr;
  }
  return all.release();
}

int Guards::visit(visitproc visit, void *arg) const {
  for (const Entry &each : entries) {
    Py_VISIT(each.place.get());
    Py_VISIT(each.name.get());
    Py_VISIT(each.dict.get());
    if (int stop = each.value.visit(visit, arg))
      return stop;
  }
  return 0;
}

void Guards::clear() {
  directs.clear();
  mutableDirects.clear();
  objects.clear();
  dicts.clear();
  classes.clear();
  std::vector<Entry> old;
  std::swap(old, entries); // whose destructors may run Python code
}
