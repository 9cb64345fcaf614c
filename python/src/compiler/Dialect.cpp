#include "Dialect.h"

#include <algorithm>
#include <string_view>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/TracingDialect.h"
#include "fairlead/dsl/Views.h"

namespace fairlead::python {
namespace {

/// A borrowed reference: `fairlead._tracing.state` holds the dialect while it is set. Null in
/// native functions.
thread_local PyObject *currentDialect = nullptr;

void setDialect(nb::handle dialect) {
  currentDialect = dialect.is_none() ? nullptr : dialect.ptr();
  dsl::TracingDialect tracing;
  if (currentDialect) {
    tracing.checksKnownIndices = nb::cast<bool>(dialect.attr("checks_known_indices"));
    tracing.publishedForm = nb::cast<bool>(dialect.attr("published_form"));
  }
  dsl::setTracingDialect(tracing);
}

} // namespace

nb::object dialectMember(nb::handle self, const char *name) {
  if (!currentDialect)
    return {};
  nb::object members = nb::handle(currentDialect).attr("members");
  nb::object ofClasses = members.attr("get")(name);
  if (ofClasses.is_none())
    return {};
  for (nb::handle cls : nb::borrow<nb::tuple>(nb::handle(self.type()).attr("__mro__"))) {
    nb::object member = ofClasses.attr("get")(cls);
    if (!member.is_none())
      return member(self);
  }
  return {};
}

void checkKeywords(const char *function, const nb::kwargs &keywords) {
  for (auto [key, value] : keywords) {
    if (currentDialect &&
        nb::cast<bool>(
            nb::handle(currentDialect).attr("ignored_keywords").attr("__contains__")(key)))
      continue;
    throw makeError(Diagnostic::KeywordUnknown,
                    {{"function", function}, {"got", nb::str(key).c_str()}});
  }
}

nb::object missingMember(nb::handle self, const char *name) {
  nb::object member = dialectMember(self, name);
  if (member.is_valid())
    return member;
  // Python's search has failed already. Repeating it raises its AttributeError.
  PyObject *result = PyObject_GenericGetAttr(self.ptr(), nb::str(name).ptr());
  if (!result)
    nb::raise_python_error();
  return nb::steal(result);
}

/// Returns the module of the running Python code, empty if it is unknown.
static std::string_view runningModule() {
  static PyObject *const key = PyUnicode_InternFromString("__name__");
  PyObject *globals = PyEval_GetGlobals();
  PyObject *name = globals ? PyDict_GetItem(globals, key) : nullptr;
  const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  return text ? text : std::string_view();
}

dsl::Tensor viewForCode(const dsl::Tensor &view) {
  const bool isUnsigned = isInteger(view.dtype()) && !isSigned(view.dtype());
  if (!isUnsigned || !dsl::tracingDialect().publishedForm || view.isCoordinates() ||
      runningModule().starts_with("fairlead."))
    return view;
  switch (bitWidth(view.dtype())) {
  case 8:
    return dsl::recast(view, DType::Int8);
  case 16:
    return dsl::recast(view, DType::Int16);
  case 32:
    return dsl::recast(view, DType::Int32);
  default:
    return dsl::recast(view, DType::Int64);
  }
}

bool operatorsArePublished() {
  if (!dsl::tracingDialect().publishedForm)
    return false;
  // The syntax of programs and the operators of vectors are written in Python, too.
  const std::string_view module = runningModule();
  if (!module.starts_with("fairlead."))
    return true;
  constexpr std::string_view kOnBehalf[] = {"fairlead.compat", "fairlead._tracing",
                                            "fairlead.primitives._vector"};
  return std::any_of(std::begin(kOnBehalf), std::end(kOnBehalf),
                     [&](std::string_view prefix) { return module.starts_with(prefix); });
}

void defineEnumStr(nb::handle cls) {
  cls.attr("__str__") = nb::cpp_function(
      [](nb::handle self) -> nb::object {
        nb::object text = dialectMember(self, "__str__");
        if (text.is_valid())
          return text;
        return nb::module_::import_("enum").attr("Enum").attr("__str__")(self);
      },
      nb::name("__str__"), nb::scope(cls), nb::is_method());
}

void bindDialect(nb::module_ &m) {
  m.def("set_dialect", &setDialect, nb::arg("dialect").none(),
        "Set the dialect of names of what this thread traces from now on, None for the native one. "
        "The caller keeps it alive.");
}

} // namespace fairlead::python
