"""Branches by operations. Loops and conditions are those of traced functions: Fairlead writes them as Python does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._mlir.ir import Region
from fairlead.errors import make_error

__all__ = ["IndexSwitchOp", "YieldOp"]


class IndexSwitchOp:
    """A choice by an integer: ``regions[0]`` runs if it is none of the cases, ``regions[1 + k]`` if it is ``cases[k]``.

    It has no results: TypeError for some, and for a case that is there twice.
    """

    def __init__(
        self, results: Sequence[Any], index: object, cases: Sequence[int], *_: object, **__: object
    ) -> None:
        numbers = [int(case) for case in cases]
        if results or len(set(numbers)) < len(numbers):
            raise make_error(
                "LayoutMode",
                expected="a switch without results, with different cases",
                got=f"results {list(results)}, cases {numbers}",
            )
        matches = [_compiler.Boolean(index == number) for number in numbers]
        other = _compiler.Boolean(True)
        for match in matches:
            other = other & ~match
        self.regions = [Region(condition) for condition in (other, *matches)]


class YieldOp:
    """The end of a region without results; TypeError for some."""

    def __init__(self, results: Sequence[Any] = (), **_: object) -> None:
        if results:
            raise make_error("LayoutMode", expected="no results", got=repr(list(results)))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have: `if`, `for` and `while` of a traced function are it"
    return globals().setdefault(name, stand_in(f"scf.{name}", reason))
