/// The names outside of a program that it was traced with, and whether they stand for the same.
#ifndef FAIRLEAD_PYTHON_CORE_OUTSIDE_H_
#define FAIRLEAD_PYTHON_CORE_OUTSIDE_H_

#include "DictWatch.h"

#include <vector>

namespace fairlead::python {

/// Globals, captured variables, attributes and the code of functions with what they stood for: the
/// same object, or for a list, dict or set, of which there is a copy, one that is equal.
class Outside {
public:
  /// Reads the attribute `outside` of a function, where it has one: tuples of a dict, a cell or a
  /// function, the name in it (of a function `__code__` or `__defaults__`) and the value. False
  /// with an exception: it is something else.
  bool read(PyObject *function);

  /// Whether every name stands for what it stood for. Comparing containers may run Python code:
  /// the caller keeps this object alive. Leaves no exception.
  bool isUnchanged() {
    for (const Cell &each : cells)
      if (PyCell_GET(each.cell.get()) != each.value.get())
        return false;
    for (const Function &each : functions)
      if (partOf(each) != each.value.get())
        return false;
    for (Module &each : modules) {
      uint64_t version = each.watch.version();
      if (!version || version != each.version) [[unlikely]]
        each.look(version);
      if (!each.same)
        return false;
    }
    return containers.empty() || areEqual();
  }

  int visit(visitproc visit, void *arg) const;

private:
  struct Cell {
    Ref cell, value;
  };
  struct Function {
    Ref function, value;
    bool code; ///< else the defaults
  };
  struct Name {
    Ref name, value;
  };
  /// Of one module's names, those that stand for objects known by identity.
  struct Module {
    explicit Module(PyObject *dict) : dict(Ref::share(dict)), watch(dict) {}
    /// Looks at all names.
    void look(uint64_t now);

    Ref dict;
    DictWatch watch;
    std::vector<Name> names;
    uint64_t version = 0; ///< of the last look
    bool same = false;    ///< what it found
  };
  /// Those that stand for what can change.
  struct Container {
    Ref place, name, value;
  };

  static PyObject *partOf(const Function &each) {
    return each.code ? PyFunction_GET_CODE(each.function.get())
                     : PyFunction_GET_DEFAULTS(each.function.get());
  }
  Module &moduleOf(PyObject *dict);
  bool areEqual();

  std::vector<Cell> cells;
  std::vector<Function> functions;
  std::vector<Module> modules;
  std::vector<Container> containers;
};

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_OUTSIDE_H_
