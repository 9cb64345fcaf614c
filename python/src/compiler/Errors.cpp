/// fairlead::Error as Python exceptions, and the table of diagnostics.
#include "Values.h"

#include "fairlead/Diagnostics.h"

namespace fairlead::python {
namespace {

/// fairlead.errors has one class per kind, each also a DSLError.
nb::object exceptionClass(const std::string &kind) {
  nb::module_ errors = nb::module_::import_("fairlead.errors");
  return nb::borrow(errors.attr("exception_class")(kind));
}

nb::object toPython(const Error &error) {
  nb::object exception = exceptionClass(error.kind())(error.what());
  if (!error.id().empty())
    exception.attr("diagnostic") = error.id();
  if (!error.help().empty())
    exception.attr("help") = error.help();
  return exception;
}

/// True if the diagnostic's text has a place of this name.
bool hasPlace(const std::string &id, const std::string &name) {
  for (int index = 0; index < numDiagnostics(); ++index) {
    const DiagnosticInfo &entry = info(static_cast<Diagnostic>(index));
    if (entry.id == id)
      return entry.text.find("{" + name + "}") != std::string_view::npos;
  }
  return false;
}

/// A parameter that is None has no value, unless the text has a place for it.
nb::object makePythonError(const std::string &id, nb::kwargs params) {
  std::vector<std::string> names;
  std::vector<DiagnosticArg> args;
  names.reserve(params.size());
  for (auto [name, value] : params) {
    names.push_back(nb::cast<std::string>(name));
    if (!value.is_none() || hasPlace(id, names.back()))
      args.emplace_back(names.back(), nb::str(value).c_str());
  }
  return toPython(makeNamedError(id, args));
}

} // namespace

void bindErrors(nb::module_ &m) {
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error &error) {
      nb::object exception = toPython(error);
      PyErr_SetObject(exception.type().ptr(), exception.ptr());
    }
  });
  m.def("make_error", &makePythonError, nb::arg("id"), nb::arg("params"),
        "Return the exception of the diagnostic `id`, its places filled from keyword arguments.");
  m.def(
      "diagnostics",
      [] {
        nb::list table;
        for (int index = 0; index < numDiagnostics(); ++index) {
          const DiagnosticInfo &entry = info(static_cast<Diagnostic>(index));
          table.append(nb::make_tuple(std::string(entry.id), std::string(entry.kind),
                                      std::string(entry.text)));
        }
        return table;
      },
      "Every diagnostic as (id, exception name, text).");
}

} // namespace fairlead::python
