/// fairlead._core.Form: how a call passes one value.
#pragma once

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
  /// Borrowed from the object that it was read from. For Constant, the required value. For Fields,
  /// a tuple of str. For Custom, a callable that returns a tuple of an object's children, or None
  /// for an unsuitable object.
  PyObject *value = nullptr;
  std::string place; ///< for messages: "config.scales[1]"
  std::vector<Form> children;

  /// Arguments of the entry that the value becomes.
  int countArguments() const;
};

/// A fairlead._core.Form. NULL with an exception set.
PyObject *makeForm(Form::Kind kind, PyObject *value, PyObject *children);

/// True if `object` is a fairlead._core.Form; if not, sets a TypeError.
bool isForm(PyObject *object);

/// Reads a fairlead._core.Form, which messages call `place`. The result is valid as long as
/// `object` lives.
Form readForm(PyObject *object, std::string place);

} // namespace fairlead::python
