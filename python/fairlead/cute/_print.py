"""``printf``: text written when the compiled program runs."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.errors import make_error

_LETTERS = {"Boolean": "d", "Uint8": "u", "Uint16": "u", "Uint32": "u", "Uint64": "u"}


def _conversion(value: Any, values: list[Any]) -> str:
    """C's conversion for a value of ``{}``; run-time parts are appended to ``values``."""
    if isinstance(value, tuple):
        return "(" + ",".join(_conversion(part, values) for part in value) + ")"
    if isinstance(value, _compiler.Numeric):
        values.append(value)
        if isinstance(value, _compiler.Float):
            return "%f"
        return "%" + _LETTERS.get(type(value).__name__, "d")
    if isinstance(value, float):
        return f"{value:f}"
    if isinstance(value, bool):
        return str(int(value))
    return str(value).replace("%", "%%")


def printf(format: Any, *args: Any, end: str = "\n") -> None:
    """Prints when the compiled program runs, in host functions and kernels.

    Args:
        format: text with ``{}`` or C's conversions (``%d``, ``%f``, ...) for the other arguments, not both; or a
            single value, printed as by ``{}``.
        args: numbers, tuples of numbers, and anything whose text is known while tracing. Floats print with 6
            decimals, Booleans as 0 or 1.
        end: what follows.

    Raises:
        ValueError: a number of arguments that the format does not take, or a conversion that is not for them.
    """
    values: list[Any] = []
    if not isinstance(format, str):
        if args:
            raise make_error(
                "PrintFormat",
                format=str(format),
                expected="a text before other arguments",
                got=type(format).__name__,
            )
        text = _conversion(format, values)
    elif "{}" in format:
        pieces = format.split("{}")
        if len(pieces) - 1 != len(args):
            raise make_error(
                "PrintFormat",
                format=format,
                expected=f"{len(pieces) - 1} values",
                got=str(len(args)),
            )
        text = pieces[0].replace("%", "%%")
        for value, piece in zip(args, pieces[1:]):
            text += _conversion(value, values) + piece.replace("%", "%%")
    else:
        text, values = format, list(args)
    _compiler.print_formatted(text + end, values)
