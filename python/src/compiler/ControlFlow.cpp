/// Run-time branches and loops whose regions are Python callables.
#include "Values.h"

#include "fairlead/dsl/ControlFlow.h"

namespace fairlead::python {
namespace {

dsl::CarriedList carriedList(const std::vector<std::string> &names, const nb::list &values) {
  dsl::CarriedList carried;
  for (size_t index = 0; index < names.size(); ++index)
    carried.push_back({names[index], toScalar(values[index], names[index].c_str())});
  return carried;
}

Scalars scalarList(nb::handle values) {
  Scalars result;
  for (nb::handle value : values)
    result.push_back(
        toScalar(value, "a conditional expression or a variable that a region changes"));
  return result;
}

nb::object ifElse(nb::handle condition, const std::vector<std::string> &names,
                  const nb::list &values, const nb::callable &then, const nb::callable &otherwise) {
  Scalars results = dsl::ifElse(
      toScalar(condition, "a condition"), carriedList(names, values),
      [&] { return scalarList(then()); }, [&] { return scalarList(otherwise()); });
  return toPython(results, false);
}

nb::object branch(nb::handle condition, const nb::callable &then, const nb::callable &otherwise,
                  const nb::callable &ends, bool mayCompute) {
  auto both = [&]() -> dsl::BranchEnds {
    nb::object lists = ends();
    return {scalarList(lists[0]), scalarList(lists[1])};
  };
  return toPython(dsl::branch(
                      toScalar(condition, "a condition"), [&] { then(); }, [&] { otherwise(); },
                      both, mayCompute),
                  false);
}

nb::object forLoop(nb::handle start, nb::handle stop, nb::handle step,
                   const std::vector<std::string> &names, const nb::list &values,
                   const nb::callable &body, int unroll, bool unrollFull, bool vectorize,
                   int prefetchStages) {
  auto region = [&](const Scalar &variable, const Scalars &carried) {
    return scalarList(body(toPython(variable), toPython(carried, false)));
  };
  auto bound = [](nb::handle number) { return toScalar(number, "a bound of range"); };
  return toPython(dsl::forLoop(bound(start), bound(stop), bound(step), carriedList(names, values),
                               region,
                               {.unroll = unroll,
                                .unrollFull = unrollFull,
                                .vectorize = vectorize,
                                .prefetchStages = prefetchStages}),
                  false);
}

nb::object whileLoop(const std::vector<std::string> &names, const nb::list &values,
                     const nb::callable &condition, const nb::callable &body) {
  auto test = [&](const Scalars &carried) {
    return toScalar(condition(toPython(carried, false)), "a condition");
  };
  auto region = [&](const Scalars &carried) { return scalarList(body(toPython(carried, false))); };
  return toPython(dsl::whileLoop(carriedList(names, values), test, region), false);
}

/// The dict of a class's attributes, or the dict itself.
nb::object entriesOf(nb::handle owner) {
  if (!PyType_Check(owner.ptr()))
    return nb::borrow(owner);
  auto *type = reinterpret_cast<PyTypeObject *>(owner.ptr());
#if PY_VERSION_HEX >= 0x030c0000
  return nb::steal(PyType_GetDict(type));
#else
  return nb::borrow(type->tp_dict);
#endif
}

bool areIdentical(nb::handle owner, const nb::dict &content) {
  const auto live = nb::cast<nb::dict>(entriesOf(owner));
  PyObject *liveKey = nullptr, *liveValue = nullptr, *key = nullptr, *value = nullptr;
  Py_ssize_t nextLive = 0, next = 0;
  if (live.size() != content.size())
    return false;
  while (PyDict_Next(live.ptr(), &nextLive, &liveKey, &liveValue) &&
         PyDict_Next(content.ptr(), &next, &key, &value))
    if (liveKey != key || liveValue != value)
      return false;
  return true;
}

/// A dsl::OpenLoop of Python: one that is neither closed nor abandoned is left alone, since its
/// program may be gone.
struct PyOpenLoop {
  std::unique_ptr<dsl::OpenLoop> loop;

  explicit PyOpenLoop(std::unique_ptr<dsl::OpenLoop> loop) : loop(std::move(loop)) {}
  PyOpenLoop(PyOpenLoop &&) = default;
  ~PyOpenLoop() { static_cast<void>(loop.release()); }

  nb::object close(const nb::list &ends) {
    return toPython(std::unique_ptr(std::move(loop))->close(scalarList(ends)), false);
  }
};

/// A dsl::OpenBranch of Python, as PyOpenLoop.
struct PyOpenBranch {
  std::unique_ptr<dsl::OpenBranch> branch;

  explicit PyOpenBranch(std::unique_ptr<dsl::OpenBranch> branch) : branch(std::move(branch)) {}
  PyOpenBranch(PyOpenBranch &&) = default;
  ~PyOpenBranch() { static_cast<void>(branch.release()); }
};

PyOpenBranch openBranch(nb::handle condition) {
  return PyOpenBranch(std::make_unique<dsl::OpenBranch>(toScalar(condition, "a condition")));
}

PyOpenLoop openFor(nb::handle start, nb::handle stop, nb::handle step,
                   const std::vector<std::string> &names, const nb::list &values) {
  auto bound = [](nb::handle number) { return toScalar(number, "a bound of for_generate"); };
  return PyOpenLoop(std::make_unique<dsl::OpenLoop>(bound(start), bound(stop), bound(step),
                                                    carriedList(names, values)));
}

PyOpenLoop openWhile(const std::vector<std::string> &names, const nb::list &values,
                     const nb::callable &condition) {
  auto test = [&](const Scalars &carried) {
    return toScalar(condition(toPython(carried, false)), "a condition");
  };
  return PyOpenLoop(std::make_unique<dsl::OpenLoop>(carriedList(names, values), test));
}

} // namespace

void bindControlFlow(nb::module_ &m) {
  nb::class_<PyOpenLoop>(m, "OpenLoop", "A loop whose body is being traced.")
      .def_prop_ro(
          "variable", [](const PyOpenLoop &self) { return toPython(self.loop->variable()); },
          "The variable of a `for`.")
      .def_prop_ro(
          "arguments",
          [](const PyOpenLoop &self) { return toPython(self.loop->arguments(), false); },
          "The carried values in an iteration.")
      .def("close", &PyOpenLoop::close, nb::arg("ends"),
           "Ends the body with these carried values; the result is the list of those after it.")
      .def(
          "abandon", [](PyOpenLoop &self) { self.loop.reset(); },
          "Takes the loop out of the program.");
  nb::class_<PyOpenBranch>(m, "OpenBranch",
                           "A branch without `else` whose body is being traced. It carries no "
                           "values; otherwise it is used as an OpenLoop is.")
      .def_prop_ro(
          "arguments", [](const PyOpenBranch &) { return nb::list(); }, "No values.")
      .def(
          "close",
          [](PyOpenBranch &self, const nb::list &) {
            std::unique_ptr(std::move(self.branch))->close();
            return nb::list();
          },
          nb::arg("ends"), "Ends the body.")
      .def(
          "abandon", [](PyOpenBranch &self) { self.branch.reset(); },
          "Takes the branch out of the program.");
  m.def("open_branch", &openBranch, nb::arg("condition"));
  m.def("open_for", &openFor, nb::arg("start").none(), nb::arg("stop").none(),
        nb::arg("step").none(), nb::arg("names"), nb::arg("values"));
  m.def("open_while", &openWhile, nb::arg("names"), nb::arg("values"), nb::arg("condition"),
        "`condition(carried)` returns a Boolean.");
  m.def(
      "conditional",
      [](nb::handle condition, const nb::callable &then, const nb::callable &otherwise) {
        Scalars results = dsl::conditional(
            toScalar(condition, "a condition"), [&] { return scalarList(then()); },
            [&] { return scalarList(otherwise()); });
        return toPython(results, false);
      },
      nb::arg("condition"), nb::arg("then"), nb::arg("otherwise"),
      "The list of values that `then()` returns where the condition holds, else that of "
      "`otherwise()`; only one of them runs.");
  m.def("branch", &branch, nb::arg("condition"), nb::arg("then"), nb::arg("otherwise"),
        nb::arg("ends"), nb::arg("may_compute"),
        "`conditional` whose values are told once both sides are traced: `ends()` returns the list "
        "of each. `may_compute`: cheap sides are both computed, without a branch.");
  m.def(
      "attempt",
      [](const nb::callable &code) { dsl::attempt([&] { return nb::cast<bool>(code()); }); },
      nb::arg("code"),
      "Traces `code()`, and takes what it has added out of the program again if it returns False.");
  m.def(
      "are_identical", &areIdentical, nb::arg("owner"), nb::arg("content"),
      "True if a dict, or the attributes of a class, and another dict hold the same objects, keys "
      "and values, in the same order.");
  m.def("if_else", &ifElse, nb::arg("condition"), nb::arg("names"), nb::arg("values"),
        nb::arg("then"), nb::arg("otherwise"),
        "Both regions take nothing and return the carried values at their end; the result is the "
        "list of those after the branch.");
  m.def("for_loop", &forLoop, nb::arg("start").none(), nb::arg("stop").none(),
        nb::arg("step").none(), nb::arg("names"), nb::arg("values"), nb::arg("body"),
        nb::arg("unroll") = 0, nb::arg("unroll_full") = false, nb::arg("vectorize") = false,
        nb::arg("prefetch_stages") = 0,
        "`body(variable, carried)` returns the carried values after one iteration.");
  m.def("while_loop", &whileLoop, nb::arg("names"), nb::arg("values"), nb::arg("condition"),
        nb::arg("body"),
        "`condition(carried)` returns a Boolean, `body(carried)` the carried values after one "
        "iteration.");
}

} // namespace fairlead::python
