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

nb::object makePythonError(const std::string &id, nb::kwargs params) {
  for (int index = 0; index < numDiagnostics(); ++index) {
    const DiagnosticInfo &entry = info(static_cast<Diagnostic>(index));
    if (entry.id != id)
      continue;
    std::string text(entry.text);
    for (auto [name, value] : params) {
      std::string place = "{" + nb::cast<std::string>(name) + "}", filling = nb::str(value).c_str();
      for (size_t at = text.find(place); at != std::string::npos;
           at = text.find(place, at + filling.size()))
        text.replace(at, place.size(), filling);
    }
    nb::object error = exceptionClass(std::string(entry.kind))(text);
    error.attr("diagnostic") = id;
    return error;
  }
  throw nb::key_error(("no diagnostic " + id).c_str());
}

} // namespace

void bindErrors(nb::module_ &m) {
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error &error) {
      nb::object cls = exceptionClass(error.kind());
      PyErr_SetString(cls.ptr(), error.what());
    }
  });
  m.def(
      "make_error", &makePythonError, nb::arg("id"), nb::arg("params"),
      "An exception of the diagnostic `id`, its places filled from keyword arguments. Not raised.");
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
