/// fairlead._core.Form: what a call does with one value.
#ifndef FAIRLEAD_PYTHON_CORE_CALL_FORM_H_
#define FAIRLEAD_PYTHON_CORE_CALL_FORM_H_

#include "Ref.h"

#include <string>
#include <vector>

namespace fairlead::python {

/// How a value that Python passes becomes arguments of the entry: structures field by field.
struct Form {
  enum class Kind : uint8_t {
    Argument, ///< an argument of the entry
    None,     ///< must be None; no argument
    Omitted,  ///< a place that the caller may leave out of a tuple; no argument
    Constant, ///< must equal `value`, or be None if it has a child; no argument
    Tuple,    ///< a tuple, list or ffi.Shape of the children
    Fields,   ///< an object whose attributes `value` (a tuple of str) are the children, or their
              ///< tuple
    Custom, ///< what `value`, a callable, makes of it: a tuple of the children; None for an object
            ///< that is no such argument
  };
  Kind kind = Kind::Argument;
  int numOmitted = 0;        ///< children of kind Omitted
  PyObject *value = nullptr; ///< borrowed from the object that it was read from
  std::string place;         ///< for messages: "config.scales[1]"
  std::vector<Form> children;

  /// Arguments of the entry that the value becomes.
  int countArguments() const;
};

/// Whether `object` is a fairlead._core.Form; sets a TypeError where not.
bool isForm(PyObject *object);

/// The form that a fairlead._core.Form says, of a value that messages call `place`. It is valid as
/// long as `object` lives.
Form readForm(PyObject *object, std::string place);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_FORM_H_
