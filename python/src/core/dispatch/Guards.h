/// Guards of a compiled program: values outside of its arguments that tracing read, and a check
/// that they are unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Ref.h"

namespace fairlead::python {

/// A dict with a watcher, and the watched names as bits of their hashes. A name with the same bits
/// as another counts too, which only costs a look.
struct WatchedDict {
  uint64_t version = 1;
  uint64_t names[4] = {};
  int users = 0;

  void add(Py_hash_t hash) { names[hash >> 6 & 3] |= uint64_t(1) << (hash & 63); }
  bool has(Py_hash_t hash) const { return names[hash >> 6 & 3] >> (hash & 63) & 1; }
};

/// A number that changes with names of a dict. Before Python 3.12 a dict has such a number itself,
/// which changes with every name. From then on a watcher counts changes of the requested names.
///
/// For use with the GIL, of builds that have one.
class DictWatch {
public:
  /// The caller keeps the dict alive as long as this object.
  explicit DictWatch(PyObject *dict);
  DictWatch(DictWatch &&other) noexcept
      : dict(std::exchange(other.dict, nullptr)), watched(std::exchange(other.watched, nullptr)) {}
  DictWatch &operator=(DictWatch &&) = delete;
  ~DictWatch();

  /// Has changes of `name` count. Of other names they may count too.
  void add(PyObject *name);

  /// Returns a new number if a watched name was set or deleted since the last call; 0: unknown.
  uint64_t version() const {
#if PY_VERSION_HEX < 0x030C0000
    return dict ? reinterpret_cast<PyDictObject *>(dict)->ma_version_tag : 0;
#else
    return watched ? watched->version : 0;
#endif
  }

private:
  PyObject *dict; ///< borrowed; NULL if nothing is known of changes
  WatchedDict *watched = nullptr;
};

/// A value as it was: numbers and texts by type and value, lists, tuples, dicts and sets by their
/// contents and the order of these, small writable buffers (NumPy's arrays) by their bytes, all
/// else by identity. Runs no Python code of users. For use with the GIL.
class Snapshot {
public:
  /// No value: the name does not exist.
  Snapshot() = default;
  /// NULL: nothing.
  explicit Snapshot(PyObject *value);

  /// True if a value is like this one; NULL: nothing.
  bool isLike(PyObject *now) const {
    if (!isMutable && now == object.get()) [[likely]]
      return true;
    return isLikeIn(now);
  }

  /// True if the object itself may change.
  bool mayChange() const { return isMutable; }

  /// A hashable object that is equal for like values, as long as both live. NULL with an exception:
  /// there is no memory.
  PyObject *key() const;

  int visit(visitproc visit, void *arg) const;

private:
  enum class How : uint8_t { Identity, Equal, Float, Items, Dict, Set, Buffer };

  Snapshot(PyObject *value, int depth, int &room) { take(value, depth, room); }
  void take(PyObject *value, int depth, int &room);
  void takeParts(PyObject *value, int depth, int &room);
  bool isLikeIn(PyObject *now) const;
  bool areLike(PyObject *now) const;

  Ref object;                    ///< kept alive, so that its address stays its own
  Ref type;                      ///< of what is compared by contents
  std::vector<Snapshot> parts;   ///< of a dict keys and values by turns
  std::vector<PyObject *> plain; ///< of a list or tuple whose parts cannot change, these
  std::string bytes;             ///< of a buffer, what describes it before them
  How how = How::Identity;
  bool isMutable = false;
};

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
