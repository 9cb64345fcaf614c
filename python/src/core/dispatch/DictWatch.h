/// Detects with one comparison that values of a dict may have been replaced.
#ifndef FAIRLEAD_PYTHON_CORE_DISPATCH_DICTWATCH_H_
#define FAIRLEAD_PYTHON_CORE_DISPATCH_DICTWATCH_H_

#include "Ref.h"

#include <cstdint>

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

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_DISPATCH_DICTWATCH_H_
