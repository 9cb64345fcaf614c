#include "call/Convert.h"
#include "call/ConvertParts.h"
#include "object/Errors.h"

#include <cstring>

using namespace fairlead::python;

namespace {

/// Owned values that go when this does.
struct OwnedValues {
  explicit OwnedValues(Py_ssize_t room)
      : values(static_cast<TVMFFIAny *>(PyMem_Calloc(room + 1, sizeof(TVMFFIAny)))) {}
  ~OwnedValues() {
    for (int32_t i = 0; i < count; ++i)
      if (values[i].type_index >= kTVMFFIStaticObjectBegin)
        TVMFFIObjectDecRef(values[i].v_obj);
    PyMem_Free(values);
  }

  TVMFFIAny *values;
  int32_t count = 0;
};

/// Appends an element. It needs owning tensors; their framework and stream count for the whole
/// call.
bool append(Call &call, OwnedValues &values, PyObject *element, int index) {
  const TypeEntry *entry = findType(Py_TYPE(element));
  if (!entry)
    return false;
  Call inner(call.function, false);
  inner.hasStream = call.hasStream;
  inner.depth = call.depth;
  TVMFFIAny view;
  if (!convertArgument(inner, *entry, element, index, &view, nullptr))
    return false;
  if (inner.api)
    call.api = inner.api;
  if (inner.hasStream && !call.hasStream) {
    call.hasStream = true;
    call.device = inner.device;
    call.stream = inner.stream;
  }
  if (TVMFFIAnyViewToOwnedAny(&view, &values.values[values.count])) {
    raiseFromAbi();
    return nameArgument(call, index);
  }
  ++values.count;
  return true;
}

bool appendAll(Call &call, OwnedValues &values, PyObject *elements, int index) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(elements); ++i)
    if (!append(call, values, PySequence_Fast_GET_ITEM(elements, i), index))
      return false;
  return true;
}

/// The elements in the order that the maker takes them: those of a tuple or list; keys and values
/// by turns.
Ref elementsOf(PyObject *argument) {
  // A snapshot: converting an element runs Python code that could change a list.
  if (!PyDict_Check(argument))
    return Ref(PySequence_Tuple(argument));
  Ref flat(PyList_New(0));
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (flat && PyDict_Next(argument, &position, &key, &value))
    if (PyList_Append(flat.get(), key) || PyList_Append(flat.get(), value))
      return {};
  return flat;
}

} // namespace

bool fairlead::python::convertContainer(Call &call, PyObject *argument, const char *maker,
                                        int index, TVMFFIAny *out) {
  TVMFFIByteArray name = {maker, std::strlen(maker)};
  TVMFFIObjectHandle function = nullptr;
  if (TVMFFIFunctionGetGlobal(&name, &function)) {
    raiseFromAbi();
    return nameArgument(call, index);
  }
  if (!function)
    return failArgument(call, PyExc_TypeError, index,
                        "cannot pass a %s: the runtime library has no function %s",
                        Py_TYPE(argument)->tp_name, maker);
  bool done = false;
  if (call.enterLevel(" while converting nested containers")) {
    Ref elements = elementsOf(argument);
    OwnedValues values(elements ? PySequence_Fast_GET_SIZE(elements.get()) : 0);
    TVMFFIAny result = {};
    if (!elements) {
      nameArgument(call, index);
    } else if (!values.values) {
      PyErr_NoMemory();
    } else if (appendAll(call, values, elements.get(), index)) {
      if (TVMFFIFunctionCall(function, values.values, values.count, &result)) {
        raiseFromAbi();
        nameArgument(call, index);
      } else {
        *out = result;
        done =
            result.type_index < kTVMFFIStaticObjectBegin || call.defer(releaseHandle, result.v_obj);
      }
    }
    call.leaveLevel();
  }
  TVMFFIObjectDecRef(function);
  return done;
}
