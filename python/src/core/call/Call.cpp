#include "call/Call.h"

using namespace fairlead::python;

namespace {

void releaseMemory(void *memory) { PyMem_Free(memory); }

/// Temporaries beyond the inline ones: each knows the one before.
struct Spilled {
  void (*functions[2])(void *);
  void *values[2];
};

void releaseSpilled(void *memory) {
  auto *spilled = static_cast<Spilled *>(memory);
  for (int i = 1; i >= 0; --i)
    spilled->functions[i](spilled->values[i]);
  PyMem_Free(spilled);
}

} // namespace

bool Call::deferMore(void (*function)(void *), void *value) {
  auto *spilled = static_cast<Spilled *>(PyMem_Malloc(sizeof(Spilled)));
  if (!spilled) {
    function(value);
    PyErr_NoMemory();
    return false;
  }
  Cleanup &last = cleanups[numCleanups - 1];
  *spilled = {{last.function, function}, {last.value, value}};
  last = {releaseSpilled, spilled};
  return true;
}

int64_t *Call::makeExtents(int count) {
  if (numExtents + count <= kInlineExtents) {
    int64_t *room = extents + numExtents;
    numExtents += count;
    return room;
  }
  auto *room = static_cast<int64_t *>(PyMem_Malloc(sizeof(int64_t) * count));
  if (!room) {
    PyErr_NoMemory();
    return nullptr;
  }
  return defer(releaseMemory, room) ? room : nullptr;
}

bool Call::noteStream(DLDevice on) {
  if (on.device_type == kDLCUDAHost || on.device_type == kDLROCMHost || !api ||
      !api->current_work_stream)
    return true;
  if (api->current_work_stream(on.device_type, on.device_id, &stream))
    return false;
  device = on;
  hasStream = true;
  return true;
}

static Ref argumentPrefix(Call &call, int index) {
  if (!call.function)
    return Ref(PyUnicode_FromString("value"));
  Ref function = describeFunction(call.function);
  if (index < call.function->call->count)
    return Ref(PyUnicode_FromFormat("argument #%d (`%U`) of `%U`", index,
                                    PyTuple_GET_ITEM(call.function->call->names, index),
                                    function.get()));
  return Ref(PyUnicode_FromFormat("argument #%d of `%U`", index, function.get()));
}

bool fairlead::python::failArgument(Call &call, PyObject *type, int index, const char *format,
                                    ...) {
  va_list arguments;
  va_start(arguments, format);
  Ref text(PyUnicode_FromFormatV(format, arguments));
  va_end(arguments);
  Ref prefix = argumentPrefix(call, index);
  if (text && prefix)
    PyErr_Format(type, "%U: %U", prefix.get(), text.get());
  return false;
}

/// The text of an exception without the frames of C++ that torch puts behind it.
static Ref shortText(PyObject *value) {
  Ref text(PyObject_Str(value)), frames(PyUnicode_FromString("\nException raised from "));
  Py_ssize_t end = text && frames ? PyUnicode_Find(text.get(), frames.get(), 0,
                                                   PyUnicode_GET_LENGTH(text.get()), 1)
                                  : -1;
  return end < 0 ? std::move(text) : Ref(PyUnicode_Substring(text.get(), 0, end));
}

bool fairlead::python::nameArgument(Call &call, int index) {
  PyObject *builtin[] = {PyExc_BufferError, PyExc_RuntimeError,        PyExc_TypeError,
                         PyExc_ValueError,  PyExc_NotImplementedError, PyExc_AttributeError,
                         PyExc_MemoryError, PyExc_OverflowError};
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  bool isBuiltin = false;
  for (PyObject *each : builtin)
    isBuiltin |= type == each;
  Ref text = isBuiltin ? shortText(value) : Ref();
  Ref prefix(text ? argumentPrefix(call, index) : Ref());
  if (!prefix) {
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return false;
  }
  PyErr_Format(type, "%U: %U", prefix.get(), text.get());
  // The framework's own exception stays reachable.
  PyObject *newType, *newValue, *newTraceback;
  PyErr_Fetch(&newType, &newValue, &newTraceback);
  PyErr_NormalizeException(&newType, &newValue, &newTraceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  PyException_SetCause(newValue, value); // takes over value
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  PyErr_Restore(newType, newValue, newTraceback);
  return false;
}
