// The call path: converts the arguments, sets the environment, calls, and converts the result.

#include "call/Invoke.h"

#include "Guarded.h"
#include "call/Convert.h"
#include "framework/Import.h"
#include "object/Errors.h"
#include "object/ToPython.h"

using namespace fairlead::python;

namespace {

/// A part of the environment that a call has set, with its previous value.
template <typename Value> struct Replaced {
  bool isSet = false;
  Value old = nullptr;
};

// Not inlined, to keep the address of the old value out of the path of a call.
[[gnu::noinline]] Replaced<TVMFFIStreamHandle> setStream(DLDevice device,
                                                         TVMFFIStreamHandle stream) {
  Replaced<TVMFFIStreamHandle> replaced;
  replaced.isSet = !TVMFFIEnvSetStream(device.device_type, device.device_id, stream, &replaced.old);
  return replaced;
}

[[gnu::noinline]] Replaced<DLPackManagedTensorAllocator>
setAllocator(DLPackManagedTensorAllocator allocator) {
  Replaced<DLPackManagedTensorAllocator> replaced;
  replaced.isSet = !TVMFFIEnvSetDLPackManagedTensorAllocator(allocator, 0, &replaced.old);
  return replaced;
}

/// Sets the stream and the allocator of the arguments' framework while the callee runs. Writes the
/// environment only if it differs, and restores it afterwards.
class Environment {
public:
  bool enter(const Call &call, const FunctionObject *function) {
    if (call.hasStream &&
        TVMFFIEnvGetStream(call.device.device_type, call.device.device_id) != call.stream) {
      stream = setStream(call.device, call.stream);
      if (!stream.isSet)
        return false;
    }
    if (function->envAllocator && call.api && call.api->managed_tensor_allocator &&
        TVMFFIEnvGetDLPackManagedTensorAllocator() != call.api->managed_tensor_allocator) {
      allocator = setAllocator(call.api->managed_tensor_allocator);
      if (!allocator.isSet) {
        leave(call);
        return false;
      }
    }
    return true;
  }

  /// A failure here would have occurred in enter already.
  void leave(const Call &call) {
    if (stream.isSet)
      TVMFFIEnvSetStream(call.device.device_type, call.device.device_id, stream.old, nullptr);
    if (allocator.isSet)
      TVMFFIEnvSetDLPackManagedTensorAllocator(allocator.old, 0, nullptr);
  }

private:
  Replaced<TVMFFIStreamHandle> stream;
  Replaced<DLPackManagedTensorAllocator> allocator;
};

/// Returns the entry of the argument's type, from the last call if the type is the same.
inline const TypeEntry *entryOf(FunctionObject *function, PyObject *argument, Py_ssize_t index) {
  PyTypeObject *type = Py_TYPE(argument);
  if (index < kInlineArgs) {
    // Without the GIL, another thread may have made the entry.
    const TypeEntry *entry = __atomic_load_n(&function->cache[index], __ATOMIC_ACQUIRE);
    if (entry && entry->type == type) [[likely]]
      return entry;
  }
  const TypeEntry *entry = findType(type);
  if (entry && index < kInlineArgs)
    __atomic_store_n(&function->cache[index], entry, __ATOMIC_RELEASE);
  return entry;
}

/// Calls the entry of `function` with converted arguments.
[[gnu::always_inline]] inline PyObject *run(Call &call, FunctionObject *function,
                                            const TVMFFIAny *values, int32_t count) {
  Environment environment;
  if (!environment.enter(call, function)) [[unlikely]]
    return raiseFromAbi();
  TVMFFIAny result = {};
  TVMFFISafeCallType safeCall = function->safeCall;
  TVMFFIObjectHandle handle = function->object.handle;
  int code;
  if (function->releaseGil) {
    PyThreadState *thread = PyEval_SaveThread();
    code = safeCall(handle, values, count, &result);
    untilInterpreterEnds([&] { PyEval_RestoreThread(thread); });
  } else {
    code = safeCall(handle, values, count, &result);
  }
  environment.leave(call);
  if (code) [[unlikely]]
    return raiseFromAbi(code);
  if (result.type_index == kTVMFFINone) [[likely]]
    Py_RETURN_NONE;
  if (result.type_index == kTVMFFITensor && !call.api && call.importer != Importer::None)
    return importResult(result, call.importer);
  return toPython(result, call.api);
}

/// Calls the function's operator, if any, when an argument cannot be taken because torch traces,
/// transforms or differentiates. Without one, returns NULL with the exception that is set.
[[gnu::cold, gnu::noinline]] PyObject *callOperator(FunctionObject *function,
                                                    const TypeEntry &entry, PyObject *const *args,
                                                    Py_ssize_t numArgs) {
  const bool isTensor =
      entry.kind == ArgKind::ExchangeTensor || entry.plainTorch || entry.isTorchWrapper;
  PyObject *operation = function->dict && isTensor
                            ? PyDict_GetItemString(function->dict, kOperatorAttribute)
                            : nullptr;
  if (!operation)
    return nullptr;
  PyErr_Clear();
  Ref owner = Ref::share(operation);
  return PyObject_Vectorcall(operation, args, static_cast<size_t>(numArgs), nullptr);
}

/// Notifies torch's autograd of the tensors that the call writes. False with an exception set.
[[gnu::noinline]] bool noteWrites(FunctionObject *function, PyObject *const *args,
                                  Py_ssize_t numArgs) {
  for (Py_ssize_t i = 0; i < numArgs && function->written >> i; ++i) {
    if (!(function->written >> i & 1))
      continue;
    const TypeEntry *entry = entryOf(function, args[i], i);
    if (!entry || (entry->plainTorch && !bumpTorchVersion(args[i])))
      return false;
  }
  return true;
}

/// Calls with `values` and `tensors` as room for the arguments.
[[gnu::always_inline]] inline PyObject *invoke(FunctionObject *function, PyObject *const *args,
                                               Py_ssize_t numArgs, TVMFFIAny *values,
                                               DLTensor *tensors) {
  Call call(function, function->views);
  for (Py_ssize_t i = 0; i < numArgs; ++i) {
    const TypeEntry *entry = entryOf(function, args[i], i);
    if (!entry) [[unlikely]]
      return nullptr;
    if (!convertInline(call, *entry, args[i], static_cast<int>(i), &values[i], &tensors[i]))
        [[unlikely]]
      return callOperator(function, *entry, args, numArgs);
  }
  if (function->written && !noteWrites(function, args, numArgs)) [[unlikely]]
    return nullptr;
  PyObject *result = run(call, function, values, static_cast<int32_t>(numArgs));
  if (!result) [[unlikely]]
    nameTypes(args, numArgs);
  return result;
}

[[gnu::cold, gnu::noinline]] PyObject *invokeMany(FunctionObject *function, PyObject *const *args,
                                                  Py_ssize_t numArgs) {
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

[[gnu::noinline]] PyObject *callPositional(FunctionObject *function, PyObject *const *args,
                                           Py_ssize_t numArgs) {
  return guarded([&] [[gnu::always_inline]] {
    if (numArgs > kInlineArgs) [[unlikely]]
      return invokeMany(function, args, numArgs);
    TVMFFIAny values[kInlineArgs];
    DLTensor tensors[kInlineArgs];
    return invoke(function, args, numArgs, values, tensors);
  });
}

/// The end of a message about a name that is none of `names`: the nearest of them, or nothing.
/// NULL with an exception set.
PyObject *nearestName(PyObject *name, PyObject *names) {
  Ref hints(PyImport_ImportModule("fairlead._hints"));
  return hints ? PyObject_CallMethod(hints.get(), "did_you_mean", "OO", name, names) : nullptr;
}

/// Raises what does not fit. NULL.
PyObject *raiseProblem(FunctionObject *function, const BindProblem &problem) {
  const CallDescription &call = *function->call;
  Ref text = describeFunction(function);
  switch (problem.kind) {
  case BindProblem::Kind::TooMany:
    return PyErr_Format(PyExc_TypeError,
                        "expected at most %d %sarguments, but got %zd when calling: `%U`",
                        call.numPositional, call.numPositional < call.count ? "positional " : "",
                        problem.number, text.get());
  case BindProblem::Kind::Unexpected: {
    Ref nearest(nearestName(problem.name, call.names));
    return nearest ? PyErr_Format(PyExc_TypeError,
                                  "unexpected keyword argument '%U' when calling: `%U`%U",
                                  problem.name, text.get(), nearest.get())
                   : nullptr;
  }
  case BindProblem::Kind::Twice:
    return PyErr_Format(PyExc_TypeError, "got multiple values for argument '%U' when calling: `%U`",
                        problem.name, text.get());
  case BindProblem::Kind::Missing:
    return PyErr_Format(PyExc_TypeError, "missing argument #%zd (`%U`) when calling: `%U`",
                        problem.number, PyTuple_GET_ITEM(call.names, problem.number), text.get());
  }
  return nullptr;
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

/// Raises the error for a call by keyword of a function with unknown parameters.
PyObject *raiseUnknownNames(FunctionObject *function, PyObject *names) {
  return PyErr_Format(
      PyExc_TypeError,
      "keyword argument '%U' given, but the names of the arguments are not known of `%U`",
      PyTuple_GET_ITEM(names, 0), describeFunction(function).get());
}

/// Handles arguments whose order or form is not the entry's.
PyObject *invokeArranged(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs,
                         PyObject *names) {
  bool hasKeywords = names && PyTuple_GET_SIZE(names);
  if (hasKeywords && !function->call->count) {
    if (!describeWrapped(function))
      return nullptr;
    if (!function->call->count)
      return raiseUnknownNames(function, names);
  }
  // Converting arguments may run code that describes the function again.
  Ref owner = Ref::share(reinterpret_cast<PyObject *>(function->call));
  CallDescription &call = *function->call;
  // The callee reports wrong counts in its own words.
  if (call.isPlain && !hasKeywords && (numArgs > call.count || numArgs < call.numRequired))
    return callPositional(function, args, numArgs);
  Pointers room;
  if (!room.reserve(call.count))
    return nullptr;
  BindProblem problem;
  PyObject *const *given = call.arrange(args, numArgs, names, room.items, problem);
  if (!given)
    return raiseProblem(function, problem);
  return call.forms ? invokeFlattened(function, call, given)
                    : callPositional(function, given, call.count);
}

[[gnu::noinline]] PyObject *callArranged(FunctionObject *function, PyObject *const *args,
                                         Py_ssize_t numArgs, PyObject *names) {
  return guarded([&] { return invokeArranged(function, args, numArgs, names); });
}

} // namespace

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
  // The functions that are called at the ends have the guards, so that these calls are jumps.
  auto *function = reinterpret_cast<FunctionObject *>(self);
  Py_ssize_t numArgs = PyVectorcall_NARGS(numArgsFlags);
  if (hasNotedReferences.load(std::memory_order_relaxed)) [[unlikely]]
    dropNotedReferences();
  const CallDescription &call = *function->call;
  if (names || !call.isPlain || (numArgs != call.count && call.numRequired != call.count))
      [[unlikely]] {
    if (!call.isInOrder(numArgs, names))
      return callArranged(function, args, numArgs, names);
    numArgs = call.count;
  }
  return callPositional(function, args, numArgs);
}
