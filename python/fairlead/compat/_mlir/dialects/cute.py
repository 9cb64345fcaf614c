"""Operations of the peer's IR on layouts and tensors, which programs import by name: Fairlead has another IR."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have"
    return globals().setdefault(name, stand_in(f"cute.{name}", reason))
