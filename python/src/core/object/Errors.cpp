#include "object/Errors.h"

#include "Guarded.h"
#include "object/Backtrace.h"
#include "object/Object.h"
#include "object/Reflection.h"
#include "object/ToPython.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace fairlead::python;

namespace {

/// The kinds of errors that have an exception class of their own.
struct Kind {
  std::string_view name;
  PyObject *const &type;
};
const Kind kKinds[] = {{"RuntimeError", PyExc_RuntimeError},
                       {"ValueError", PyExc_ValueError},
                       {"TypeError", PyExc_TypeError},
                       {"AttributeError", PyExc_AttributeError},
                       {"KeyError", PyExc_KeyError},
                       {"IndexError", PyExc_IndexError},
                       {"AssertionError", PyExc_AssertionError},
                       {"MemoryError", PyExc_MemoryError},
                       {"NotImplementedError", PyExc_NotImplementedError},
                       {"BufferError", PyExc_BufferError},
                       {"OverflowError", PyExc_OverflowError},
                       {"ZeroDivisionError", PyExc_ZeroDivisionError},
                       {"ArithmeticError", PyExc_ArithmeticError},
                       {"LookupError", PyExc_LookupError},
                       {"NameError", PyExc_NameError},
                       {"ImportError", PyExc_ImportError},
                       {"ModuleNotFoundError", PyExc_ModuleNotFoundError},
                       {"FileNotFoundError", PyExc_FileNotFoundError},
                       {"PermissionError", PyExc_PermissionError},
                       {"TimeoutError", PyExc_TimeoutError},
                       {"OSError", PyExc_OSError},
                       {"UnicodeError", PyExc_UnicodeError},
                       {"RecursionError", PyExc_RecursionError},
                       {"StopIteration", PyExc_StopIteration},
                       {"EOFError", PyExc_EOFError},
                       {"KeyboardInterrupt", PyExc_KeyboardInterrupt},
                       {"SystemExit", PyExc_SystemExit}};

std::string_view view(const TVMFFIByteArray &text) { return {text.data, text.size}; }

PyObject *text(const TVMFFIByteArray &bytes) {
  return PyUnicode_DecodeUTF8(bytes.data, static_cast<Py_ssize_t>(bytes.size), "replace");
}

/// A new reference to the class for `kind`; RuntimeError for one that has none.
PyObject *classOf(const TVMFFIByteArray &kind) {
  if (state.errorClasses) {
    Ref name(text(kind));
    PyObject *found = name ? PyDict_GetItemWithError(state.errorClasses, name.get()) : nullptr;
    if (found)
      return Py_NewRef(found);
    PyErr_Clear();
  }
  for (const Kind &each : kKinds)
    if (each.name == view(kind))
      return Py_NewRef(each.type);
  return Py_NewRef(PyExc_RuntimeError);
}

/// Adds the error's data that a Python exception has no field for. Failures are ignored: the error
/// itself matters more.
void annotate(PyObject *exception, const TVMFFIErrorCell &cell) {
  Ref kind(text(cell.kind));
  if (kind)
    PyObject_SetAttrString(exception, "__ffi_kind__", kind.get());
  PyErr_Clear();
  if (!cell.backtrace.size)
    return;
  Ref lines(text(cell.backtrace));
  if (lines)
    PyObject_SetAttrString(exception, "__ffi_backtrace__", lines.get());
  PyErr_Clear();
  addNativeFrames(exception, view(cell.backtrace));
}

/// True if exceptions carry their Error as `__tvm_ffi_error__`. False if another package of the ABI
/// is loaded, which would take that object for one of its own.
bool attachesErrors() {
  static int attaches = -1;
  if (attaches < 0) {
    Ref library(PyImport_ImportModule("fairlead.ffi._library"));
    Ref answer(library ? PyObject_CallMethod(library.get(), "has_other_package", nullptr)
                       : nullptr);
    int has = answer ? PyObject_IsTrue(answer.get()) : -1;
    PyErr_Clear();
    attaches = has == 0;
  }
  return attaches;
}

/// Sets `__tvm_ffi_error__` to `error`, which stays the caller's. What fails is left out.
void attachError(PyObject *exception, TVMFFIObjectHandle error) {
  PyTypeObject *type = attachesErrors() ? classOfType(kTVMFFIError) : nullptr;
  if (type) {
    TVMFFIObjectIncRef(error);
    Ref object(wrapObject(type, error));
    if (object)
      PyObject_SetAttrString(exception, "__tvm_ffi_error__", object.get());
  }
  PyErr_Clear();
}

/// An exception that a callback raised gets an error of its own: the one that it came back in holds
/// the exception, and the two would hold each other.
void attachCopy(PyObject *exception, const TVMFFIErrorCell &cell) {
  if (!attachesErrors())
    return;
  Ref present(PyObject_GetAttrString(exception, "__tvm_ffi_error__"));
  PyErr_Clear();
  TVMFFIObjectHandle error;
  if (present || TVMFFIErrorCreate(&cell.kind, &cell.message, &cell.backtrace, &error))
    return;
  attachError(exception, error);
  TVMFFIObjectDecRef(error);
}

/// The exception that a callback raised and the error carries; borrowed, or NULL.
PyObject *originalException(const TVMFFIErrorCell &cell) {
  TVMFFIObjectHandle context = cell.extra_context;
  if (!context || TVMFFIObjectGetTypeIndex(context) != kTVMFFIOpaquePyObject)
    return nullptr;
  auto *object = static_cast<PyObject *>(TVMFFIOpaqueObjectGetCellPtr(context)->handle);
  return PyExceptionInstance_Check(object) ? object : nullptr;
}

/// The kind that register_error gave the class; NULL for none.
const char *registeredKind(PyObject *type) {
  Py_ssize_t place = 0;
  PyObject *kind, *each;
  while (state.errorClasses && PyDict_Next(state.errorClasses, &place, &kind, &each))
    if (each == type) {
      const char *name = PyUnicode_AsUTF8(kind);
      PyErr_Clear();
      return name;
    }
  return nullptr;
}

/// The name of the nearest class that has a kind.
std::string_view kindOf(PyObject *exception) {
  PyObject *mro = Py_TYPE(exception)->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
    PyObject *type = PyTuple_GET_ITEM(mro, i);
    if (const char *kind = registeredKind(type))
      return kind;
    for (const Kind &each : kKinds)
      if (each.type == type)
        return each.name;
  }
  return "RuntimeError";
}

/// The native frames that an exception brought along when it came from the ABI and that its
/// traceback does not show, most recent first.
std::string nativeFrames(PyObject *exception) {
  if (kTracebackFrames)
    return "";
  Ref lines(PyObject_GetAttrString(exception, "__ffi_backtrace__"));
  const char *utf8 =
      lines && PyUnicode_Check(lines.get()) ? PyUnicode_AsUTF8(lines.get()) : nullptr;
  PyErr_Clear();
  return utf8 ? utf8 : "";
}

/// The Python frames of a traceback, most recent first, in the ABI's form.
std::string backtraceOf(PyObject *exception) {
  std::vector<std::string> lines;
  Ref entry(PyException_GetTraceback(exception));
  while (entry && entry.get() != Py_None) {
    Ref frame(PyObject_GetAttrString(entry.get(), "tb_frame"));
    Ref number(PyObject_GetAttrString(entry.get(), "tb_lineno"));
    Ref code(frame ? PyObject_GetAttrString(frame.get(), "f_code") : nullptr);
    Ref file(code ? PyObject_GetAttrString(code.get(), "co_filename") : nullptr);
    Ref function(code ? PyObject_GetAttrString(code.get(), "co_name") : nullptr);
    Ref line(file && function && number
                 ? PyUnicode_FromFormat("  File \"%U\", line %S, in %U\n", file.get(), number.get(),
                                        function.get())
                 : nullptr);
    const char *utf8 = line ? PyUnicode_AsUTF8(line.get()) : nullptr;
    if (utf8)
      lines.emplace_back(utf8);
    PyErr_Clear();
    entry = Ref(PyObject_GetAttrString(entry.get(), "tb_next"));
  }
  PyErr_Clear();
  std::string all;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    all += *line;
  return all;
}

/// True if the error still has the exception's text. Code that caught it may have added to the
/// text.
bool saysTheSame(PyObject *exception, const TVMFFIErrorCell &cell) {
  Ref message(PyObject_Str(exception));
  Py_ssize_t size = 0;
  const char *text = message ? PyUnicode_AsUTF8AndSize(message.get(), &size) : nullptr;
  if (!text) { // It cannot be shown, so it cannot be compared.
    PyErr_Clear();
    return true;
  }
  return std::string_view(text, static_cast<size_t>(size)) == view(cell.message);
}

/// The exception for an error: the one that a callback raised, else a new one. NULL with an
/// exception set.
PyObject *exceptionOf(TVMFFIObjectHandle error) {
  const TVMFFIErrorCell &cell = *TVMFFIErrorGetCellPtr(error);
  PyObject *original = originalException(cell);
  if (original && saysTheSame(original, cell)) {
    attachCopy(original, cell);
    return Py_NewRef(original);
  }
  Ref type(classOf(cell.kind));
  // Errors of launches have a class with their number, where something asked for it by its name.
  constexpr std::string_view kCuda = "CUDA Error: ";
  if (state.errorClasses && type.get() == PyExc_RuntimeError &&
      view(cell.message).substr(0, kCuda.size()) == kCuda)
    type = Ref(classOf({"DSLCudaRuntimeError", sizeof("DSLCudaRuntimeError") - 1}));
  Ref message(text(cell.message));
  Ref exception(message ? PyObject_CallOneArg(type.get(), message.get()) : nullptr);
  if (!exception)
    return nullptr;
  if (!PyExceptionInstance_Check(exception.get())) {
    PyErr_SetString(PyExc_RuntimeError, "a class given to register_error made no exception");
    return nullptr;
  }
  annotate(exception.get(), cell);
  attachError(exception.get(), error);
  if (original)
    PyException_SetCause(exception.get(), Py_NewRef(original));
  return exception.release();
}

/// The error in an Error object; NULL with an exception set.
const TVMFFIErrorCell *cellOf(PyObject *self) {
  auto *object = reinterpret_cast<ObjectObject *>(self);
  if (PyObject_TypeCheck(self, state.objectType) && object->handle &&
      TVMFFIObjectGetTypeIndex(object->handle) == kTVMFFIError)
    return TVMFFIErrorGetCellPtr(object->handle);
  PyErr_Format(PyExc_TypeError, "expected an Error, but got an empty or other %s",
               Py_TYPE(self)->tp_name);
  return nullptr;
}

PyObject *newError(PyObject *, PyObject *args) {
  const char *parts[3];
  Py_ssize_t sizes[3];
  if (!PyArg_ParseTuple(args, "s#s#s#:Error", &parts[0], &sizes[0], &parts[1], &sizes[1], &parts[2],
                        &sizes[2]))
    return nullptr;
  TVMFFIByteArray texts[3];
  for (int i = 0; i < 3; ++i)
    texts[i] = {parts[i], static_cast<size_t>(sizes[i])};
  TVMFFIObjectHandle error;
  if (TVMFFIErrorCreate(&texts[0], &texts[1], &texts[2], &error))
    return raiseFromAbi();
  return wrapObject(classOfType(kTVMFFIError), error);
}

PyObject *errorText(PyObject *, PyObject *args) {
  PyObject *self;
  int part;
  if (!PyArg_ParseTuple(args, "Oi:_error_text", &self, &part))
    return nullptr;
  const TVMFFIErrorCell *cell = cellOf(self);
  return cell ? text(part == 0   ? cell->kind
                     : part == 1 ? cell->message
                                 : cell->backtrace)
              : nullptr;
}

PyObject *errorContext(PyObject *, PyObject *self) {
  const TVMFFIErrorCell *cell = cellOf(self);
  if (!cell)
    return nullptr;
  if (!cell->extra_context)
    Py_RETURN_NONE;
  TVMFFIAny value = {};
  value.type_index = TVMFFIObjectGetTypeIndex(cell->extra_context);
  value.v_obj = static_cast<TVMFFIObject *>(cell->extra_context);
  return viewToPython(value);
}

PyObject *setBacktrace(PyObject *, PyObject *args) {
  PyObject *self;
  const char *lines;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "Os#:_error_set_backtrace", &self, &lines, &size))
    return nullptr;
  const TVMFFIErrorCell *cell = cellOf(self);
  if (!cell)
    return nullptr;
  TVMFFIByteArray bytes = {lines, static_cast<size_t>(size)};
  cell->update_backtrace(reinterpret_cast<ObjectObject *>(self)->handle, &bytes,
                         kTVMFFIBacktraceUpdateModeReplace);
  Py_RETURN_NONE;
}

PyObject *errorException(PyObject *, PyObject *self) {
  return cellOf(self) ? exceptionOf(reinterpret_cast<ObjectObject *>(self)->handle) : nullptr;
}

} // namespace

PyMethodDef fairlead::python::errorMethods[] = {
    {"_make_error", method<newError>(), METH_VARARGS,
     "_make_error(kind, message, backtrace, /)\n--\n\nAn Error of the ABI."},
    {"_error_text", method<errorText>(), METH_VARARGS,
     "_error_text(error, part, /)\n--\n\nKind (0), message (1) or backtrace (2)."},
    {"_error_context", method<errorContext>(), METH_O,
     "_error_context(error, /)\n--\n\nThe object that the error carries, or None."},
    {"_error_set_backtrace", method<setBacktrace>(), METH_VARARGS,
     "_error_set_backtrace(error, backtrace, /)\n--\n\nReplaces the frames."},
    {"_error_exception", method<errorException>(), METH_O,
     "_error_exception(error, /)\n--\n\nThe Python exception of an Error."},
    {}};

PyObject *fairlead::python::raiseFromAbi(int code) {
  if (code == -2 && PyErr_Occurred())
    return nullptr;
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (!error) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_RuntimeError, "the function failed with code %d and gave no error", code);
    return nullptr;
  }
  const TVMFFIErrorCell &cell = *TVMFFIErrorGetCellPtr(error);
  if (view(cell.kind) == "EnvErrorAlreadySet" && PyErr_Occurred()) {
    TVMFFIObjectDecRef(error);
    return nullptr;
  }
  Ref exception(exceptionOf(error));
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
  TVMFFIObjectDecRef(error);
  return nullptr;
}

TVMFFIObjectHandle fairlead::python::makeOpaque(PyObject *object) {
  TVMFFIObjectHandle handle = nullptr;
  if (TVMFFIObjectCreateOpaque(Py_NewRef(object), kTVMFFIOpaquePyObject, releasePyObject,
                               &handle)) {
    Py_DECREF(object);
    raiseFromAbi();
    return nullptr;
  }
  return handle;
}

TVMFFIObjectHandle fairlead::python::makeError(PyObject *exception) {
  Ref message(PyObject_Str(exception));
  const char *utf8 = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
  if (!utf8) {
    PyErr_Clear();
    utf8 = "(the exception's text cannot be shown)";
  }
  std::string_view kind = kindOf(exception);
  std::string frames;
  try {
    frames = nativeFrames(exception) + backtraceOf(exception);
  } catch (const std::bad_alloc &) { // an error without a backtrace
  }
  TVMFFIByteArray kindBytes = {kind.data(), kind.size()};
  TVMFFIByteArray messageBytes = {utf8, std::strlen(utf8)};
  TVMFFIByteArray frameBytes = {frames.data(), frames.size()};
  // The exception itself travels along, so that Python on the other side gets the same object.
  TVMFFIObjectHandle carried = nullptr, error = nullptr;
  carried = makeOpaque(exception);
  PyErr_Clear();
  if (TVMFFIErrorCreateWithCauseAndExtraContext(&kindBytes, &messageBytes, &frameBytes, nullptr,
                                                carried, &error))
    error = nullptr;
  if (carried)
    TVMFFIObjectDecRef(carried);
  return error;
}

int fairlead::python::raiseToAbi() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Ref ownedType(type), exception(value), ownedTraceback(traceback);
  if (TVMFFIObjectHandle error = makeError(exception.get())) {
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
  } else {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "no memory for an error");
  }
  return -1;
}
