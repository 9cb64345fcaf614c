"""Descriptors' addresses inside of atoms, which programs take for instructions of compute capability 10.0 alone."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"{name!r} is an operation for compute capability 10.0 (Blackwell), whose instructions Fairlead does not have"
    )
