/// Guards of a compiled program: values outside of its arguments that tracing read, and a check
/// that they are unchanged.
#ifndef FAIRLEAD_PYTHON_CORE_DISPATCH_GUARDS_H_
#define FAIRLEAD_PYTHON_CORE_DISPATCH_GUARDS_H_

#include "dispatch/DictWatch.h"
#include "dispatch/Snapshot.h"

#include <vector>

namespace fairlead::python {

/// Globals, captured variables, attributes of modules, objects and classes, and the code of
/// functions, with their values. For use with the GIL.
class Guards {
public:
  /// `entries`: tuples of a place and a name in it, whose present value the guard requires. A place
  /// is a dict, a cell, a class, a function (`__code__`, `__defaults__`, `__kwdefaults__`) or an
  /// object (`__dict__` guards its dict and class; otherwise a slot's name). False with an
  /// exception for anything else.
  bool read(PyObject *entries);

  /// True if every name has its guarded value. Leaves no
  /// exception, and runs no code of users.
  bool isUnchanged() {
    for (const Direct &each : directs)
      if (*each.place != each.was && !each.entry->value.isLike(*each.place))
        return false;
    for (const Direct &each : mutableDirects)
      if (!each.entry->value.isLike(*each.place))
        return false;
    for (const Held &each : objects)
      if (Py_TYPE(each.object) != each.type || (each.place && *each.place != each.dict))
        return false;
    for (Space<DictWatch> &each : dicts)
      if (!each.isUnchanged())
        return false;
    for (Space<ClassWatch> &each : classes)
      if (!each.isUnchanged())
        return false;
    return true;
  }

  /// True if the entry of this index has its guarded value.
  bool isUnchanged(size_t index) const;
  /// A hashable object of all of them, in no order; see Snapshot::key.
  PyObject *key() const;
  size_t size() const { return entries.size(); }

  int visit(visitproc visit, void *arg) const;
  void clear();

private:
  struct Entry {
    Ref place, name;
    Snapshot value;
    Ref dict; ///< of an object, whose class is the value
    bool isObject = false;
  };
  /// A value that can be read without a look-up: a cell, a part of a function, a slot.
  struct Direct {
    PyObject **place, *was;
    const Entry *entry;
  };
  /// An object whose attributes are watched: it must keep its class and its dict.
  struct Held {
    PyObject *object;
    PyTypeObject *type;
    PyObject **place, *dict; ///< NULL: it has none
  };
  /// A class and its bases have one number that is new whenever an attribute was set.
  struct ClassWatch {
    explicit ClassWatch(PyObject *type) : type(reinterpret_cast<PyTypeObject *>(type)) {}
    void add(PyObject *) {}
    uint64_t version() const {
      return type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG ? type->tp_version_tag : 0;
    }
    PyTypeObject *type;
  };
  struct Name {
    const Entry *entry;
    PyObject *now; ///< borrowed; what the last look found
  };
  /// The names of one dict or class.
  template <typename Watch> struct Space {
    explicit Space(PyObject *place) : place(place), watch(place) {}

    bool isUnchanged() {
      uint64_t now = watch.version();
      if (!now || now != version) [[unlikely]]
        look();
      if (!same)
        return false;
      for (const Name &each : mutables)
        if (!each.entry->value.isLike(each.now))
          return false;
      return true;
    }
    /// Looks at all names.
    void look();

    PyObject *place;
    Watch watch;
    std::vector<const Entry *> names; ///< of what cannot change itself
    std::vector<Name> mutables;
    uint64_t version = 0; ///< of the last look
    bool same = false;    ///< what it found
  };

  static PyObject **directPlace(PyObject *place, PyObject *name);
  static Ref current(const Entry &entry);
  bool file(Entry &entry);
  template <typename Watch>
  static void addName(std::vector<Space<Watch>> &spaces, const Entry &entry);

  std::vector<Entry> entries;
  std::vector<Direct> directs, mutableDirects;
  std::vector<Held> objects;
  std::vector<Space<DictWatch>> dicts;
  std::vector<Space<ClassWatch>> classes;
};

/// Returns the Guards in a fairlead._core.Guards; NULL for other objects.
Guards *guardsOf(PyObject *object);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_DISPATCH_GUARDS_H_
