"""``cutlass.impl_utils``: checks of arguments."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["check_type_in", "check_value_in"]


def check_type_in(value: object, possible_types: Sequence[type], arg_name: str) -> None:
    """Raise TypeError if the class of an argument is none of these."""
    if type(value) not in possible_types:
        expected = list(possible_types)
        raise TypeError(
            f"invalid type for {arg_name}, got {type(value)}, must be one of {expected}"
        )


def check_value_in(value: object, possible_values: Sequence[object], arg_name: str) -> None:
    """Raise ValueError if an argument is none of these values."""
    if value not in possible_values:
        expected = list(possible_values)
        raise ValueError(f"invalid {arg_name}, got {value}, must be one of {expected}")
