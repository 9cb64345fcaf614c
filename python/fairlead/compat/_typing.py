"""``cutlass.cute.typing``: Fairlead's names for annotations, and those of Python that programs import from there."""

from __future__ import annotations

from typing import Any, Optional, Type, Union  # noqa: UP035  the names that programs import

from fairlead.compat.cutlass_dsl import NumericMeta, T
from fairlead.cute import typing

__all__ = ["NumericMeta", "Optional", "T", "Type", "Union"]


def __getattr__(name: str) -> Any:
    return getattr(typing, name)
