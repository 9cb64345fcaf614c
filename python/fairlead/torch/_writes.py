"""Tells autograd about the writes of functions that are called without an operator."""

from __future__ import annotations

from typing import Any

from fairlead._frameworks.interface import interface_of
from fairlead._hints import name_keywords
from fairlead.errors import make_error

__all__ = ["writes"]


def writes(function: Any, *names: str) -> None:
    """Tells torch which tensors calls of a compiled function write, where it has no operator.

    From then on each call counts as a change in place of these tensors (their version counters go up), so that a
    backward pass which needs an earlier value of one is torch's error "modified by an inplace operation", and not a
    wrong gradient. Functions that have an operator (``op``) do not need it.

    Args:
        function: a compiled function, or one of a loaded file.
        names: of its tensor parameters.

    Raises ValueError (FrameworkOutputs) for names that are not tensor parameters of it.
    """
    interface = interface_of(function)
    names_of_tensors = [tensor.name for tensor in interface.tensors]
    for name in names:
        if name not in names_of_tensors:
            raise make_error(
                "FrameworkOutputs",
                option="writes",
                signature=interface.text,
                expected=", ".join(names_of_tensors) or "none",
                got=repr(name),
            )
    for index, argument in enumerate(interface.arguments):
        if argument.name in names:
            function._written |= 1 << index


name_keywords(__all__, globals())
