"""Names of operations on launches and handles of CUDA: stand-ins."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have: arguments of launch() say the same"
    return globals().setdefault(name, stand_in(f"cuda.{name}", reason))
