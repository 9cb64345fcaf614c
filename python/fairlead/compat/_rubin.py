"""``cutlass.utils.rubin_helpers``: names for compute capability 10.7, made from Fairlead's names for 10.0."""

from __future__ import annotations

from typing import Any

from fairlead.compat import _blackwell
from fairlead.compat._later_gpus import stand_in
from fairlead.utils.blackwell_helpers import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in vars(_blackwell):
        return getattr(_blackwell, name)
    reason = "for compute capability 10.7, and not a part of Fairlead"
    return globals().setdefault(name, stand_in(name, reason))
