"""The few choices of ``tcgen05`` that programs for several architectures name where they are imported. The
instructions of compute capability 10.0 themselves are not a part of Fairlead."""

from __future__ import annotations

import enum

__all__ = ["CtaGroup", "OperandMajorMode"]


class CtaGroup(enum.Enum):
    """How many blocks multiply together."""

    ONE = 1
    TWO = 2


class OperandMajorMode(enum.Enum):
    """Along which mode neighbours of an operand lie."""

    K = "k"
    MN = "mn"


def __getattr__(name: str) -> object:
    raise AttributeError(
        f"tcgen05 has no {name!r}: Fairlead has no instructions of compute capability 10.0 (Blackwell)"
    )
