"""How an argument of a compiled function is described, by the names of the module that existing programs change.

Fairlead describes arguments itself (``cute/_arguments.py``): fields of named tuples that are annotated Constexpr are
part of the program, and None in calls. So a program's replacement of ``_convert_single_arg`` is not called.
"""

from __future__ import annotations

import sys
from typing import Any

from fairlead import _NUMERIC, _compiler
from fairlead.cute._types import Number

__all__ = [
    "AcceptableNumericTypesForScalar",
    "ConstNone",
    "NumericToTVMFFIDtype",
    "spec",
]

#: The names of dtypes, and the classes of numbers that calls pass. Programs add the classes that they derive; Fairlead
#: asks a derived class itself (``_numeric_classes``).
NumericToTVMFFIDtype: dict[type, str] = {
    getattr(_compiler, name): name.lower()
    for name in _NUMERIC
    if name not in ("Float", "Integer", "Numeric")
}
AcceptableNumericTypesForScalar: list[type] = list(NumericToTVMFFIDtype)


class ConstNone:
    """An argument that is part of the program: calls give None for it."""

    def __init__(self, name: str) -> None:
        self.name = name


def _convert_single_arg(arg: Number, arg_name: str, arg_type: object, ctx: object) -> Any:
    raise NotImplementedError("Fairlead describes arguments by itself")


spec = sys.modules[__name__]
