"""Placeholders for names of compute capability 10.0 (Blackwell), which programs for several architectures import: what
they name can be told apart, but not used."""

from __future__ import annotations

from typing import Any

__all__ = ["is_stand_in", "stand_in"]


class _Attribute(str):
    """An attribute of a stand-in, such as a member of an enumeration, by its name."""


class _NotHere(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Attribute(f"{cls.__name__}.{name}")


def stand_in(
    name: str,
    reason: str = "for compute capability 10.0 (Blackwell), and not among what Fairlead has for it",
) -> Any:
    """A class of this name without objects: making one is a NotImplementedError that names it."""

    def __init__(self: object, *_: object, **__: object) -> None:
        raise NotImplementedError(f"{name} is {reason}")

    return _NotHere(name, (), {"__init__": __init__, "__doc__": f"It is {reason}."})


def is_stand_in(value: object) -> bool:
    """True if the value is a class of stand_in, or the text that one gives for an attribute."""
    return isinstance(value, _NotHere | _Attribute)
