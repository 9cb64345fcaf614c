"""Modules that programs for several architectures import, and use for compute capability 10.0 alone."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"{name!r} is a helper for compute capability 10.0 (Blackwell), whose instructions Fairlead does not have"
    )
