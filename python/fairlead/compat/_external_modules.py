"""``cutlass.base_dsl.export.external_binary_module``: exported objects and libraries as objects."""

from __future__ import annotations

import os
from typing import Any

from fairlead.ffi import load_module

__all__ = ["ExternalBinaryModule"]


class ExternalBinaryModule:
    """An exported object or library, whose functions are its attributes.

    Args:
        path: the file.
        enable_tvm_ffi: no effect: the file tells the ABI of each function.
    """

    def __init__(self, path: str | os.PathLike[str], enable_tvm_ffi: bool = True) -> None:
        self._module = load_module(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)
