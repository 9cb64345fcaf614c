#include "dispatch/PlannedCall.h"

#include "call/Convert.h"
#include "object/Object.h"

#include <algorithm>
#include <cstring>

using namespace fairlead::python;

namespace {

enum Tag : uint64_t {
  kNone = 1,
  kFalse,
  kTrue,
  kInt,
  kFloat,
  kText,
  kIdentity,
  kTuple,
  kList,
  kTensor,
};

constexpr int kMostDepth = 4; // of tuples in tuples
constexpr int kMostRank = 32;

/// The type's entry; null, without an exception, if the type could not be inspected.
const TypeEntry *entryOf(PyTypeObject *type) {
  const TypeEntry *entry = findType(type);
  if (!entry)
    PyErr_Clear();
  return entry;
}

} // namespace

bool CallKey::addIdentity(PyObject *object) {
  if (numIdentified == kMostTensors)
    return false;
  identified[numIdentified++] = object;
  return push(kIdentity) && push(reinterpret_cast<uintptr_t>(object));
}

bool CallKey::addText(PyObject *text) {
  Py_ssize_t size;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) {
    PyErr_Clear();
    return false;
  }
  if (!push(kText | uint64_t(size) << 8))
    return false;
  for (Py_ssize_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<size_t>(sizeof word, size - at));
    if (!push(word))
      return false;
  }
  return true;
}

bool CallKey::addItems(Call &call, PyObject *items, int depth) {
  const bool isTuple = PyTuple_CheckExact(items);
  if (depth == kMostDepth)
    return false;
  // A list may change during the call.
  PyObject *tuple = isTuple ? items : PyList_AsTuple(items);
  if (!tuple || (!isTuple && !call.defer(releasePyObject, tuple))) {
    PyErr_Clear();
    return false;
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (!push((isTuple ? kTuple : kList) | uint64_t(count) << 8))
    return false;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add(call, PyTuple_GET_ITEM(tuple, i), depth + 1))
      return false;
  return true;
}

bool CallKey::addTensor(Call &call, const TypeEntry &entry, PyObject *argument) {
  if (numTensors == kMostTensors)
    return false;
  DLTensor &tensor = tensors[numTensors];
  TVMFFIAny value;
  if (!convertInline(call, entry, argument, numTensors, &value, &tensor)) {
    PyErr_Clear();
    return false;
  }
  const int rank = tensor.ndim;
  if (value.v_ptr != &tensor || rank > kMostRank)
    return false;
  int same = 0;
  while (same < numTensors && objects[same] != argument)
    ++same;
  const uint64_t address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset;
  const uint64_t aligned = (address | alignment) & -(address | alignment);
  uint32_t dtype;
  std::memcpy(&dtype, &tensor.dtype, sizeof dtype);
  if (!push(kTensor | uint64_t(rank) << 8 | uint64_t(same) << 16 |
            uint64_t(tensor.strides != nullptr) << 24 | uint64_t(dtype) << 32) ||
      !push(static_cast<uint32_t>(tensor.device.device_type) |
            static_cast<uint64_t>(tensor.device.device_id) << 32) ||
      !push(reinterpret_cast<uintptr_t>(entry.type)) || !push(aligned))
    return false;
  const int count = tensor.strides ? 2 * rank : rank;
  if (numWords + count > kMostWords)
    return false;
  std::memcpy(words + numWords, tensor.shape, rank * sizeof(int64_t));
  if (tensor.strides)
    std::memcpy(words + numWords + rank, tensor.strides, rank * sizeof(int64_t));
  numWords += count;
  objects[numTensors] = argument;
  entries[numTensors] = &entry;
  ++numTensors;
  return true;
}

bool CallKey::add(Call &call, PyObject *argument, int depth) {
  PyTypeObject *type = Py_TYPE(argument);
  if (lastEntry && lastEntry->type == type)
    return addTensor(call, *lastEntry, argument);
  if (argument == Py_None)
    return push(kNone);
  if (type == &PyBool_Type)
    return push(argument == Py_True ? kTrue : kFalse);
  if (type == &PyFloat_Type) {
    const double number = PyFloat_AS_DOUBLE(argument);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return push(kFloat) && push(bits);
  }
  if (type == &PyLong_Type) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(argument, &overflow);
    return !overflow && push(kInt) && push(static_cast<uint64_t>(number));
  }
  if (type == &PyUnicode_Type)
    return addText(argument);
  if (type == &PyTuple_Type || type == &PyList_Type)
    return addItems(call, argument, depth);
  if (PyType_Check(argument))
    return addIdentity(argument);
  const TypeEntry *entry = entryOf(type);
  if (!entry)
    return false;
  if (entry->kind == ArgKind::FrameworkType)
    return addIdentity(argument);
  const bool isTensor = (entry->kind == ArgKind::ExchangeTensor && entry->toDLTensor) ||
                        entry->kind == ArgKind::NumPyArray;
  if (!isTensor)
    return false;
  lastEntry = entry;
  return addTensor(call, *entry, argument);
}
