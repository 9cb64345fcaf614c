#include "dispatch/Guards.h"

#include <algorithm>
#include <cstring>

using namespace fairlead::python;

namespace {

/// More than this of one value, and containers in one another: the rest is known by identity.
constexpr int kMostParts = 1 << 16;
constexpr int kMostDepth = 32;
/// Arrays of more bytes are known by identity: to compare them would cost more than the call.
constexpr Py_ssize_t kMostBytes = 16384;

bool isPlain(PyObject *value) {
  return PyLong_CheckExact(value) || PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) ||
         PyBool_Check(value) || PyComplex_CheckExact(value);
}

bool isBuffer(PyObject *value) { return PyObject_CheckBuffer(value) && !PyBytes_Check(value); }

/// Format, extents and bytes of a writable buffer; empty for other values and large buffers.
std::string bytesOf(PyObject *value) {
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO)) {
    PyErr_Clear();
    return {};
  }
  std::string content;
  bool hasObjects = view.format && std::strchr(view.format, 'O');
  if (!view.readonly && view.len <= kMostBytes && !hasObjects) {
    content = view.format ? view.format : "B";
    content += '\0';
    content.append(reinterpret_cast<const char *>(view.shape),
                   view.shape ? view.ndim * sizeof(Py_ssize_t) : 0);
    size_t header = content.size();
    content.resize(header + view.len);
    if (PyBuffer_ToContiguous(content.data() + header, &view, view.len, 'C')) {
      PyErr_Clear();
      content.clear();
    }
  }
  PyBuffer_Release(&view);
  return content;
}

/// Calls `each` with the elements of a set. Stops and returns false once a call does.
template <typename Each> bool forElements(PyObject *set, Each &&each) {
  Ref iterator(PySet_Type.tp_iter(set));
  while (iterator) {
    Ref next(PyIter_Next(iterator.get()));
    if (!next)
      break;
    if (!each(next.get()))
      return false;
  }
  bool isComplete = iterator && !PyErr_Occurred();
  PyErr_Clear();
  return isComplete;
}

} // namespace

Snapshot::Snapshot(PyObject *value) {
  int room = kMostParts;
  if (value)
    take(value, kMostDepth, room);
}

void Snapshot::take(PyObject *value, int depth, int &room) {
  object = Ref::share(value);
  if (PyFloat_CheckExact(value)) {
    how = How::Float;
  } else if (isPlain(value)) {
    how = How::Equal;
  } else if (PyList_Check(value) || PyTuple_Check(value) || PyDict_Check(value) ||
             PyAnySet_Check(value)) {
    if (depth > 0 && room > 0)
      takeParts(value, depth, room);
  } else if (isBuffer(value)) {
    bytes = bytesOf(value);
    if (!bytes.empty()) {
      how = How::Buffer;
      isMutable = true;
      type = Ref::share(reinterpret_cast<PyObject *>(Py_TYPE(value)));
    }
  }
}

void Snapshot::takeParts(PyObject *value, int depth, int &room) {
  auto add = [&](PyObject *part) {
    parts.push_back(Snapshot(part, depth - 1, room));
    isMutable |= parts.back().isMutable;
    return --room > 0;
  };
  type = Ref::share(reinterpret_cast<PyObject *>(Py_TYPE(value)));
  if (PyDict_Check(value)) {
    how = How::Dict;
    isMutable = true;
    PyObject *key, *part;
    for (Py_ssize_t place = 0; PyDict_Next(value, &place, &key, &part);)
      if (!add(key) || !add(part))
        break;
  } else if (PyAnySet_Check(value)) {
    how = How::Set;
    isMutable = PySet_Check(value);
    forElements(value, add);
  } else {
    how = How::Items;
    isMutable = PyList_Check(value);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      if (!add(PySequence_Fast_GET_ITEM(value, i)))
        break;
    bool isPlain = true;
    for (const Snapshot &part : parts)
      isPlain &= !part.isMutable;
    for (size_t i = 0; isPlain && i < parts.size(); ++i)
      plain.push_back(parts[i].object.get());
  }
  if (room > 0)
    return;
  plain.clear();
  parts.clear();
  how = How::Identity;
  isMutable = false;
}

bool Snapshot::isLikeIn(PyObject *now) const {
  PyObject *was = object.get();
  if (!now || !was)
    return now == was;
  switch (how) {
  case How::Items: // most often of the very same objects
    if (reinterpret_cast<PyObject *>(Py_TYPE(now)) != type.get())
      return false;
    if (!plain.empty() && static_cast<size_t>(PySequence_Fast_GET_SIZE(now)) == plain.size() &&
        std::equal(plain.begin(), plain.end(), PySequence_Fast_ITEMS(now)))
      return true;
    return areLike(now);
  case How::Identity:
    return now == was;
  case How::Float: {
    if (!PyFloat_CheckExact(now))
      return false;
    double left = PyFloat_AS_DOUBLE(was), right = PyFloat_AS_DOUBLE(now);
    return std::memcmp(&left, &right, sizeof left) == 0;
  }
  case How::Equal: {
    // Types with Python's own comparison.
    int same = Py_TYPE(now) == Py_TYPE(was) ? PyObject_RichCompareBool(was, now, Py_EQ) : 0;
    if (same < 0)
      PyErr_Clear();
    return same > 0;
  }
  case How::Buffer:
    return reinterpret_cast<PyObject *>(Py_TYPE(now)) == type.get() && bytesOf(now) == bytes;
  default:
    return reinterpret_cast<PyObject *>(Py_TYPE(now)) == type.get() && areLike(now);
  }
}

bool Snapshot::areLike(PyObject *now) const {
  size_t next = 0, count = parts.size();
  if (how == How::Dict) {
    if (static_cast<size_t>(PyDict_GET_SIZE(now)) * 2 != count)
      return false;
    PyObject *key, *part;
    for (Py_ssize_t place = 0; PyDict_Next(now, &place, &key, &part); next += 2)
      if (next == count || !parts[next].isLike(key) || !parts[next + 1].isLike(part))
        return false;
    return next == count;
  }
  if (how == How::Set)
    return static_cast<size_t>(PySet_GET_SIZE(now)) == count &&
           forElements(now,
                       [&](PyObject *part) { return next < count && parts[next++].isLike(part); });
  if (static_cast<size_t>(PySequence_Fast_GET_SIZE(now)) != count)
    return false;
  for (; next < count; ++next)
    if (!parts[next].isLike(PySequence_Fast_GET_ITEM(now, next)))
      return false;
  return true;
}

PyObject *Snapshot::key() const {
  PyObject *was = object.get();
  switch (how) {
  case How::Identity:
    return PyLong_FromVoidPtr(was);
  case How::Float: {
    double number = PyFloat_AS_DOUBLE(was);
    return Py_BuildValue("(Oy#)", Py_TYPE(was), &number, Py_ssize_t(sizeof number));
  }
  case How::Equal:
    return Py_BuildValue("(OO)", Py_TYPE(was), was);
  case How::Buffer:
    return Py_BuildValue("(Oy#)", type.get(), bytes.data(), Py_ssize_t(bytes.size()));
  default:
    break;
  }
  Ref all(PyTuple_New(static_cast<Py_ssize_t>(parts.size()) + 1));
  if (!all)
    return nullptr;
  PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(type.get()));
  for (size_t i = 0; i < parts.size(); ++i) {
    PyObject *part = parts[i].key();
    if (!part)
      return nullptr;
    PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i) + 1, part);
  }
  return all.release();
}

int Snapshot::visit(visitproc visit, void *arg) const {
  Py_VISIT(object.get());
  Py_VISIT(type.get());
  for (const Snapshot &part : parts)
    if (int stop = part.visit(visit, arg))
      return stop;
  return 0;
}
