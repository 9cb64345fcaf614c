"""``cute.nvgpu.tcgen05``: Fairlead's part of it, and stand-ins for the names that programs for several architectures
import besides."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in
from fairlead.cute.nvgpu.tcgen05 import *  # noqa: F403
from fairlead.cute.nvgpu.tcgen05 import __all__ as __all__


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(f"tcgen05.{name}"))
