"""The types of CUDA's handles as arguments. Other names, operations on a launch, are stand-ins."""

from __future__ import annotations

from typing import Any

from fairlead.compat._ir_types import PointerType
from fairlead.compat._later_gpus import stand_in

__all__ = ["StreamType"]


class StreamType:
    """The type of a stream."""

    @staticmethod
    def get(*_: Any) -> PointerType:
        """Return the type of the handle, an address."""
        return PointerType()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have: arguments of launch() say the same"
    return globals().setdefault(name, stand_in(f"cuda.{name}", reason))
