"""Write the stubs of the packages that load their names on first use: python tests/python/typing/public_names.py

The tables in python/fairlead/__init__.py and python/fairlead/cute/__init__.py say which module defines each public
name. Type checkers cannot follow them, and read the stubs.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "fairlead"
#: Package -> private names that other modules of Fairlead import from it.
PACKAGES = {"fairlead": ["_NUMERIC: list[str]"], "fairlead.cute": []}


def stub_path(package: str) -> Path:
    """Return the path of a package's stub in the source tree."""
    return PACKAGE.joinpath(*package.split(".")[1:], "__init__.pyi")


def stub(package: str) -> str:
    """Return the text of a package's stub."""
    module = importlib.import_module(package)
    lines = ["# Written by tests/python/typing/public_names.py.", ""]
    for home, names in sorted({**module._NAMES, package: " ".join(module._MODULES)}.items()):
        imports = [f"    {name} as {name}," for name in sorted(names.split())]
        lines += [f"from {home} import (", *imports, ")"]
    values = [f"{name}: str" for name in vars(module) if name == "__version__"]
    lines += ["", *values, *PACKAGES[package]]
    return "\n".join([*lines, *_all(module), ""])


def _all(module: ModuleType) -> list[str]:
    return ["__all__ = [", *(f'    "{name}",' for name in sorted(module.__all__)), "]"]


if __name__ == "__main__":
    for package in PACKAGES:
        stub_path(package).write_text(stub(package))
