"""Report the names of the published packages that programs use, and whether Fairlead has them.

usage: python name_states.py [--names] FILE...

Prints a line for each file that lacks a name, then how many files use each of those names. ``--names`` prints the names
that are there instead, as names.txt has them.
"""

from __future__ import annotations

import ast
import collections
import importlib
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import fairlead.compat  # noqa: F401  installs the aliases
from fairlead.compat._later_gpus import is_stand_in

_PACKAGES = ("cutlass", "tvm_ffi")


def _source(path: str) -> str:
    """Return the program of a file, of a notebook its cells without magic lines."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not path.endswith(".ipynb"):
        return text
    cells = ["".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    lines = [line for cell in cells for line in cell.split("\n")]
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def imports_of(tree: ast.AST) -> tuple[set[str], dict[str, str]]:
    """Return the imported names, and a map from the program's own names to them."""
    used, aliases = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                root = name.name.partition(".")[0]
                if root in _PACKAGES:
                    used.add(name.name)
                    aliases[name.asname or root] = name.name if name.asname else root
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module.partition(".")[0] in _PACKAGES:
                for name in node.names:
                    if name.name != "*":
                        used.add(f"{node.module}.{name.name}")
                        aliases[name.asname or name.name] = f"{node.module}.{name.name}"
    return used, aliases


def _attributes(node: ast.AST, hidden: frozenset[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each variable with the attributes behind it, but not parameters of functions, which hide imports."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
        inside = hidden | {each.arg for each in every}
        for part in every:
            yield from _attributes(part, hidden)
        for part in node.body if isinstance(node.body, list) else [node.body]:
            yield from _attributes(part, inside)
        return
    parts, base = [], node
    while isinstance(base, ast.Attribute):
        parts.append(base.attr)
        base = base.value
    if parts and isinstance(base, ast.Name):
        if base.id not in hidden:
            yield base.id, parts[::-1]
        return
    for part in ast.iter_child_nodes(node):
        yield from _attributes(part, hidden)


def names_of(text: str) -> set[str]:
    """Return the names of the packages that a program uses: ``cutlass.cute.arch.thread_idx``."""
    tree = ast.parse(text)
    used, aliases = imports_of(tree)
    for variable, attributes in _attributes(tree, frozenset()):
        if variable in aliases:
            used.add(".".join([aliases[variable], *attributes]))
    return used


def _value(name: str) -> Any:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            value = getattr(value, part)
        return value
    raise AttributeError(name)


def _only_raises(value: Any) -> bool:
    """True if all that a function of Fairlead does is to raise an error."""
    function = inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else value
    if not inspect.isfunction(function) or not function.__module__.startswith("fairlead"):
        return False
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):
        return False
    if not isinstance(definition, ast.FunctionDef):
        return False
    body = [part for part in definition.body if not isinstance(part, ast.Expr)]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def state_of(name: str) -> str:
    """Return "there", "stand-in" for a name that only raises an error when used, or "missing"."""
    try:
        value = _value(name)
    except AttributeError:
        return "missing"
    except NotImplementedError:
        return "stand-in"
    return "stand-in" if is_stand_in(value) or _only_raises(value) else "there"


def main(paths: list[str]) -> None:
    """Print the names that the files lack, or with ``--names`` first the names that Fairlead has."""
    states: dict[str, str] = {}
    uses: collections.Counter[str] = collections.Counter()
    complete = 0
    wants_names = paths[:1] == ["--names"]
    for path in paths[wants_names:]:
        try:
            used = names_of(_source(path))
        except SyntaxError:
            continue
        for name in used:
            states.setdefault(name, state_of(name))
        lacking = sorted(name for name in used if states[name] != "there")
        shortest = [
            name for name in lacking if not any(name.startswith(f"{other}.") for other in lacking)
        ]
        uses.update(shortest)
        complete += bool(used) and not shortest
        if shortest and not wants_names:
            print(f"{path}: {len(used)} names, {len(shortest)} lacking: {' '.join(shortest)}")
    if wants_names:
        print("\n".join(sorted(name for name, state in states.items() if state == "there")))
        return
    print(f"\ncomplete files: {complete}")
    for name, count in uses.most_common():
        print(f"{count:5} {states[name]:8} {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
