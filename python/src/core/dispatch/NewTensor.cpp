#include "dispatch/PlannedCall.h"

using namespace fairlead::python;

namespace {

/// True for torch.empty. Needs no import: arguments of the call may be of other frameworks.
bool isTorchEmpty(PyObject *function) {
  Ref name(PyUnicode_FromString("torch"));
  Ref module(name ? PyImport_GetModule(name.get()) : nullptr);
  Ref empty(module ? PyObject_GetAttrString(module.get(), "empty") : nullptr);
  PyErr_Clear();
  return empty && empty.get() == function;
}

/// True if the device says which one it is: torch's default may change.
bool isOneDevice(PyObject *device) {
  Ref index(PyObject_GetAttrString(device, "index")), type(PyObject_GetAttrString(device, "type"));
  const bool isOne =
      index && type && PyUnicode_Check(type.get()) &&
      (index.get() != Py_None || !PyUnicode_CompareWithASCIIString(type.get(), "cpu"));
  PyErr_Clear();
  return isOne;
}

} // namespace

bool NewTensor::read(PyObject *described) {
  PyObject *callable, *positional, *keywords;
  if (!PyArg_ParseTuple(described, "OO!O!", &callable, &PyTuple_Type, &positional, &PyDict_Type,
                        &keywords))
    return false;
  function = Ref::share(callable);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positional); ++i) {
    args.push_back(PyTuple_GET_ITEM(positional, i));
    owners.push_back(Ref::share(args.back()));
  }
  numPositional = args.size();
  return !PyDict_GET_SIZE(keywords) || (readKeywords(keywords) && findPlace(keywords));
}

bool NewTensor::readKeywords(PyObject *keywords) {
  Ref keys(PyDict_Keys(keywords));
  Ref tuple(keys ? PyList_AsTuple(keys.get()) : nullptr);
  if (!tuple)
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    args.push_back(PyDict_GetItem(keywords, PyTuple_GET_ITEM(tuple.get(), i)));
    owners.push_back(Ref::share(args.back()));
  }
  names = tuple.get();
  owners.push_back(std::move(tuple));
  return true;
}

/// Finds what torch's C interface needs, if it can make the tensor. False with an exception set.
bool NewTensor::findPlace(PyObject *keywords) {
  PyObject *device = PyDict_GetItemString(keywords, "device");
  if (numPositional != 1 || !PyTuple_Check(args[0]) || PyDict_GET_SIZE(keywords) != 2 ||
      !PyDict_GetItemString(keywords, "dtype") || !device || !isTorchEmpty(function.get()) ||
      !isOneDevice(device))
    return true;
  rank = static_cast<int>(PyTuple_GET_SIZE(args[0]));
  layout.resize(2 * static_cast<size_t>(rank));
  int64_t step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    layout[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(args[0], i));
    layout[rank + i] = step;
    step *= layout[i] > 1 ? layout[i] : 1;
  }
  // A tensor without elements tells the numbers of dtype and device.
  Ref noElements(Py_BuildValue("(i)", 0));
  if (!noElements || PyErr_Occurred())
    return false;
  std::vector<PyObject *> sampleArgs = args;
  sampleArgs[0] = noElements.get();
  Ref sample(PyObject_Vectorcall(function.get(), sampleArgs.data(), numPositional, names));
  TorchPlace samplePlace;
  if (sample && readTorchPlace(sample.get(), samplePlace))
    place = samplePlace;
  return bool(sample);
}

Ref NewTensor::make() const {
  if (place) [[likely]]
    // If that fails, as without memory, torch.empty raises the error.
    if (Ref tensor(emptyTorch(*place, rank, layout.data(), layout.data() + rank)); tensor)
      return tensor;
  return Ref(PyObject_Vectorcall(function.get(), args.data(), numPositional, names));
}
