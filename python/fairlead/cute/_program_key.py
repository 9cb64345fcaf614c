"""The key of a function's program, besides the state that it reads from outside."""

from __future__ import annotations

from typing import Any

from fairlead.cute._guards import static_key

__all__ = ["Key", "ProgramKey", "arguments_key"]

#: Everything that a program depends on, with names for messages.
Key = tuple[tuple[str, Any], ...]


class ProgramKey:
    """The properties of its arguments that a program depends on. A place is a parameter, or a part: ``config.scale``.

    Attributes:
        kinds: the type of everything that a call passes, by place.
        constants: values that are part of the program, by place.
        custom: objects of user classes with the protocol of arguments, by place.
        static_objects: all objects that tracing sees themselves, and not values in their place.
    """

    __slots__ = ("constants", "custom", "kinds", "static_objects")

    def __init__(self, instance: tuple[Any, ...]) -> None:
        self.kinds: list[tuple[str, Any]] = []
        self.constants: list[tuple[str, Any]] = []
        self.custom: list[tuple[str, Any]] = []
        self.static_objects: list[Any] = [*instance]

    def add_kind(self, place: str, kind: object) -> None:
        self.kinds.append((place, kind))

    def add_constant(self, place: str, value: object) -> None:
        self.constants.append((place, value))
        self.static_objects.append(value)

    def add_structure(self, place: str, value: object, count: int) -> None:
        """Add a structure of ``count`` parts, which are added on their own."""
        self.kinds.append((place, (type(value), count)))
        self.static_objects.append(type(value))


def arguments_key(program_key: ProgramKey, static_objects: list[Any], identified: list[Any]) -> Key:
    """Return the arguments' part of a key.

    Appends custom objects, or their classes, to ``static_objects``, and objects known by identity to ``identified``.
    """
    kinds = list(program_key.kinds)
    for parameter, value in program_key.custom:
        # The object states the properties that a program depends on, or it is known by identity.
        key = getattr(value, "__cache_key__", None)
        has_key = key is not None
        static_objects.append(type(value) if has_key else value)
        key = static_key(key() if callable(key) else key, identified) if has_key else id(value)
        kinds.append((parameter, (type(value), key)))
    kinds += [
        (parameter, static_key(value, identified)) for parameter, value in program_key.constants
    ]
    return tuple((f"argument `{parameter}`", kind) for parameter, kind in kinds)
