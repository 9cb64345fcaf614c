#include "call/ArgumentPlan.h"

#include "State.h"
#include "call/Invoke.h"

#include <algorithm>
#include <memory>

using namespace fairlead::python;

namespace {

/// False with an exception set.
bool parseNode(PyObject *description, PlanNode &node, Plan &plan);

bool parseChildren(PyObject *children, PyObject *names, PlanNode &node, Plan &plan) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(children); ++i) {
    PlanNode &child = node.children.emplace_back();
    child.place = node.place + (names ? "." : "[") +
                  (names ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i)) : std::to_string(i)) +
                  (names ? "" : "]");
    if (!parseNode(PyTuple_GET_ITEM(children, i), child, plan))
      return false;
    node.skips += child.kind == PlanNode::Kind::Skip;
  }
  return true;
}

bool parseNode(PyObject *description, PlanNode &node, Plan &plan) {
  if (description == Py_None) {
    node.kind = PlanNode::Kind::None;
    return true;
  }
  if (PyLong_Check(description)) {
    bool skip = PyLong_AsLong(description) == 1;
    node.kind = skip ? PlanNode::Kind::Skip : PlanNode::Kind::Leaf;
    plan.numLeaves += !skip;
    return true;
  }
  const char *tag;
  PyObject *first, *second = nullptr;
  if (!PyArg_ParseTuple(description, "sO|O!", &tag, &first, &PyTuple_Type, &second))
    return false;
  if (*tag == '=') {
    node.kind = PlanNode::Kind::Static;
    node.value = Ref::share(first);
    return true;
  }
  if (*tag == 'c' && second) {
    node.kind = PlanNode::Kind::Custom;
    node.value = Ref::share(first);
    return parseChildren(second, nullptr, node, plan);
  }
  if (!PyTuple_Check(first) ||
      (*tag == 'f' && (!second || PyTuple_GET_SIZE(second) != PyTuple_GET_SIZE(first)))) {
    PyErr_SetString(PyExc_TypeError, "plan: malformed node");
    return false;
  }
  node.kind = *tag == 'f' ? PlanNode::Kind::Fields : PlanNode::Kind::Tuple;
  if (*tag == 'f')
    node.value = Ref::share(first);
  return parseChildren(*tag == 'f' ? second : first, *tag == 'f' ? first : nullptr, node, plan);
}

/// A few pointers on the stack, more of them on the heap.
class Pointers {
public:
  Pointers() = default;
  Pointers(const Pointers &) = delete;
  Pointers &operator=(const Pointers &) = delete;
  ~Pointers() {
    if (items != inlineItems)
      PyMem_Free(items);
  }
  /// False with an exception set.
  bool reserve(Py_ssize_t count) {
    if (count <= kInlineArgs)
      return true;
    auto *room = static_cast<PyObject **>(PyMem_Malloc(count * sizeof(PyObject *)));
    if (!room) {
      PyErr_NoMemory();
      return false;
    }
    items = room;
    return true;
  }
  PyObject **items = inlineItems;

private:
  PyObject *inlineItems[kInlineArgs];
};

/// The arguments of one call taken apart.
class Gathering {
public:
  Gathering(FunctionObject *function, const Plan &plan) : function(function), plan(plan) {}
  ~Gathering() {
    while (numOwned)
      Py_DECREF(owned[--numOwned]);
    for (PyObject *each : moreOwned)
      Py_DECREF(each);
  }

  /// Appends the leaves of a value; false with an exception set.
  [[gnu::always_inline]] bool add(const PlanNode &node, PyObject *value, int param) {
    if (node.kind == PlanNode::Kind::Leaf) {
      flat.items[count++] = value;
      return true;
    }
    if (node.kind == PlanNode::Kind::None && value == Py_None)
      return true;
    return addOther(node, value, param);
  }

  bool reserve() { return flat.reserve(plan.numLeaves); }
  PyObject *call() { return invokePositional(function, flat.items, count); }

private:
  /// Drops the reference when the call is done.
  void own(PyObject *object) {
    if (numOwned < kInlineArgs)
      owned[numOwned++] = object;
    else
      moreOwned.push_back(object);
  }

  bool addOther(const PlanNode &node, PyObject *value, int param) {
    switch (node.kind) {
    case PlanNode::Kind::Leaf:
      break;
    case PlanNode::Kind::Skip:
      return true;
    case PlanNode::Kind::None:
      return fail(PyExc_TypeError, "type", node, param, "expected None", value);
    case PlanNode::Kind::Static:
      return addStatic(node, value, param);
    case PlanNode::Kind::Tuple:
      return addItems(node, value, param);
    case PlanNode::Kind::Fields:
      return PyTuple_Check(value) ? addItems(node, value, param) : addFields(node, value, param);
    case PlanNode::Kind::Custom:
      return addCustom(node, value, param);
    }
    return false;
  }

  bool addStatic(const PlanNode &node, PyObject *value, int param) {
    if (value == node.value.get())
      return true;
    int same = PyObject_RichCompareBool(value, node.value.get(), Py_EQ);
    if (same > 0)
      return true;
    if (same < 0)
      PyErr_Clear();
    Ref expected(PyObject_Repr(node.value.get())), got(PyObject_Repr(value));
    if (expected && got)
      PyErr_Format(PyExc_ValueError,
                   "Mismatched %s on argument #%d when calling: `%U`, expected %U, for which it "
                   "was compiled, but got %U",
                   node.place.c_str(), param, describeFunction(function).get(), expected.get(),
                   got.get());
    return false;
  }

  bool addItems(const PlanNode &node, PyObject *value, int param) {
    PyObject *items = value;
    if (!PyTuple_Check(value)) {
      bool sequence = PyList_Check(value) ||
                      (state.shapeClass && PyObject_IsInstance(value, state.shapeClass) == 1);
      PyErr_Clear();
      // A snapshot: converting what is in a list runs code that could change it.
      items = sequence ? PySequence_Tuple(value) : nullptr;
      if (!items) {
        PyErr_Clear();
        return failCount(node, value, param);
      }
      own(items);
    }
    auto given = PyTuple_GET_SIZE(items), all = static_cast<Py_ssize_t>(node.children.size());
    if (given != all && given != all - node.skips)
      return failCount(node, items, param);
    Py_ssize_t next = 0;
    for (const PlanNode &child : node.children) {
      if (child.kind == PlanNode::Kind::Skip && given != all)
        continue;
      if (!add(child, PyTuple_GET_ITEM(items, next++), param))
        return false;
    }
    return true;
  }

  bool addFields(const PlanNode &node, PyObject *value, int param) {
    for (size_t i = 0; i < node.children.size(); ++i) {
      const PlanNode &child = node.children[i];
      if (child.kind == PlanNode::Kind::Skip)
        continue;
      PyObject *field = PyObject_GetAttr(value, PyTuple_GET_ITEM(node.value.get(), i));
      if (!field) {
        PyErr_Clear();
        return fail(PyExc_TypeError, "type", node, param,
                    ("expected an object with the field " + child.place).c_str(), value);
      }
      own(field);
      if (!add(child, field, param))
        return false;
    }
    return true;
  }

  bool addCustom(const PlanNode &node, PyObject *value, int param) {
    PyObject *values = PyObject_CallOneArg(node.value.get(), value);
    if (!values)
      return false;
    own(values);
    auto all = static_cast<Py_ssize_t>(node.children.size());
    if (!PyTuple_Check(values) || PyTuple_GET_SIZE(values) != all)
      return fail(PyExc_TypeError, "type", node, param,
                  "expected an object that follows the protocol of arguments", value);
    for (Py_ssize_t i = 0; i < all; ++i)
      if (!add(node.children[i], PyTuple_GET_ITEM(values, i), param))
        return false;
    return true;
  }

  bool failCount(const PlanNode &node, PyObject *value, int param) {
    std::string expected =
        "expected a tuple of " + std::to_string(node.children.size() - node.skips);
    if (!PyTuple_Check(value))
      return fail(PyExc_TypeError, "type", node, param, expected.c_str(), value);
    PyErr_Format(PyExc_TypeError,
                 "Mismatched length of %s on argument #%d when calling: `%U`, %s, but got %zd",
                 node.place.c_str(), param, describeFunction(function).get(), expected.c_str(),
                 PyTuple_GET_SIZE(value));
    return false;
  }

  bool fail(PyObject *kind, const char *what, const PlanNode &node, int param, const char *expected,
            PyObject *value) {
    PyErr_Format(kind, "Mismatched %s of %s on argument #%d when calling: `%U`, %s, but got %s",
                 what, node.place.c_str(), param, describeFunction(function).get(), expected,
                 value == Py_None ? "None" : Py_TYPE(value)->tp_name);
    return false;
  }

  FunctionObject *function;
  const Plan &plan;
  Pointers flat;
  int count = 0, numOwned = 0;
  PyObject *owned[kInlineArgs];
  std::vector<PyObject *> moreOwned;
};

/// Fills `full` from positional arguments, keywords and defaults; false with an exception set.
bool arrangePlanned(FunctionObject *function, const Plan &plan, PyObject *const *args,
                    Py_ssize_t numArgs, PyObject *names, PyObject **full) {
  auto numParams = static_cast<Py_ssize_t>(plan.params.size());
  if (numArgs > plan.numPositional) {
    PyErr_Format(PyExc_TypeError, "expected at most %d %sarguments, but got %zd when calling: `%U`",
                 plan.numPositional, plan.numPositional < numParams ? "positional " : "", numArgs,
                 describeFunction(function).get());
    return false;
  }
  std::copy(args, args + numArgs, full);
  std::fill(full + numArgs, full + numParams, nullptr);
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    int place = indexOfName(function->argNames, name);
    if (place < 0 || full[place]) {
      PyErr_Format(PyExc_TypeError,
                   place < 0 ? "unexpected keyword argument '%U' when calling: `%U`"
                             : "got multiple values for argument '%U' when calling: `%U`",
                   name, describeFunction(function).get());
      return false;
    }
    full[place] = args[numArgs + i];
  }
  for (Py_ssize_t i = 0; i < numParams; ++i) {
    if (full[i])
      continue;
    full[i] = plan.defaults[i];
    if (!full[i]) {
      PyErr_Format(PyExc_TypeError, "missing argument #%zd (`%U`) when calling: `%U`", i,
                   PyTuple_GET_ITEM(function->argNames, i), describeFunction(function).get());
      return false;
    }
  }
  return true;
}

} // namespace

Plan::~Plan() {
  for (PyObject *each : defaults)
    Py_XDECREF(each);
}

Plan *fairlead::python::parsePlan(PyObject *description, PyObject *names) {
  PyObject *defaults, *nodes;
  auto plan = std::make_unique<Plan>();
  if (!PyArg_ParseTuple(description, "iO!O!:plan", &plan->numPositional, &PyTuple_Type, &defaults,
                        &PyTuple_Type, &nodes))
    return nullptr;
  Py_ssize_t count = PyTuple_GET_SIZE(nodes);
  if (PyTuple_GET_SIZE(defaults) != count || PyTuple_GET_SIZE(names) != count ||
      plan->numPositional < 0 || plan->numPositional > count) {
    PyErr_SetString(PyExc_ValueError, "plan: a name, a default and a node for each parameter");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *value = PyTuple_GET_ITEM(defaults, i);
    plan->defaults.push_back(value == Py_Ellipsis ? nullptr : Py_NewRef(value));
    PlanNode &node = plan->params.emplace_back();
    const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
    if (!name)
      return nullptr;
    node.place = name;
    if (!parseNode(PyTuple_GET_ITEM(nodes, i), node, *plan))
      return nullptr;
  }
  return plan.release();
}

PyObject *fairlead::python::invokePlanned(FunctionObject *function, PyObject *const *args,
                                          Py_ssize_t numArgs, PyObject *names) {
  const Plan &plan = *function->plan;
  auto numParams = static_cast<Py_ssize_t>(plan.params.size());
  Pointers full;
  if (names || numArgs != numParams || plan.numPositional != numParams) {
    if (const Arrangement *known = findArrangement(function, numArgs, names)) {
      if (!known->inOrder) {
        for (Py_ssize_t i = 0; i < numParams; ++i)
          full.items[i] = known->from[i] >= 0 ? args[known->from[i]] : plan.defaults[i];
        args = full.items;
      }
    } else {
      if (!full.reserve(numParams) ||
          !arrangePlanned(function, plan, args, numArgs, names, full.items))
        return nullptr;
      rememberArrangement(function, function->argNames, numArgs, names);
      args = full.items;
    }
  }
  Gathering gathering(function, plan);
  if (!gathering.reserve())
    return nullptr;
  for (Py_ssize_t i = 0; i < numParams; ++i)
    if (!gathering.add(plan.params[i], args[i], static_cast<int>(i)))
      return nullptr;
  return gathering.call();
}
