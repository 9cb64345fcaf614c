/// Whether values of a dict may have been replaced, told by one compare.
#ifndef FAIRLEAD_PYTHON_CORE_DISPATCH_DICTWATCH_H_
#define FAIRLEAD_PYTHON_CORE_DISPATCH_DICTWATCH_H_

#include "Ref.h"

#include <cstdint>

namespace fairlead::python {

/// A dict with a watcher, and the names of which changes count, by bits of their hashes: a name
/// that shares the bits of another counts too, which costs a look and no more.
struct WatchedDict {
  uint64_t version = 1;
  uint64_t names[4] = {};
  int users = 0;

  void add(Py_hash_t hash) { names[hash >> 6 & 3] |= uint64_t(1) << (hash & 63); }
  bool has(Py_hash_t hash) const { return names[hash >> 6 & 3] >> (hash & 63) & 1; }
};

/// A number that changes with names of a dict. Before Python 3.12 a dict has one itself, which
/// changes with every name; from then on a watcher counts changes of the names that were asked for.
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

  /// Another number than before if a name that counts was set or deleted since; 0: unknown.
  uint64_t version() const {
#if PY_VERSION_HEX < 0x030C0000
    return dict ? reinterpret_cast<PyDictObject *>(dict)->ma_version_tag : 0;
#else
    return watched ? watched->version : 0;
#endif
  }

private:
  PyObject *dict; ///< borrowed; NULL where nothing is known of changes
  WatchedDict *watched = nullptr;
};

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_DISPATCH_DICTWATCH_H_
