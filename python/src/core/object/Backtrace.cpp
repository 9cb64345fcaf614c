#include "object/Backtrace.h"

#include <charconv>
#include <cstdlib>
#include <new>
#include <string>

#include <frameobject.h>

using namespace fairlead::python;

namespace {

struct NativeFrame {
  std::string file, function;
  int line = 0;
};

/// Reads `  File "name", line 3, in function`; false for other text.
bool parseFrame(std::string_view text, NativeFrame *out) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  size_t file = text.find(kFile);
  size_t line = text.find(kLine);
  size_t in = line == text.npos ? line : text.find(kIn, line + kLine.size());
  if (file == text.npos || in == text.npos || line < file + kFile.size())
    return false;
  file += kFile.size();
  const char *digits = text.data() + line + kLine.size();
  auto [end, error] = std::from_chars(digits, text.data() + in, out->line);
  if (error != std::errc() || end != text.data() + in || out->line < 0)
    return false;
  out->file = text.substr(file, line - file);
  out->function = text.substr(in + kIn.size());
  return true;
}

/// True for the interpreter's own functions. Python itself shows the frames below them.
bool isInterpreter(std::string_view function) {
  for (std::string_view start : {"_PyEval_", "PyEval_", "_PyObject_", "PyObject_", "_PyFunction_",
                                 "_PyVectorcall", "PyVectorcall_", "fairlead::python::"})
    if (function.starts_with(start))
      return true;
  return false;
}

/// True for the host program of an exported function, `host.2`, without line numbers: the entry
/// above it has the function's name.
bool isHostProgram(const NativeFrame &frame) {
  constexpr std::string_view kHost = "host.";
  return frame.line == 0 && frame.function.starts_with(kHost) &&
         frame.function.find_first_not_of("0123456789", kHost.size()) == std::string::npos;
}

/// True for frames of Fairlead's runtime, which tell the user nothing. Tracebacks omit Fairlead's
/// Python too.
bool isOwn(const NativeFrame &frame) {
  return frame.file == "<unknown>" || frame.function.starts_with("Fairlead") ||
         frame.function.starts_with("fairlead::") || isHostProgram(frame);
}

/// FAIRLEAD_DEBUG=1 shows all frames.
bool showsAll() {
  const char *value = std::getenv("FAIRLEAD_DEBUG");
  return value && *value && std::string_view(value) != "0";
}

#if PY_VERSION_HEX >= 0x030B0000
/// A frame of nothing but its description, pushed on the traceback of the exception that is set.
void push(const NativeFrame &frame, PyObject *globals) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyCodeObject *code = PyCode_NewEmpty(frame.file.c_str(), frame.function.c_str(), frame.line);
  PyFrameObject *made = code ? PyFrame_New(PyThreadState_Get(), code, globals, nullptr) : nullptr;
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  if (made)
    PyTraceBack_Here(made);
  Py_XDECREF(made);
  Py_XDECREF(code);
}
#endif

#if PY_VERSION_HEX >= 0x030B0000
/// Pushes the frames that the lines name, up to the interpreter's.
void pushFrames(std::string_view lines, PyObject *globals) {
  NativeFrame frame;
  const bool all = showsAll();
  while (!lines.empty()) {
    size_t end = lines.find('\n');
    if (parseFrame(lines.substr(0, end), &frame)) {
      if (!all && isInterpreter(frame.function))
        break;
      if (all || !isOwn(frame))
        push(frame, globals);
    }
    lines.remove_prefix(end == lines.npos ? lines.size() : end + 1);
  }
}
#endif

} // namespace

void fairlead::python::addNativeFrames(PyObject *exception, std::string_view lines) {
#if PY_VERSION_HEX >= 0x030B0000
  PyObject *before[3];
  PyErr_Fetch(&before[0], &before[1], &before[2]);
  Ref globals(PyDict_New());
  PyErr_Clear();
  if (globals) {
    PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(exception))), Py_NewRef(exception),
                  nullptr);
    try {
      pushFrames(lines, globals.get());
    } catch (const std::bad_alloc &) { // fewer frames
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (traceback)
      PyException_SetTraceback(exception, traceback);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
  }
  PyErr_Restore(before[0], before[1], before[2]);
#else
  (void)exception, (void)lines, (void)parseFrame, (void)isInterpreter, (void)isOwn, (void)showsAll;
#endif
}
