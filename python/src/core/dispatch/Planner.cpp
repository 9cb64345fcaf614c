// fairlead._core.Planner: a function whose calls are planned once for each key, and found without
// Python code.

#include "Guarded.h"
#include "State.h"
#include "call/Convert.h"
#include "call/Function.h"
#include "call/Invoke.h"
#include "dispatch/Overlap.h"
#include "dispatch/PlannedCall.h"

#include <structmember.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

using namespace fairlead::python;

namespace {

constexpr int kMostNew = 4;

/// A value that a plan passes or returns: a tensor of the call, a new one, or a constant.
struct Source {
  enum class Kind : uint8_t { Argument, New, Constant };
  Kind kind = Kind::Constant;
  int index = 0;                    ///< of a tensor of the call, or of a new one
  Ref constant;                     ///< of Constant
  const TypeEntry *entry = nullptr; ///< of Constant
  int rank = -1;                    ///< of a view in another shape; -1: as the tensor is
  std::vector<int64_t> layout;      ///< shape and strides of the view
};

/// The work of a call with a certain key.
struct Plan {
  Ref function;
  bool isDirect = false; ///< `function` is a Function that takes views, in the order of the plan
  std::vector<Source> arguments;
  std::vector<NewTensor> news;
  std::vector<Source> results;
  enum class Returns : uint8_t { One, Tuple, List } returns = Returns::One;
  std::vector<Ref> identified; ///< objects whose addresses are in the key

  /// True if running the plan would bypass the `__call__` of the function's class.
  bool bypassesClass() const {
    return isDirect && !hasFastCall(reinterpret_cast<const FunctionObject *>(function.get()));
  }
};

/// Finds keys in the map without making strings of them.
struct KeyHash {
  using is_transparent = void;
  size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>()(bytes); }
};

using SharedPlan = std::shared_ptr<const Plan>;
using Plans = std::unordered_map<std::string, SharedPlan, KeyHash, std::equal_to<>>;

/// The state that threads share.
struct Shared {
  std::mutex mutex; ///< guards the rest; no Python code runs inside
  Plans plans;
  uint64_t generation = 0; ///< of the plans: changes when all are dropped
  std::atomic<uint64_t> hits = 0, misses = 0;
};

struct PlannerObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  CallDescription *call; ///< the parameters of `choose`
  PyObject *choose;      ///< plans a call
  PyObject *planClass;   ///< fairlead.plans.Plan
  unsigned alignment;
  size_t limit;
  int written;      ///< the parameter whose tensors plans write; -1: not known
  unsigned inPlace; ///< a bit for each parameter that may be the written tensor
  Shared *shared;
};

PlannerObject *cast(PyObject *self) { return reinterpret_cast<PlannerObject *>(self); }

void count(std::atomic<uint64_t> &number) { number.fetch_add(1, std::memory_order_relaxed); }

// Running a plan.

/// The tensors of one call.
struct Tensors {
  const CallKey &key;
  Ref newTensors[kMostNew];
  DLTensor views[kMostNew];

  /// Makes the new tensors. False with an exception set.
  bool make(Call &call, const Plan &plan) {
    for (size_t i = 0; i < plan.news.size(); ++i) {
      Ref &tensor = newTensors[i];
      tensor = plan.news[i].make();
      if (!tensor || (plan.isDirect && !view(call, tensor.get(), static_cast<int>(i))))
        return false;
    }
    return true;
  }

  /// Fills `views`. False with an exception set.
  bool view(Call &call, PyObject *tensor, int index) {
    const TypeEntry *entry = findType(Py_TYPE(tensor));
    TVMFFIAny value;
    if (!entry || !convertInline(call, *entry, tensor, index, &value, &views[index]))
      return false;
    if (value.type_index != kTVMFFIDLTensorPtr) {
      PyErr_Format(PyExc_TypeError, "New: expected a tensor, but got %s", Py_TYPE(tensor)->tp_name);
      return false;
    }
    if (value.v_ptr != &views[index])
      views[index] = *static_cast<DLTensor *>(value.v_ptr);
    return true;
  }

  PyObject *object(const Source &source) const {
    switch (source.kind) {
    case Source::Kind::Argument:
      return key.objects[source.index];
    case Source::Kind::New:
      return newTensors[source.index].get();
    case Source::Kind::Constant:
      return source.constant.get();
    }
    __builtin_unreachable();
  }
};

/// Calls a Function with views of the tensors. New reference, or NULL with an exception set.
PyObject *runDirect(Call &call, const Plan &plan, Tensors &tensors) {
  auto *function = reinterpret_cast<FunctionObject *>(plan.function.get());
  TVMFFIAny values[kInlineArgs];
  DLTensor room[kInlineArgs];
  int next = 0;
  for (const Source &source : plan.arguments) {
    const int i = next++;
    if (source.kind == Source::Kind::Constant) {
      if (!convertInline(call, *source.entry, source.constant.get(), i, &values[i], &room[i]))
        return nullptr;
      continue;
    }
    const bool isNew = source.kind == Source::Kind::New;
    DLTensor *tensor = const_cast<DLTensor *>(isNew ? &tensors.views[source.index]
                                                    : &tensors.key.tensors[source.index]);
    if (source.rank >= 0) {
      room[i] = *tensor;
      room[i].ndim = source.rank;
      room[i].shape = const_cast<int64_t *>(source.layout.data());
      room[i].strides = room[i].shape + source.rank;
      tensor = &room[i];
    }
    setPointer(&values[i], kTVMFFIDLTensorPtr, tensor);
    // Autograd knows nothing of a new tensor.
    if (!isNew && i < 64 && function->written >> i & 1 &&
        tensors.key.entries[source.index]->plainTorch &&
        !bumpTorchVersion(tensors.key.objects[source.index]))
      return nullptr;
  }
  return runConverted(call, function, values, next);
}

PyObject *runPlan(Call &call, const Plan &plan, const CallKey &key) {
  Tensors tensors{key, {}, {}};
  if (!tensors.make(call, plan))
    return nullptr;
  Ref result;
  if (plan.isDirect) {
    result = Ref(runDirect(call, plan, tensors));
  } else {
    PyObject *passed[kInlineArgs];
    size_t next = 0;
    for (const Source &source : plan.arguments)
      passed[next++] = tensors.object(source);
    result = Ref(PyObject_Vectorcall(plan.function.get(), passed, next, nullptr));
  }
  if (!result || plan.results.empty())
    return result.release();
  if (plan.returns == Plan::Returns::One)
    return Py_NewRef(tensors.object(plan.results[0]));
  Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(plan.results.size())));
  for (size_t i = 0; tuple && i < plan.results.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(tensors.object(plan.results[i])));
  const bool isList = tuple && plan.returns == Plan::Returns::List;
  return isList ? PySequence_List(tuple.get()) : tuple.release();
}

// Reading a plan that Python code has chosen: Plan._described.

/// Reads ("argument" | "new" | "constant", index or object, None or a shape). False with an
/// exception set.
bool readSource(PyObject *item, Source &source) {
  const char *kind;
  PyObject *value, *shape;
  if (!PyArg_ParseTuple(item, "sOO", &kind, &value, &shape))
    return false;
  if (kind[0] == 'c') {
    source.constant = Ref::share(value);
    source.entry = findType(Py_TYPE(value));
    return source.entry;
  }
  source.kind = kind[0] == 'n' ? Source::Kind::New : Source::Kind::Argument;
  source.index = static_cast<int>(PyLong_AsLong(value));
  if (shape != Py_None) {
    source.rank = static_cast<int>(PyTuple_Size(shape));
    source.layout.resize(2 * static_cast<size_t>(std::max(source.rank, 0)));
    int64_t step = 1;
    for (int i = source.rank - 1; i >= 0; --i) {
      source.layout[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
      source.layout[source.rank + i] = step;
      step *= source.layout[i];
    }
  }
  return !PyErr_Occurred();
}

bool readSources(PyObject *items, std::vector<Source> &sources) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); ++i)
    if (!readSource(PyTuple_GET_ITEM(items, i), sources.emplace_back()))
      return false;
  return true;
}

/// Reads (function, arguments, new tensors, results, tuple or list or None for one result). NULL
/// with an exception set.
std::shared_ptr<Plan> readPlan(PyObject *described) {
  PyObject *function, *arguments, *news, *results, *container;
  if (!PyArg_ParseTuple(described, "OO!O!O!O", &function, &PyTuple_Type, &arguments, &PyTuple_Type,
                        &news, &PyTuple_Type, &results, &container))
    return nullptr;
  auto plan = std::make_shared<Plan>();
  plan->function = Ref::share(function);
  if (container != Py_None)
    plan->returns = container == reinterpret_cast<PyObject *>(&PyList_Type) ? Plan::Returns::List
                                                                            : Plan::Returns::Tuple;
  if (!readSources(arguments, plan->arguments) || !readSources(results, plan->results))
    return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(news); ++i)
    if (!plan->news.emplace_back().read(PyTuple_GET_ITEM(news, i)))
      return nullptr;
  if (PyObject_TypeCheck(function, state.functionType)) {
    auto *callee = reinterpret_cast<FunctionObject *>(function);
    const auto numParameters = static_cast<size_t>(callee->call->count); // 0: unknown
    plan->isDirect = callee->views && !callee->call->forms &&
                     (!numParameters || numParameters == plan->arguments.size());
  }
  return plan;
}

// The planner.

/// Returns the plan of a key, or nothing.
SharedPlan find(Shared &shared, std::string_view bytes) {
  std::lock_guard lock(shared.mutex);
  auto entry = shared.plans.find(bytes);
  return entry == shared.plans.end() ? SharedPlan() : entry->second;
}

/// Remembers a plan, unless all were dropped since `generation`. A full table is emptied.
void remember(PlannerObject *planner, const CallKey &key, std::shared_ptr<Plan> plan,
              uint64_t generation) {
  auto keep = [&](PyObject *object) { plan->identified.push_back(Ref::share(object)); };
  for (int i = 0; i < key.numIdentified; ++i)
    keep(key.identified[i]);
  for (int i = 0; i < key.numTensors; ++i)
    keep(reinterpret_cast<PyObject *>(key.entries[i]->type));
  Shared &shared = *planner->shared;
  // Released outside of the lock: that may run Python code.
  Plans dropped;
  SharedPlan old = std::move(plan);
  std::lock_guard lock(shared.mutex);
  if (shared.generation != generation)
    return;
  if (shared.plans.size() >= planner->limit)
    std::swap(dropped, shared.plans);
  std::swap(shared.plans[std::string(key.bytes())], old);
}

/// Returns the plan to remember, or null. `failed`: with an exception set.
std::shared_ptr<Plan> describe(PyObject *chosen, const CallKey &key, bool &failed) {
  Ref tensors(PyTuple_New(key.numTensors));
  for (int i = 0; tensors && i < key.numTensors; ++i)
    PyTuple_SET_ITEM(tensors.get(), i, Py_NewRef(key.objects[i]));
  Ref described(tensors ? PyObject_CallMethod(chosen, "_described", "(O)", tensors.get())
                        : nullptr);
  failed = !described;
  if (!described || described.get() == Py_None)
    return nullptr;
  std::shared_ptr<Plan> plan = readPlan(described.get());
  failed = !plan;
  // Other callables take no views in another shape.
  auto hasShape = [](const Source &source) { return source.rank >= 0; };
  if (plan && !plan->isDirect && std::ranges::any_of(plan->arguments, hasShape))
    return nullptr;
  return plan;
}

/// Has `choose` plan the call, runs the plan, and remembers it if the call has a key.
PyObject *plan(PlannerObject *planner, PyObject *const *args, size_t numArgsFlags, PyObject *names,
               const CallKey *key) {
  uint64_t generation;
  {
    std::lock_guard lock(planner->shared->mutex);
    generation = planner->shared->generation;
  }
  count(planner->shared->misses);
  Ref chosen(untilInterpreterEnds([&] {
    return PyObject_Vectorcall(planner->choose, args,
                               numArgsFlags & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  }));
  if (!chosen || reinterpret_cast<PyObject *>(Py_TYPE(chosen.get())) != planner->planClass)
    return chosen.release();
  Ref result(PyObject_CallMethod(chosen.get(), "run", nullptr));
  if (!result || !key)
    return result.release();
  bool failed;
  std::shared_ptr<Plan> described = describe(chosen.get(), *key, failed);
  if (failed)
    return nullptr;
  if (described)
    remember(planner, *key, std::move(described), generation);
  return result.release();
}

/// Sets ValueError: two arguments share memory. Returns false.
bool rejectOverlap(const PlannerObject *planner, int parameter) {
  PyObject *names = planner->call->names, *out = PyTuple_GET_ITEM(names, planner->written);
  if (parameter == planner->written) {
    PyErr_Format(PyExc_ValueError, "%U: expected arrays without a byte in common", out);
    return false;
  }
  PyObject *name = PyTuple_GET_ITEM(names, parameter);
  if (planner->inPlace >> parameter & 1)
    PyErr_Format(
        PyExc_ValueError,
        "%U: expected %U itself, or memory that no other argument shares, but got an array "
        "that shares bytes with %U at other places",
        out, name, name);
  else
    PyErr_Format(PyExc_ValueError,
                 "%U: expected memory that no other argument shares, but got an array that shares "
                 "bytes with %U",
                 out, name);
  return false;
}

/// Returns true if no tensor that the call writes shares memory with another one that it must not
/// share. `first`: the number of the first tensor of each parameter, and how many there are. False
/// with an exception set.
bool checkOverlap(const PlannerObject *planner, const CallKey &key, const int8_t *first) {
  const int begin = first[planner->written], end = first[planner->written + 1];
  for (int out = begin; out < end; ++out) {
    const DLTensor &written = key.tensors[out];
    const ByteRange range(written);
    int parameter = 0;
    for (int other = 0; other < key.numTensors; ++other) {
      while (other >= first[parameter + 1])
        ++parameter;
      if (other >= begin && other <= out)
        continue;
      const DLTensor &tensor = key.tensors[other];
      if (!range.meets(ByteRange(tensor))) [[likely]]
        continue;
      if (!mayShareBytes(written, tensor))
        continue;
      if (!(planner->inPlace >> parameter & 1) || !areSameElements(written, tensor))
        return rejectOverlap(planner, parameter);
    }
  }
  return true;
}

PyObject *callPlanner(PyObject *self, PyObject *const *args, size_t numArgsFlags, PyObject *names) {
  PlannerObject *planner = cast(self);
  PyObject *room[kInlineArgs];
  BindProblem problem;
  PyObject *const *full =
      planner->call->arrange(args, PyVectorcall_NARGS(numArgsFlags), names, room, problem);
  if (!full) // `choose` says what does not fit.
    return plan(planner, args, numArgsFlags, names, nullptr);
  CallKey key(planner->alignment);
  Call call(nullptr, true);
  bool hasKey = true;
  int8_t first[kInlineArgs + 1];
  for (int i = 0; hasKey && i < planner->call->count; ++i) {
    first[i] = static_cast<int8_t>(key.numTensors);
    hasKey = key.add(call, full[i]);
  }
  if (hasKey) [[likely]] {
    first[planner->call->count] = static_cast<int8_t>(key.numTensors);
    if (planner->written >= 0 && !checkOverlap(planner, key, first)) [[unlikely]]
      return nullptr;
    SharedPlan plan = find(*planner->shared, key.bytes());
    if (plan && !plan->bypassesClass()) [[likely]] {
      count(planner->shared->hits);
      return runPlan(call, *plan, key);
    }
    hasKey = !plan;
  }
  return plan(planner, args, numArgsFlags, names, hasKey ? &key : nullptr);
}

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"choose", "call",    "plan_class", "alignment",
                                "limit",  "written", "in_place",   nullptr};
  PyObject *choose, *call, *planClass;
  unsigned alignment, inPlace = 0;
  int written = -1;
  Py_ssize_t limit;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO!In|iI:Planner", const_cast<char **>(names),
                                   &choose, &call, &PyType_Type, &planClass, &alignment, &limit,
                                   &written, &inPlace))
    return nullptr;
  CallDescription *description = asCallDescription(call);
  if (!description || description->count > kInlineArgs) {
    PyErr_Format(PyExc_TypeError, "Planner: expected a function of at most %d parameters",
                 kInlineArgs);
    return nullptr;
  }
  auto shared = std::make_unique<Shared>();
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  PlannerObject *planner = cast(self);
  planner->vectorcall = Guarded<callPlanner>::call;
  planner->call = reinterpret_cast<CallDescription *>(Py_NewRef(call));
  planner->choose = Py_NewRef(choose);
  planner->planClass = Py_NewRef(planClass);
  planner->alignment = alignment;
  planner->limit = static_cast<size_t>(limit);
  planner->written = written;
  planner->inPlace = inPlace;
  planner->shared = shared.release();
  return self;
}

PyObject *forget(PyObject *self, PyObject *) {
  Shared &shared = *cast(self)->shared;
  Plans dropped; // released outside of the lock
  {
    std::lock_guard lock(shared.mutex);
    std::swap(dropped, shared.plans);
    ++shared.generation;
  }
  Py_RETURN_NONE;
}

PyObject *counts(PyObject *self, PyObject *) {
  Shared &shared = *cast(self)->shared;
  size_t size;
  {
    std::lock_guard lock(shared.mutex);
    size = shared.plans.size();
  }
  return Py_BuildValue("KKnn", static_cast<unsigned long long>(shared.hits.load()),
                       static_cast<unsigned long long>(shared.misses.load()),
                       static_cast<Py_ssize_t>(size), static_cast<Py_ssize_t>(cast(self)->limit));
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->call);
  Py_VISIT(cast(self)->choose);
  Py_VISIT(cast(self)->planClass);
  if (!cast(self)->shared)
    return 0;
  for (const auto &[bytes, plan] : cast(self)->shared->plans) {
    if (plan.use_count() > 1) // a call holds it
      continue;
    Py_VISIT(plan->function.get());
    for (const NewTensor &maker : plan->news)
      Py_VISIT(maker.callable());
    for (const Ref &object : plan->identified)
      Py_VISIT(object.get());
  }
  return 0;
}

int clear(PyObject *self) {
  Py_CLEAR(cast(self)->choose);
  Py_CLEAR(cast(self)->planClass);
  if (cast(self)->shared)
    Py_DECREF(forget(self, nullptr));
  return 0;
}

void dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  Py_CLEAR(cast(self)->call);
  delete cast(self)->shared;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *initSubclass(PyObject *type, PyObject *) {
  if (!keepFastCall(reinterpret_cast<PyTypeObject *>(type)))
    return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"forget", method<forget>(), METH_NOARGS, "forget($self)\n--\n\nDrop all plans."},
    {"_counts", method<counts>(), METH_NOARGS,
     "_counts($self)\n--\n\nHits, misses, plans and limit."},
    {"__init_subclass__", method<initSubclass>(), METH_NOARGS | METH_CLASS, nullptr},
    {}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PlannerObject, vectorcall), READONLY, nullptr},
    {}};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A function whose calls are planned once for each key.")},
    {Py_tp_new, slot<create>()},
    {Py_tp_dealloc, slot<dealloc>()},
    {Py_tp_traverse, slot<traverse>()},
    {Py_tp_clear, slot<clear>()},
    {Py_tp_free, reinterpret_cast<void *>(PyObject_GC_Del)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, nullptr}};

PyType_Spec spec = {"fairlead._core.Planner", sizeof(PlannerObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL,
                    slots};

} // namespace

int fairlead::python::addPlannerType(PyObject *module) {
  static PyTypeObject *type = nullptr;
  return addType(module, type, spec);
}
