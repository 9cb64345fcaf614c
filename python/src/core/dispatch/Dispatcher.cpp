// fairlead._core.Dispatcher: a function that is compiled once for each kind of argument. It finds
// the compiled function without Python code.

#include "Guarded.h"
#include "State.h"
#include "call/Convert.h"
#include "call/Function.h"
#include "call/Invoke.h"
#include "dispatch/Guards.h"
#include "dispatch/Kinds.h"

#include <structmember.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

using namespace fairlead::python;

namespace {

/// More kinds than this: the one used longest ago is compiled again.
constexpr size_t kMaxKinds = 64;

#ifdef Py_GIL_DISABLED
constexpr bool kRemembers = false; // the list has no lock
#else
constexpr bool kRemembers = true;
#endif

/// While above 0, this thread traces a program, and a call is part of it.
thread_local int tracingDepth = 0;
/// The sum of all threads', which costs less to read.
std::atomic<int> allTracing = 0;

bool isTracing() { return allTracing.load(std::memory_order_relaxed) && tracingDepth; }

struct Specialisation {
  std::vector<Kind> kinds;
  std::vector<Ref> statics; ///< the values of static parameters, in order
  std::vector<Kind> parts;  ///< of tuples and objects of several fields, one after the other
  std::vector<Ref> types;   ///< the types whose addresses are in `kinds` and `parts`
  Ref function;             ///< a Function
  Ref guardsObject;         ///< a Guards, or nothing
  Guards *guards = nullptr; ///< in it
  int users = 0;
};

/// Shares a specialisation: comparing values may run Python code that makes the dispatcher drop it.
class SharedSpecialisation {
public:
  SharedSpecialisation() = default;
  explicit SharedSpecialisation(Specialisation *made) : made(made) { ++made->users; }
  SharedSpecialisation(const SharedSpecialisation &other) : made(other.made) {
    if (made)
      ++made->users;
  }
  SharedSpecialisation(SharedSpecialisation &&other) noexcept
      : made(std::exchange(other.made, nullptr)) {}
  SharedSpecialisation &operator=(SharedSpecialisation other) noexcept {
    std::swap(made, other.made);
    return *this;
  }
  ~SharedSpecialisation() {
    if (made && !--made->users) [[unlikely]]
      drop(made);
  }
  Specialisation *operator->() const { return made; }
  explicit operator bool() const { return made; }
  bool operator==(const SharedSpecialisation &other) const { return made == other.made; }

private:
  [[gnu::noinline, gnu::cold]] static void drop(Specialisation *made) { delete made; }

  Specialisation *made = nullptr;
};

struct DispatcherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  CallDescription *call;                              ///< its parameters; NULL until _describe
  uint64_t statics;                                   ///< bit i: parameter i is known while tracing
  std::vector<SharedSpecialisation> *specialisations; ///< that of the last call first
  const TypeEntry *cache[kInlineArgs];
};

DispatcherObject *cast(PyObject *self) { return reinterpret_cast<DispatcherObject *>(self); }

/// The arguments of one call, in the order of the parameters, and their converted forms.
struct Arguments {
  PyObject *const *full; ///< one for each parameter: what the caller has, or `room`
  PyObject *room[kInlineArgs];
  Kind kinds[kInlineArgs];
  TVMFFIAny values[kInlineArgs];
  DLTensor tensors[kInlineArgs];
  int count = 0;
  bool hasParts = false; ///< some argument is made of several: a form takes it apart

  /// Returns false, without an exception, if Python code has to look at the call.
  bool arrange(DispatcherObject *self, PyObject *const *args, Py_ssize_t numArgs, PyObject *names) {
    BindProblem problem;
    full = self->call ? self->call->arrange(args, numArgs, names, room, problem) : nullptr;
    return full;
  }

  /// False, and no exception, if Python code has to look at the call.
  [[gnu::always_inline]] bool convert(DispatcherObject *self, Call &call) {
    // Locals hold values that the calls in between cannot change.
    PyObject *const *const given = full;
    const int numParameters = self->call->count;
    const uint64_t statics = self->statics;
    int converted = 0;
    for (int i = 0; i < numParameters; ++i) {
      if (statics >> i & 1) {
        kinds[i] = {kStaticTag, 0};
        continue;
      }
      PyObject *argument = given[i];
      const TypeEntry *entry = self->cache[i];
      if (!entry || entry->type != Py_TYPE(argument)) [[unlikely]] {
        entry = findType(Py_TYPE(argument));
        if (!entry) {
          PyErr_Clear();
          return false;
        }
        self->cache[i] = entry;
      }
      TVMFFIAny &value = values[converted];
      DLTensor &tensor = tensors[converted];
      if (entry->kind == ArgKind::ExchangeTensor && entry->toDLTensor) [[likely]] {
        if (!convertInline(call, *entry, argument, converted, &value, &tensor)) [[unlikely]] {
          PyErr_Clear();
          return false;
        }
        if (!describeTensor(tensor, kinds[i])) [[unlikely]]
          return false;
        ++converted;
        continue;
      }
      kinds[i] = {0, 0};
      if (entry->kind == ArgKind::None) {
        kinds[i].first = kNoneTag;
        continue;
      }
      if (!hasOneKind(entry->kind)) {
        kinds[i] = {kPartsTag, reinterpret_cast<uintptr_t>(entry->type)};
        hasParts = true;
        continue;
      }
      if (!convertInline(call, *entry, argument, converted, &value, &tensor)) {
        PyErr_Clear();
        return false;
      }
      bool isTensor = entry->kind == ArgKind::NumPyArray && value.type_index == kTVMFFIDLTensorPtr;
      if (!(isTensor ? describeTensor(*static_cast<DLTensor *>(value.v_ptr), kinds[i])
                     : describeValue(entry->kind, argument, value, kinds[i])))
        return false;
      ++converted;
    }
    count = converted;
    return true;
  }
};

/// Adds the kinds of values with several parts, in the order of their parts in a call of
/// `function`. False, and no exception, if Python code has to look at the call.
bool describeAllParts(DispatcherObject *self, FunctionObject *function, const Arguments &arguments,
                      Parts &parts) {
  const CallDescription &call = *function->call;
  if (!call.forms || call.numPositional != call.count)
    return false;
  int next = 0;
  for (int i = 0; i < self->call->count; ++i) {
    if (self->statics >> i & 1)
      continue;
    if (next >= call.count)
      return false;
    if (arguments.kinds[i].first == kPartsTag && !parts.add((*call.forms)[next], arguments.full[i]))
      return false;
    ++next;
  }
  return next == call.count;
}

/// Apart, since most calls have no parts, and need no room for them.
[[gnu::noinline]] bool matchesParts(DispatcherObject *self, const SharedSpecialisation &candidate,
                                    const Arguments &arguments) {
  auto *function = reinterpret_cast<FunctionObject *>(candidate->function.get());
  Parts parts(function);
  return describeAllParts(self, function, arguments, parts) && parts == candidate->parts;
}

inline bool matches(DispatcherObject *self, const SharedSpecialisation &candidate,
                    const Arguments &arguments) {
  size_t next = 0;
  for (int i = 0; candidate->statics.size() > next; ++i)
    if (self->statics >> i & 1 && !sameStatic(candidate->statics[next++].get(), arguments.full[i]))
      return false;
  if (arguments.hasParts && !matchesParts(self, candidate, arguments)) [[unlikely]]
    return false;
  return !candidate->guards || candidate->guards->isUnchanged();
}

/// True if `function` has the dispatcher's parameters that are not static.
bool sameNames(DispatcherObject *self, FunctionObject *function) {
  int next = 0;
  for (int i = 0; i < self->call->count; ++i) {
    if (self->statics >> i & 1)
      continue;
    if (next == function->call->count ||
        PyUnicode_Compare(PyTuple_GET_ITEM(self->call->names, i),
                          PyTuple_GET_ITEM(function->call->names, next++)) != 0)
      return false;
  }
  return next == function->call->count;
}

/// True if the dispatcher can tell the kinds of values of this form.
bool tellsKind(const Form &form) {
  if (form.kind == Form::Kind::Custom || form.kind == Form::Kind::Omitted)
    return false;
  return (form.kind != Form::Kind::Constant || cannotChange(form.value)) &&
         std::all_of(form.children.begin(), form.children.end(), tellsKind);
}

/// True if the dispatcher can tell which calls, with arguments such as `full`, are for `function`.
bool tellsKinds(DispatcherObject *self, FunctionObject *function, PyObject *full) {
  for (int i = 0; i < self->call->count; ++i)
    if (self->statics >> i & 1 && !cannotChange(PyTuple_GET_ITEM(full, i)))
      return false;
  return !function->call->forms ||
         std::all_of(function->call->forms->begin(), function->call->forms->end(), tellsKind);
}

/// Calls a function that takes the arguments apart, or whose class has its own `__call__`.
PyObject *runByObjects(DispatcherObject *self, FunctionObject *function,
                       const Arguments &arguments) {
  PyObject *passed[kInlineArgs];
  Py_ssize_t count = 0;
  for (int i = 0; i < self->call->count; ++i)
    if (!(self->statics >> i & 1))
      passed[count++] = arguments.full[i];
  return PyObject_Vectorcall(reinterpret_cast<PyObject *>(function), passed, count, nullptr);
}

/// Returns true if a specialisation fits these arguments: `match` is it, at index `place`. `match`
/// may be a previous one, whose references then need no recount.
[[gnu::always_inline]] inline bool find(DispatcherObject *self, const Arguments &arguments,
                                        SharedSpecialisation &match, size_t &place) {
  auto &all = *self->specialisations;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!std::equal(all[i]->kinds.begin(), all[i]->kinds.end(), arguments.kinds))
      continue;
    if (!(match == all[i]))
      match = all[i];
    if (!matches(self, match, arguments))
      continue;
    place = i;
    return i < all.size() && all[i] == match;
  }
  return false;
}

/// True if the code of a frame is in the folder.
bool isIn(PyTracebackObject *entry, PyObject *folder) {
  Ref code(reinterpret_cast<PyObject *>(PyFrame_GetCode(entry->tb_frame)));
  Ref name(PyObject_GetAttrString(code.get(), "co_filename"));
  int answer = name && PyUnicode_Check(name.get())
                   ? PyUnicode_Tailmatch(name.get(), folder, 0, PY_SSIZE_T_MAX, -1)
                   : 0;
  PyErr_Clear();
  return answer > 0;
}

/// Returns the entries of a traceback; none if memory is short.
std::vector<PyTracebackObject *> entriesOf(PyObject *traceback) {
  std::vector<PyTracebackObject *> entries;
  try {
    for (auto *entry = reinterpret_cast<PyTracebackObject *>(traceback); entry;
         entry = entry->tb_next)
      entries.push_back(entry);
  } catch (const std::bad_alloc &) {
    entries.clear();
  }
  return entries;
}

/// Takes the frames of the folder `self._hidden` out of the traceback of the exception that is set.
void hideFrames(PyObject *self) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Ref folder(PyObject_GetAttrString(self, "_hidden"));
  PyErr_Clear();
  Ref visible;
  std::vector<PyTracebackObject *> entries = entriesOf(traceback);
  if (folder && PyUnicode_Check(folder.get())) {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
      if (!isIn(*entry, folder.get())) {
        Ref rest = Ref::share(visible.get() ? visible.get() : Py_None);
        if (PyObject_SetAttrString(reinterpret_cast<PyObject *>(*entry), "tb_next", rest.get()))
          PyErr_Clear();
        visible = Ref::share(reinterpret_cast<PyObject *>(*entry));
      }
    if (visible || !entries.empty()) {
      Py_XDECREF(traceback);
      traceback = visible.release();
    }
  }
  PyErr_Restore(type, value, traceback);
}

PyObject *callMethod(PyObject *self, const char *name, PyObject *const *args, size_t numArgsFlags,
                     PyObject *names) {
  Ref method(PyObject_GetAttrString(self, name));
  PyObject *result = nullptr;
  if (method)
    result = untilInterpreterEnds([&] {
      return PyObject_Vectorcall(method.get(), args, numArgsFlags & ~PY_VECTORCALL_ARGUMENTS_OFFSET,
                                 names);
    });
  // Frames of a traced program say where an error is; run() marks it.
  if (!result && !isTracing())
    hideFrames(self);
  return result;
}

PyObject *dispatch(PyObject *self, PyObject *const *args, size_t numArgsFlags, PyObject *names) {
  if (isTracing()) [[unlikely]]
    return callMethod(self, "_inline", args, numArgsFlags, names);
  DispatcherObject *dispatcher = cast(self);
  auto &all = *dispatcher->specialisations;
  if (!all.empty()) {
    Arguments arguments;
    if (arguments.arrange(dispatcher, args, PyVectorcall_NARGS(numArgsFlags), names)) {
      // Errors of converting name the function of the last call.
      SharedSpecialisation match = all.front();
      Call call(reinterpret_cast<FunctionObject *>(match->function.get()), true);
      size_t place = 0;
      if (arguments.convert(dispatcher, call) && find(dispatcher, arguments, match, place))
          [[likely]] {
        if (place > 3) // Of a few kinds in turn, the order does not matter.
          std::rotate(all.begin(), all.begin() + place, all.begin() + place + 1);
        auto *function = reinterpret_cast<FunctionObject *>(match->function.get());
        if (arguments.hasParts || !hasFastCall(function))
          return runByObjects(dispatcher, function, arguments);
        return runConverted(call, function, arguments.values, arguments.count);
      }
    }
  }
  return callMethod(self, "_direct", args, numArgsFlags, names);
}

PyObject *describe(PyObject *self, PyObject *args) {
  PyObject *given, *statics;
  if (!PyArg_ParseTuple(args, "OO!:_describe", &given, &PyTuple_Type, &statics))
    return nullptr;
  DispatcherObject *dispatcher = cast(self);
  CallDescription *call = asCallDescription(given);
  if (!call || PyTuple_GET_SIZE(statics) != call->count) {
    PyErr_SetString(PyExc_ValueError, "_describe: a CallDescription, and a bool for each name");
    return nullptr;
  }
  if (call->count > kInlineArgs) // Python code does it all.
    Py_RETURN_NONE;
  dispatcher->statics = 0;
  for (int i = 0; i < call->count; ++i)
    if (PyTuple_GET_ITEM(statics, i) == Py_True)
      dispatcher->statics |= uint64_t(1) << i;
  Py_INCREF(given);
  Py_XSETREF(dispatcher->call, call);
  Py_RETURN_NONE;
}

PyObject *remember(PyObject *self, PyObject *args) {
  PyObject *full, *function;
  if (!PyArg_ParseTuple(args, "O!O!:_remember", &PyTuple_Type, &full, state.functionType,
                        &function))
    return nullptr;
  DispatcherObject *dispatcher = cast(self);
  if (!kRemembers || !dispatcher->call || PyTuple_GET_SIZE(full) != dispatcher->call->count ||
      !tellsKinds(dispatcher, reinterpret_cast<FunctionObject *>(function), full))
    Py_RETURN_FALSE;
  Arguments arguments;
  arguments.full = arguments.room;
  for (int i = 0; i < dispatcher->call->count; ++i)
    arguments.room[i] = PyTuple_GET_ITEM(full, i);
  Call call(reinterpret_cast<FunctionObject *>(function), true);
  if (!arguments.convert(dispatcher, call))
    Py_RETURN_FALSE;
  SharedSpecialisation made(new Specialisation());
  if (arguments.hasParts) {
    Parts parts(call.function);
    if (!sameNames(dispatcher, call.function) ||
        !describeAllParts(dispatcher, call.function, arguments, parts))
      Py_RETURN_FALSE;
    made->parts.assign(parts.begin(), parts.end());
    made->types = parts.types();
  }
  made->kinds.assign(arguments.kinds, arguments.kinds + dispatcher->call->count);
  for (int i = 0; i < dispatcher->call->count; ++i)
    if (dispatcher->statics >> i & 1)
      made->statics.push_back(Ref::share(arguments.full[i]));
  made->function = Ref::share(function);
  made->guardsObject = Ref(PyObject_GetAttrString(function, "guards"));
  PyErr_Clear();
  made->guards = guardsOf(made->guardsObject.get());
  size_t place = 0;
  SharedSpecialisation old; // released last: that may run Python code, which may call
  if (!find(dispatcher, arguments, old, place))
    old = SharedSpecialisation();
  auto &all = *dispatcher->specialisations;
  if (!old && all.size() == kMaxKinds)
    old = all[place = kMaxKinds - 1];
  if (old)
    all.erase(all.begin() + place);
  all.insert(all.begin(), std::move(made));
  Py_RETURN_TRUE;
}

PyObject *remembered(PyObject *self, PyObject *) {
  Ref list(PyList_New(0));
  // A copy: making a list may run code of users, by the garbage collector.
  std::vector<SharedSpecialisation> all = *cast(self)->specialisations;
  for (const SharedSpecialisation &each : all)
    if (list && PyList_Append(list.get(), each->function.get()))
      return nullptr;
  return list.release();
}

PyObject *forget(PyObject *self, PyObject *) {
  std::vector<SharedSpecialisation> old;
  std::swap(old, *cast(self)->specialisations);
  Py_RETURN_NONE;
}

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  auto specialisations = std::make_unique<std::vector<SharedSpecialisation>>();
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  cast(self)->vectorcall = Guarded<dispatch>::call;
  cast(self)->specialisations = specialisations.release();
  return self;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->call);
  if (cast(self)->specialisations)
    for (const SharedSpecialisation &each : *cast(self)->specialisations) {
      Py_VISIT(each->function.get());
      for (const Ref &value : each->statics)
        Py_VISIT(value.get());
      for (const Ref &type : each->types)
        Py_VISIT(type.get());
      Py_VISIT(each->guardsObject.get());
    }
  return 0;
}

int clear(PyObject *self) {
  Py_CLEAR(cast(self)->call);
  if (cast(self)->specialisations) {
    std::vector<SharedSpecialisation> old;
    std::swap(old, *cast(self)->specialisations);
  }
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  delete cast(self)->specialisations;
  type->tp_free(self);
  Py_DECREF(type);
}

/// Like a function in a class: accessed through an object it is a method.
PyObject *bind(PyObject *self, PyObject *instance, PyObject *) {
  return !instance || instance == Py_None ? Py_NewRef(self) : PyMethod_New(self, instance);
}

/// Restores two features that Python takes from subclasses written in Python: the fast call, and
/// method calls without method objects.
PyObject *initSubclass(PyObject *type, PyObject *) {
  auto *subclass = reinterpret_cast<PyTypeObject *>(type);
  if (!keepFastCall(subclass))
    return nullptr;
  if (subclass->tp_descr_get == Guarded<bind>::call)
    subclass->tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"_describe", method<describe>(), METH_VARARGS,
     "_describe($self, call, statics)\n--\n\n"
     "Says what the parameters are, a CallDescription. statics: which are known while tracing. "
     "Without it, Python code handles every call."},
    {"_remember", method<remember>(), METH_VARARGS,
     "_remember($self, arguments, function)\n--\n\n"
     "Calls with arguments of these kinds, one for each parameter, go to function from now on, as "
     "long as the names outside of it, its attribute `guards`, a Guards, stand for what they did. "
     "False where only Python code can tell their kind."},
    {"_remembered", method<remembered>(), METH_NOARGS,
     "_remembered($self)\n--\n\nThe functions that calls go to, that of the last one first."},
    {"_forget", method<forget>(), METH_NOARGS, "_forget($self)\n--\n\nForgets all functions."},
    {"__init_subclass__", method<initSubclass>(), METH_NOARGS | METH_CLASS, nullptr},
    {}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(DispatcherObject, vectorcall), READONLY, nullptr},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>(
                    "A function that is compiled once for each kind of argument. A subclass has "
                    "_direct, for calls of a new kind, and _inline, for those of a traced program; "
                    "frames of files below the folder _hidden are left out of tracebacks.")},
    {Py_tp_new, slot<create>()},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_traverse, slot<traverse>()},
    {Py_tp_clear, slot<clear>()},
    {Py_tp_free, reinterpret_cast<void *>(PyObject_GC_Del)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_descr_get, slot<bind>()},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Dispatcher", sizeof(DispatcherObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

PyObject *trace(PyObject *, PyObject *step) {
  long change = PyLong_AsLong(step);
  if (change == -1 && PyErr_Occurred())
    return nullptr;
  tracingDepth += static_cast<int>(change);
  const int all = allTracing += static_cast<int>(change);
  return PyLong_FromLong(all - tracingDepth);
}

} // namespace

PyMethodDef fairlead::python::dispatcherMethods[] = {
    {"_trace", method<trace>(), METH_O,
     "_trace(step)\n--\n\n1: this thread begins to trace a program; -1: it ends; 0: neither. How "
     "many "
     "programs other threads trace."},
    {"kept_strides", method<keptStridesOf>(), METH_VARARGS,
     "kept_strides(shape, strides)\n--\n\nWhat a program that a direct call compiles has of each "
     "stride: its value, or None."},
    {"static_key", method<staticKeyOf>(), METH_VARARGS,
     "static_key(value, identified)\n--\n\nHashable, and equal for the same static values: "
     "containers by contents and type, unhashable objects by identity; `identified`, a list, gets "
     "these."},
    {}};

int fairlead::python::addDispatcherType(PyObject *module) {
  static PyTypeObject *type = nullptr;
  return addType(module, type, spec);
}
