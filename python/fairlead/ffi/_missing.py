"""Objects that stand for something else in calls of constructors."""

from __future__ import annotations

from typing import Any

from fairlead._core import get_global_func
from fairlead.ffi._objects import marker_names

#: An argument that was left out.
MISSING: Any = get_global_func("ffi.GetInvalidObject")()
#: The marker before the names of keyword arguments.
KWARGS: Any = get_global_func("ffi.GetKwargsObject")()
marker_names.update({MISSING.__chandle__(): "<MISSING>", KWARGS.__chandle__(): "<KWARGS>"})
