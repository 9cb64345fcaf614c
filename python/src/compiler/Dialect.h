/// The dialect of names of the function that a thread traces, as
/// `fairlead._tracing.dialect.Dialect` has it.
#pragma once

#include "Values.h"
#include "fairlead/dsl/Tensor.h"

namespace fairlead::python {

/// Returns `self.<name>` if the dialect of the calling thread has a member of this name for the
/// class of `self`, or for a base of it. Null in native functions.
nb::object dialectMember(nb::handle self, const char *name);

/// Returns dialectMember, or raises the AttributeError of a missing name.
nb::object missingMember(nb::handle self, const char *name);

/// Raises TypeError for a keyword of a call of `function` that the dialect does not ignore. Native
/// functions ignore none.
void checkKeywords(const char *function, const nb::kwargs &keywords);

/// Returns true if the running operator gives the types of published programs: one is traced, and
/// the Python code with the operator is the program's, or works on its behalf, as `fairlead.compat`
/// does. The rest of this package is written for native operators, whoever calls it.
bool operatorsArePublished();

/// Returns a new view as the running Python code gets it. For the code of published programs,
/// views of unsigned integers read signed ones: their pointers forget the sign.
dsl::Tensor viewForCode(const dsl::Tensor &view);

/// Defines `__str__`: the text of the dialect, by default `repr`.
template <typename Class, typename... Rest> void defineStr(nb::class_<Class, Rest...> &cls) {
  cls.def("__str__", [](nb::handle self) {
    nb::object text = dialectMember(self, "__str__");
    return text.is_valid() ? nb::str(text) : nb::repr(self);
  });
}

/// Defines `__str__` of an enum: the text of the dialect, by default that of `enum.Enum`.
void defineEnumStr(nb::handle cls);

/// Defines `__repr__` as the text of the dialect, by default `_own_text()`.
template <typename Class, typename... Rest> void defineRepr(nb::class_<Class, Rest...> &cls) {
  cls.def("__repr__", [](nb::handle self) {
    nb::object text = dialectMember(self, "__repr__");
    return nb::str(text.is_valid() ? text : self.attr("_own_text")());
  });
}

/// Defines `__getattr__`, which Python calls for names that the class does not have: members of the
/// dialect.
template <typename Class, typename... Rest> void defineMembers(nb::class_<Class, Rest...> &cls) {
  cls.def("__getattr__", &missingMember, nb::arg("name"));
}

} // namespace fairlead::python
