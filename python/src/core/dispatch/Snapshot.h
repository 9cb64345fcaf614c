/// The value of a name outside of a traced program, and a check that it is unchanged.
#ifndef FAIRLEAD_PYTHON_CORE_DISPATCH_SNAPSHOT_H_
#define FAIRLEAD_PYTHON_CORE_DISPATCH_SNAPSHOT_H_

#include "Ref.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::python {

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

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_DISPATCH_SNAPSHOT_H_
