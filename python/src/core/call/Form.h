/// fairlead._core.Form: what a call does with one value.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_FORM_H_
#define FAIRLEAD_PYTHON_CORE_CALL_FORM_H_

#include "Ref.h"

#include "signature/CallDescription.h"

#include <string>
#include <vector>

namespace fairlead::python {

/// How a value that Python passes becomes arguments of the entry: structures field by field.
struct Form {
  using Kind = CallForm::Kind;
  Kind kind = Kind::Argument;
  int numOmitted = 0; ///< children of kind Omitted
  /// Borrowed from the object that it was read from. Of Constant, what it must equal; of Fields, a
  /// tuple of str; of Custom, a callable that makes a tuple of the children of it, or None of an
  /// object that is no such argument.
  PyObject *value = nullptr;
  std::string place; ///< for messages: "config.scales[1]"
  std::vector<Form> children;

  /// Arguments of the entry that the value becomes.
  int countArguments() const;
};

/// A fairlead._core.Form. NULL with an exception set.
PyObject *makeForm(Form::Kind kind, PyObject *value, PyObject *children);

/// Whether `object` is a fairlead._core.Form; sets a TypeError where not.
bool isForm(PyObject *object);

/// The form that a fairlead._core.Form says, of a value that messages call `place`. It is valid as
/// long as `object` lives.
Form readForm(PyObject *object, std::string place);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_FORM_H_
