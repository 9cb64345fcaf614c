"""The names of the language that a module uses, and the ones that are missing or only placeholders."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from typing import Any

_ROOT = "cutlass"


def used_names(path: Path) -> set[str]:
    """The dotted names of the language that the text of a module imports or reads."""
    tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    meaning: dict[str, str] = {}
    used = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == _ROOT:
                    used.add(alias.name)
                    meaning[alias.asname or _ROOT] = alias.name if alias.asname else _ROOT
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            if node.module.split(".")[0] == _ROOT:
                names = [alias for alias in node.names if alias.name != "*"]
                used |= {f"{node.module}.{alias.name}" for alias in names}
                meaning |= {
                    alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in names
                }
    for node in ast.walk(tree):
        attributes: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            attributes.append(inner.attr)
            inner = inner.value
        if attributes and isinstance(inner, ast.Name) and inner.id in meaning:
            used.add(".".join([meaning[inner.id], *reversed(attributes)]))
    return used


@functools.cache
def _is_there(name: str) -> bool:
    """True if the name can be imported or read, and is more than a stand-in that raises."""
    from fairlead.compat._later_gpus import is_stand_in

    parts = name.split(".")
    value: Any = importlib.import_module(_ROOT)
    for count, part in enumerate(parts[1:], start=2):
        try:
            value = getattr(value, part)
        except Exception:
            try:
                value = importlib.import_module(".".join(parts[:count]))
            except Exception:
                return False
        if is_stand_in(value) or getattr(value, "is_stand_in", False) is True:
            return False
    return True


def missing_names(path: Path, own: tuple[str, ...] = ()) -> list[str]:
    """The names that a module uses and that are not there: of ``a.b.c``, where ``a.b`` is missing, only ``a.b``.

    Args:
        path: The module's file.
        own: Prefixes of names that the package itself adds to the language's, such as ``cutlass.operators``.
    """
    missing = {
        name for name in used_names(path) if not name.startswith(own) and not _is_there(name)
    }
    return sorted(
        name
        for name in missing
        if not any(name.startswith(other + ".") for other in missing if other != name)
    )


def binds(path: Path, name: str) -> bool:
    """Return whether the text of a module gives the name a meaning anywhere, or imports all names of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8", errors="replace"))):
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.alias):
            if (getattr(node, "asname", None) or node.name.partition(".")[0]) in (name, "*"):
                return True
        if isinstance(node, ast.arg) and node.arg == name:
            return True
    return False
