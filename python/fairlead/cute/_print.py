"""``printf`` and ``print_tensor``: text written when the compiled program runs."""

from __future__ import annotations

import re
from typing import Any

from fairlead import _compiler
from fairlead.errors import make_error

__all__ = ["print_tensor", "printf"]


def printf(format: object, *args: object, end: str = "\n") -> None:
    """Print when the compiled program runs, in host functions and kernels.

    Args:
        format: text with ``{}`` or C's conversions (``%d``, ``%f``, ...) for the other arguments, not both; ``{{`` and
            ``}}`` are braces. Or a value, which is printed as by ``{}``, and the other arguments after it
            with spaces between them.
        args: for ``{}`` numbers, tuples, layouts, pointers, tensors and whole-tensor values, and anything whose text
            is known while tracing; for C's conversions numbers. Floats print with 6 decimals, Booleans as 0 or 1, a
            tensor as ``raw_ptr(0x...: f32, gmem, align<4>) o (4,3):(3,1) = ( 0.000000, ... )``, mode 0 fastest.
        end: the text after the line.

    Raises:
        ValueError: a number of arguments that the format does not take, or a conversion that is not for them.
    """
    if not isinstance(format, str):
        values = [_printable(value) for value in (format, *args)]
        _compiler.print_values(["", *[" "] * len(args), end], values)
        return
    pieces = _around_places(format)
    if len(pieces) > 1:
        if len(pieces) - 1 != len(args):
            raise make_error(
                "PrintFormat",
                format=format,
                expected=f"{len(pieces) - 1} values",
                got=str(len(args)),
            )
        pieces[-1] += end
        _compiler.print_values(pieces, [_printable(value) for value in args])
    else:
        _compiler.print_formatted(pieces[0] + end, list(args))


def _around_places(format: str) -> list[str]:
    """The texts around the places ``{}``, their doubled braces single."""
    pieces = [""]
    for part in re.split(r"(\{\{|\}\}|\{\})", format):
        if part == "{}":
            pieces.append("")
        else:
            pieces[-1] += part[0] if part in ("{{", "}}") else part
    return pieces


def _printable(value: object) -> Any:
    """A value with its tuples as such: Booleans of Python print as 0 and 1."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (tuple, list)):
        return tuple(_printable(part) for part in value)
    return value


def print_tensor(tensor: _compiler.Tensor | _compiler.TensorExpr, verbose: bool = False) -> None:
    """Print a tensor, a whole-tensor value or a tensor of coordinates when the compiled program runs.

    A head with address, layout and type, then the elements: the last mode outermost, mode 0 down and mode 1 across.
    ``verbose``: a line ``(i,j)= value`` for each element. In a kernel every thread that comes here prints.
    """
    _compiler.print_tensor(tensor, verbose)
