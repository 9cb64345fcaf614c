/// Native frames in the tracebacks of Python.
#pragma once

#include "Ref.h"

#include <string_view>

namespace fairlead::python {

/// True if tracebacks can show native frames: from Python 3.11 on.
inline constexpr bool kTracebackFrames = PY_VERSION_HEX >= 0x030B0000;

/// Puts the frames of an ABI backtrace (most recent call first, a line each) into the traceback of
/// a new exception, where Python adds its own frames around them. What fails is left out.
void addNativeFrames(PyObject *exception, std::string_view lines);

} // namespace fairlead::python
