/// Calls as the text that exported files hold (signature/CallDescription.h).
#ifndef FAIRLEAD_PYTHON_CORE_CALL_CALLTEXT_H_
#define FAIRLEAD_PYTHON_CORE_CALL_CALLTEXT_H_

#include "call/CallDescription.h"

namespace fairlead::python {

/// The text, a str; None if a part of it is an object that no file holds. NULL with an exception
/// set.
PyObject *callText(const CallDescription &call);

/// CallDescription(names, defaults, num_positional, forms) of a text: its arguments, a tuple. NULL
/// with an exception set: ValueError for other text.
PyObject *parseCallText(PyObject *text);

} // namespace fairlead::python
#endif // FAIRLEAD_PYTHON_CORE_CALL_CALLTEXT_H_
