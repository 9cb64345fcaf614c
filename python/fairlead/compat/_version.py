"""The version of the CuTe DSL that programs see: the one whose names ``fairlead.compat`` has."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["VERSION", "install"]

VERSION = "4.8.1"
_PACKAGE = "nvidia-cutlass-dsl"


class _Package(importlib.metadata.Distribution):
    """The distribution that ``importlib.metadata.version("nvidia-cutlass-dsl")`` reads."""

    def read_text(self, filename: str) -> str | None:
        if filename not in ("METADATA", "PKG-INFO"):
            return None
        return f"Metadata-Version: 2.1\nName: {_PACKAGE}\nVersion: {VERSION}\n"

    def locate_file(self, path: str | os.PathLike[str]) -> Any:
        return Path(__file__).parent / path


class _Finder:
    """Finds the package by its name. It is the last one asked, so that an installed package answers for itself."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        return None

    def find_distributions(
        self, context: object = None
    ) -> Iterator[importlib.metadata.Distribution]:
        requested = getattr(context, "name", None)
        if requested is not None and requested.lower().replace("_", "-") == _PACKAGE:
            yield _Package()


def install() -> None:
    """For this process."""
    sys.meta_path.append(_Finder())
