"""``cutlass.base_dsl.compiler``: options of compile, and compile by the name of its class."""

from __future__ import annotations

from typing import Any

from fairlead.compat import _cute as cute
from fairlead.cute._options import DumpDir

__all__ = ["CompileCallable", "DumpDir"]


def CompileCallable(options: object = None) -> Any:
    """Return ``cute.compile`` with typed options, one or a tuple of them, as ``cute.compile[options]`` does."""
    return cute.compile if options in (None, ()) else cute.compile[options]


def __getattr__(name: str) -> Any:
    return getattr(cute, name)
