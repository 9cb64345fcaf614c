/// How the arguments that Python passes become those of the entry: structs and tuples field by
/// field.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_ARGUMENTPLAN_H_
#define FAIRLEAD_PYTHON_CORE_CALL_ARGUMENTPLAN_H_

#include "call/Function.h"

#include <string>
#include <vector>

namespace fairlead::python {

/// What a call does with one value.
struct PlanNode {
  enum class Kind : uint8_t {
    Leaf,   ///< an argument of the entry
    None,   ///< must be None; no argument
    Skip,   ///< a place that the caller may leave out of a tuple; no argument
    Static, ///< must equal `value`; no argument
    Tuple,  ///< a tuple, list or ffi.Shape of the children
    Fields, ///< an object whose attributes `value` (a tuple of str) are the children, or their
            ///< tuple
    Custom, ///< what `value`, a callable, makes of it: a tuple of the children; None for an object
            ///< that is no such argument
  };
  Kind kind = Kind::Leaf;
  int skips = 0; ///< children of kind Skip
  Ref value;
  std::string place; ///< for messages: "config.scales[1]"
  std::vector<PlanNode> children;
};

/// The parameters of a function as Python sees them.
struct Plan {
  std::vector<PlanNode> params;
  std::vector<PyObject *> defaults; ///< owned; NULL: none
  int numPositional = 0;            ///< the others are passed by keyword
  int numLeaves = 0;

  ~Plan();
};

/// Reads `(num_positional, defaults, nodes)`: for each parameter its default (Ellipsis: none), and
/// 0 for a leaf, 1 for a place to skip, None, ("=", value), ("t", nodes), ("f", names, nodes) or
/// ("c", callable, nodes).
/// NULL with an exception set. `names`: those of the parameters.
Plan *parsePlan(PyObject *description, PyObject *names);

/// Calls a function that has a plan.
PyObject *invokePlanned(FunctionObject *function, PyObject *const *args, Py_ssize_t numArgs,
                        PyObject *names);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_ARGUMENTPLAN_H_
