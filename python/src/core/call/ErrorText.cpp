/// Texts of errors in Python's words.

#include "call/Invoke.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "Ref.h"

using namespace fairlead::python;

namespace {

constexpr std::string_view kSite = "Mismatched type on argument #", kGot = ", but got ffi.";

/// Python's name of an argument's type, which the ABI calls differently.
Ref pythonName(PyObject *argument) {
  if (PyLong_Check(argument))
    return Ref(PyUnicode_FromFormat("%S, which does not fit 64 bits", argument));
  return Ref(PyUnicode_FromString(Py_TYPE(argument)->tp_name));
}

} // namespace

void fairlead::python::nameTypes(PyObject *const *args, Py_ssize_t numArgs) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError))
    return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref arguments(value ? PyObject_GetAttrString(value, "args") : nullptr);
  PyObject *message =
      arguments && PyTuple_CheckExact(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) == 1
          ? PyTuple_GET_ITEM(arguments.get(), 0)
          : nullptr;
  Py_ssize_t size = 0;
  const char *data =
      message && PyUnicode_Check(message) ? PyUnicode_AsUTF8AndSize(message, &size) : nullptr;
  std::string_view text(data ? data : "", static_cast<size_t>(size));
  size_t got = text.rfind(kGot);
  if (text.substr(0, kSite.size()) == kSite && got != text.npos) {
    long index = std::strtol(data + kSite.size(), nullptr, 10);
    Ref name(index >= 0 && index < numArgs ? pythonName(args[index]) : Ref());
    std::string_view prefix = text.substr(0, got + kGot.size() - std::strlen("ffi."));
    Ref start(PyUnicode_FromStringAndSize(prefix.data(), static_cast<Py_ssize_t>(prefix.size())));
    Ref better(start && name ? PyUnicode_Concat(start.get(), name.get()) : nullptr);
    Ref replaced(better ? PyTuple_Pack(1, better.get()) : nullptr);
    if (replaced)
      PyObject_SetAttrString(value, "args", replaced.get());
  }
  PyErr_Clear(); // the first error is the one to tell
  PyErr_Restore(type, value, traceback);
}
