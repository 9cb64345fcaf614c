"""The names of the language that a module uses, and the ones that are missing or only placeholders."""

from __future__ import annotations

import ast
import functools
import importlib
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "python" / "published_names"))

_ROOT = "cutlass"
#: Names in branches that no program reaches, or of no release yet: CuTe DSL 4.8.1 has none of them either.
_NOWHERE = frozenset(
    """cutlass.FloatE4M3FN cutlass.FloatE5M2 cutlass.cute.atomic_add cutlass.cute.struct.Struct
    cutlass.experimental.cuda.create_tensor_map_im2col
    cutlass.experimental.cuda.create_tensor_map_im2col_from_view""".split()
)


def used_names(path: Path) -> set[str]:
    """The dotted names of the language that the text of a module imports or reads.

    Names that it asks about first, by ``hasattr`` or by ``getattr`` with a default, are left out, and those that it
    assigns.
    """
    from name_states import imports_of, names_of

    text = path.read_text(encoding="utf-8", errors="replace")
    tree = ast.parse(text)
    _, meaning = imports_of(tree)
    pairs = {*_asked(tree), *_assigned(tree)}
    others = {f"{meaning[owner]}.{name}" for owner, name in pairs if owner in meaning} | _NOWHERE
    return {name for name in names_of(text) - others if name.split(".")[0] == _ROOT}


def _assigned(tree: ast.AST) -> set[tuple[str, str]]:
    """Pairs of a variable and the attributes, with dots, that the text gives a value."""
    pairs = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            variable, _, attributes = ast.unparse(node).partition(".")
            pairs.add((variable, attributes))
    return pairs


def _asked(tree: ast.AST) -> set[tuple[str, str]]:
    """Pairs of a variable and the name of an attribute that the text asks for before it uses it."""
    pairs = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if (node.func.id, len(node.args)) not in (("hasattr", 2), ("getattr", 3)):
            continue
        owner, name = node.args[:2]
        if isinstance(owner, ast.Name) and isinstance(name, ast.Constant):
            pairs.add((owner.id, str(name.value)))
    return pairs


@functools.cache
def _is_there(name: str) -> bool:
    """True if the name can be imported or read, and is more than a stand-in that raises."""
    from fairlead.compat._later_gpus import is_stand_in

    parts = name.split(".")
    value: Any = importlib.import_module(_ROOT)
    for count, part in enumerate(parts[1:], start=2):
        try:
            value = getattr(value, part)
        except ValueError:
            return True  # what a running trace has
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
