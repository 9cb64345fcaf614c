"""Branches and loops by operations, for programs that import the names: Fairlead writes them as Python does."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have: `if`, `for` and `while` of a traced function are it"
    return globals().setdefault(name, stand_in(f"scf.{name}", reason))
