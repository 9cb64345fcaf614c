"""The few choices of ``tcgen05`` that programs for several architectures name where they are imported. The
instructions of compute capability 10.0 themselves are not a part of Fairlead."""

from __future__ import annotations

import enum
from typing import Any

from fairlead.compat._later_gpus import stand_in

__all__ = ["CtaGroup", "OperandMajorMode"]


class CtaGroup(enum.Enum):
    """How many blocks multiply together."""

    ONE = 1
    TWO = 2


class OperandMajorMode(enum.Enum):
    """Along which mode neighbours of an operand lie."""

    K = "k"
    MN = "mn"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(f"tcgen05.{name}"))
