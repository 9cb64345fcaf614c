"""``cutlass.cute.tensor``: the language's tensors, under the names of the classes that programs give more methods."""

from __future__ import annotations

from typing import Any

from fairlead.compat import _cute
from fairlead.cute import Tensor as _Tensor
from fairlead.cute import TensorSSA

__all__ = ["TensorSSA", "_Tensor"]


def __getattr__(name: str) -> Any:
    return getattr(_cute, name)
