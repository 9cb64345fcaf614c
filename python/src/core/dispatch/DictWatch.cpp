#include "dispatch/Guards.h"

#include <unordered_map>

using namespace fairlead::python;

namespace {

#if PY_VERSION_HEX >= 0x030C0000

/// Lives as long as the process: dicts may outlive the extension's own objects.
std::unordered_map<PyObject *, WatchedDict> &watchedDicts() {
  static auto *all = new std::unordered_map<PyObject *, WatchedDict>();
  return *all;
}

/// Called before the dict changes.
int noteChange(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *) {
  auto &all = watchedDicts();
  auto entry = all.find(dict);
  if (entry == all.end())
    return 0;
  WatchedDict &watched = entry->second;
  bool isName = event == PyDict_EVENT_ADDED || event == PyDict_EVENT_MODIFIED ||
                event == PyDict_EVENT_DELETED;
  // The hash of a str that is a key is known; to ask for it cannot fail.
  if (!isName || !key || !PyUnicode_CheckExact(key) || watched.has(PyObject_Hash(key)))
    ++watched.version;
  return 0;
}

/// The process's watcher; -1 if others have taken all of them.
int watcher() {
  static int id = [] {
    int added = PyDict_AddWatcher(noteChange);
    if (added < 0)
      PyErr_Clear();
    return added;
  }();
  return id;
}

#endif

} // namespace

#if PY_VERSION_HEX < 0x030C0000

DictWatch::DictWatch(PyObject *dict) : dict(PyDict_CheckExact(dict) ? dict : nullptr) {}
DictWatch::~DictWatch() = default;
void DictWatch::add(PyObject *) {}

#else

DictWatch::DictWatch(PyObject *dict) : dict(nullptr) {
  if (!PyDict_CheckExact(dict) || watcher() < 0)
    return;
  auto &all = watchedDicts();
  if (!all.count(dict) && PyDict_Watch(watcher(), dict)) {
    PyErr_Clear();
    return;
  }
  this->dict = dict;
  watched = &all[dict];
  ++watched->users;
}

DictWatch::~DictWatch() {
  if (!watched || --watched->users)
    return;
  // Also while another exception is set, and after the interpreter has dropped its watchers.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyDict_Unwatch(watcher(), dict))
    PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  watchedDicts().erase(dict);
}

void DictWatch::add(PyObject *name) {
  Py_hash_t hash = PyObject_Hash(name);
  if (watched && hash != -1)
    watched->add(hash);
  PyErr_Clear();
}

#endif
