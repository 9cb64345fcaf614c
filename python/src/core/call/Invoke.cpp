// The call path: arguments to the stack, the environment where it changes, the callee, the result.

#include "call/Invoke.h"

#include "call/ArgumentPlan.h"
#include "call/Convert.h"
#include "framework/Import.h"
#include "object/Errors.h"
#include "object/ToPython.h"

#include <algorithm>

using namespace fairlead::python;

namespace {

/// The stream and the allocator of the arguments' framework while the callee runs. Writes the
/// environment only where it differs, and then puts it back.
class Environment {
public:
  Environment(const Call &call, const FunctionObject *function) : call(call), function(function) {}

  bool enter() {
    if (call.hasStream) {
      int32_t type = call.device.device_type, id = call.device.device_id;
      if (TVMFFIEnvGetStream(type, id) != call.stream) {
        if (TVMFFIEnvSetStream(type, id, call.stream, &oldStream))
          return false;
        streamSet = true;
      }
    }
    if (function->envAllocator && call.api && call.api->managed_tensor_allocator &&
        TVMFFIEnvGetDLPackManagedTensorAllocator() != call.api->managed_tensor_allocator) {
      if (TVMFFIEnvSetDLPackManagedTensorAllocator(call.api->managed_tensor_allocator, 0,
                                                   &oldAllocator)) {
        leave();
        return false;
      }
      allocatorSet = true;
    }
    return true;
  }

  /// What fails here failed in enter first.
  void leave() {
    if (streamSet)
      TVMFFIEnvSetStream(call.device.device_type, call.device.device_id, oldStream, nullptr);
    if (allocatorSet)
      TVMFFIEnvSetDLPackManagedTensorAllocator(oldAllocator, 0, nullptr);
  }

private:
  const Call &call;
  const FunctionObject *const function;
  bool streamSet = false, allocatorSet = false;
  TVMFFIStreamHandle oldStream = nullptr;
  DLPackManagedTensorAllocator oldAllocator = nullptr;
};

/// The entry of the argument's type, from the last call where it has not changed.
inline const TypeEntry *entryOf(FunctionObject *function, PyObject *argument, Py_ssize_t index) {
  PyTypeObject *type = Py_TYPE(argument);
  if (index < kInlineArgs) {
    const TypeEntry *entry = __atomic_load_n(&function->cache[index], __ATOMIC_RELAXED);
    if (entry && entry->type == type) [[likely]]
      return entry;
  }
  const TypeEntry *entry = findType(type);
  if (entry && index < kInlineArgs)
    __atomic_store_n(&function->cache[index], entry, __ATOMIC_RELAXED);
  return entry;
}

/// Calls the entry of `function` with converted arguments.
[[gnu::always_inline]] inline PyObject *run(Call &call, FunctionObject *function,
                                            const TVMFFIAny *values, int32_t count) {
  Environment environment(call, function);
  if (!environment.enter()) [[unlikely]]
    return raiseFromAbi();
  TVMFFIAny result = {};
  TVMFFISafeCallType safeCall = function->safeCall;
  TVMFFIObjectHandle handle = function->object.handle;
  int code;
  if (function->releaseGil) {
    PyThreadState *thread = PyEval_SaveThread();
    code = safeCall(handle, values, count, &result);
    PyEval_RestoreThread(thread);
  } else {
    code = safeCall(handle, values, count, &result);
  }
  environment.leave();
  if (code) [[unlikely]]
    return raiseFromAbi(code);
  if (result.type_index == kTVMFFINone) [[likely]]
    Py_RETURN_NONE;
  if (result.type_index == kTVMFFITensor && !call.api && call.importer != Importer::None)
    return importResult(result, call.importer);
  return toPython(result, call.api);
}

/// Calls with `values` and `tensors` as room for the arguments.
inline PyObject *invoke(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs,
                        TVMFFIAny *values, DLTensor *tensors) {
  Call call(function, function->views);
  for (Py_ssize_t i = 0; i < numArgs; ++i) {
    const TypeEntry *entry = entryOf(function, args[i], i);
    if (!entry) [[unlikely]]
      return nullptr;
    if (!convertInline(call, *entry, args[i], static_cast<int>(i), &values[i], &tensors[i]))
        [[unlikely]]
      return nullptr;
  }
  PyObject *result = run(call, function, values, static_cast<int32_t>(numArgs));
  if (!result) [[unlikely]]
    nameTypes(args, numArgs);
  return result;
}

PyObject *invokeMany(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs) {
  if (numArgs > INT32_MAX) {
    PyErr_SetString(PyExc_TypeError, "too many arguments");
    return nullptr;
  }
  char *room = static_cast<char *>(PyMem_Malloc(numArgs * (sizeof(TVMFFIAny) + sizeof(DLTensor))));
  if (!room)
    return PyErr_NoMemory();
  auto *tensors = reinterpret_cast<DLTensor *>(room);
  auto *values = reinterpret_cast<TVMFFIAny *>(tensors + numArgs);
  PyObject *result = invoke(function, args, numArgs, values, tensors);
  PyMem_Free(room);
  return result;
}

inline PyObject *callPositional(FunctionObject *function, PyObject *const *args,
                                Py_ssize_t numArgs) {
  if (numArgs > kInlineArgs) [[unlikely]]
    return invokeMany(function, args, numArgs);
  TVMFFIAny values[kInlineArgs];
  DLTensor tensors[kInlineArgs];
  return invoke(function, args, numArgs, values, tensors);
}

/// The place of keyword `name`; -1 with an exception set.
int placeOf(FunctionObject *function, PyObject *name) {
  int place = indexOfName(function->argNames, name);
  if (place < 0)
    PyErr_Format(PyExc_TypeError, "unexpected keyword argument '%U' when calling: `%U`", name,
                 describeFunction(function).get());
  return place;
}

/// Puts keyword arguments and defaults in their places; `full` has room for one argument a name.
bool arrange(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs, PyObject *names,
             PyObject **full) {
  std::copy(args, args + numArgs, full);
  std::fill(full + numArgs, full + function->numNames, nullptr);
  Py_ssize_t numKeywords = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < numKeywords; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    int place = placeOf(function, name);
    if (place < 0)
      return false;
    if (full[place]) {
      PyErr_Format(PyExc_TypeError, "got multiple values for argument '%U' when calling: `%U`",
                   name, describeFunction(function).get());
      return false;
    }
    full[place] = args[numArgs + i];
  }
  int firstDefault = function->numNames - function->numDefaults;
  for (int i = 0; i < function->numNames; ++i) {
    if (full[i])
      continue;
    if (i < firstDefault) {
      PyErr_Format(PyExc_TypeError, "missing argument #%d (`%U`) when calling: `%U`", i,
                   PyTuple_GET_ITEM(function->argNames, i), describeFunction(function).get());
      return false;
    }
    full[i] = PyTuple_GET_ITEM(function->defaults, i - firstDefault);
  }
  return true;
}

/// Has a function made of a Python callable know the names of its arguments, where the callable
/// tells. False with an exception set.
bool describeWrapped(FunctionObject *function) {
  PyObject *wrapped =
      function->dict ? PyDict_GetItemString(function->dict, kWrappedAttribute) : nullptr;
  if (!wrapped)
    return true;
  Ref module(PyImport_ImportModule("fairlead.ffi._metadata"));
  return Ref(module
                 ? PyObject_CallMethod(module.get(), "describe_callable", "OO", function, wrapped)
                 : nullptr)
      .get();
}

PyObject *invokeNamed(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs,
                      PyObject *names) {
  if (const Arrangement *known = findArrangement(function, numArgs, names)) [[likely]] {
    int count = function->numNames, firstDefault = count - function->numDefaults;
    if (known->inOrder)
      return callPositional(function, args, count);
    PyObject *full[kInlineArgs];
    for (int i = 0; i < count; ++i)
      full[i] = known->from[i] >= 0 ? args[known->from[i]]
                                    : PyTuple_GET_ITEM(function->defaults, i - firstDefault);
    return callPositional(function, full, count);
  }
  bool hasKeywords = names && PyTuple_GET_SIZE(names);
  if (!function->numNames && hasKeywords && !describeWrapped(function))
    return nullptr;
  if (!function->numNames && hasKeywords) {
    PyErr_Format(
        PyExc_TypeError,
        "keyword argument '%U' given, but the names of the arguments are not known of `%U`",
        PyTuple_GET_ITEM(names, 0), describeFunction(function).get());
    return nullptr;
  }
  int numNames = function->numNames;
  // The callee reports wrong counts in its own words.
  if (numArgs > numNames) {
    if (!names || !PyTuple_GET_SIZE(names))
      return callPositional(function, args, numArgs);
    PyErr_Format(PyExc_TypeError, "expected at most %d arguments, but got %zd when calling: `%U`",
                 numNames, numArgs + PyTuple_GET_SIZE(names), describeFunction(function).get());
    return nullptr;
  }
  if (!names && numArgs < numNames - function->numDefaults)
    return callPositional(function, args, numArgs);
  PyObject *inlineRoom[kInlineArgs];
  PyObject **full = inlineRoom;
  if (numNames > kInlineArgs) {
    full = static_cast<PyObject **>(PyMem_Malloc(numNames * sizeof(PyObject *)));
    if (!full)
      return PyErr_NoMemory();
  }
  PyObject *result = nullptr;
  if (arrange(function, args, numArgs, names, full)) {
    rememberArrangement(function, function->argNames, numArgs, names);
    result = callPositional(function, full, numNames);
  }
  if (full != inlineRoom)
    PyMem_Free(full);
  return result;
}

} // namespace

int fairlead::python::indexOfName(PyObject *names, PyObject *name) {
  auto count = static_cast<int>(PyTuple_GET_SIZE(names));
  for (int i = 0; i < count; ++i)
    if (PyTuple_GET_ITEM(names, i) == name)
      return i;
  for (int i = 0; i < count; ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name) == 0)
      return i;
  return -1;
}

PyObject *fairlead::python::invokePositional(FunctionObject *function, PyObject *const *args,
                                             Py_ssize_t numArgs) {
  return callPositional(function, args, numArgs);
}

PyObject *fairlead::python::runConverted(Call &call, FunctionObject *function,
                                         const TVMFFIAny *values, int32_t count) {
  return run(call, function, values, count);
}

PyObject *fairlead::python::callFunction(PyObject *self, PyObject *const *args, size_t numArgsFlags,
                                         PyObject *names) {
  auto *function = reinterpret_cast<FunctionObject *>(self);
  Py_ssize_t numArgs = PyVectorcall_NARGS(numArgsFlags);
  if (hasNotedReferences.load(std::memory_order_relaxed)) [[unlikely]]
    dropNotedReferences();
  if (function->plan) [[unlikely]]
    return invokePlanned(function, args, numArgs, names);
  if (names || (numArgs != function->numNames && function->numDefaults)) [[unlikely]]
    return invokeNamed(function, args, numArgs, names);
  return callPositional(function, args, numArgs);
}
