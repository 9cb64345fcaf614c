"""Write the listing of the public interface of Python: python tests/python/typing/public_api.py

`public_api.txt` has the names, signatures and classes that programs may use, as the sources and stubs declare them.
test_public_api.py fails when they differ: a change of the interface is seen, and named in CHANGELOG.md.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3] / "python"
LISTING = Path(__file__).with_name("public_api.txt")
#: Modules whose names programs use. A name is listed where it first comes up.
MODULES = (
    *("fairlead.cute", "fairlead", "fairlead.cute.arch", "fairlead.cute.math"),
    *("fairlead.cute.nvgpu", "fairlead.cute.nvgpu.cpasync", "fairlead.cute.nvgpu.tcgen05"),
    *("fairlead.cute.nvgpu.warp", "fairlead.cute.nvgpu.warpgroup", "fairlead.cute.runtime"),
    *("fairlead.cute.testing", "fairlead.cute.typing", "fairlead.cute.cuda", "fairlead.cute._jit"),
    "fairlead.cute._kernels",
    *("fairlead.cute.experimental", "fairlead.cute.experimental.iket", "fairlead.errors"),
    *(
        "fairlead.checks",
        "fairlead.coverage",
        "fairlead.kernels",
        "fairlead.bundles",
        "fairlead.pictures",
    ),
    *("fairlead.pipeline", "fairlead.utils", "fairlead.ops", "fairlead.tuning", "fairlead.torch"),
    *("fairlead.jax", "fairlead.ffi", "fairlead.plans", "fairlead.primitives", "fairlead.tasks"),
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def listing() -> str:
    """Return the text of the listing."""
    lines = ["# Written by tests/python/typing/public_api.py."]
    seen: dict[tuple[str, str], str] = {}
    for module in MODULES:
        lines += ["", f"# {module}"]
        for name in sorted(public_names(module)):
            home, own_name, nodes = definition(module, name)
            shown = f"{module}.{name}"
            if not nodes:
                lines.append(f"import {home}" if home == shown else f"import {home} as {name}")
            elif seen.setdefault((home, own_name), shown) != shown:
                lines.append(f"{name} = {seen[home, own_name]}")
            else:
                lines += [line for node in nodes for line in _declared(node, name)]
    return "\n".join([*lines, ""])


def public_names(module: str) -> list[str]:
    """Return the names of `__all__`, and those of a stub's imports that are no part of it."""
    names = [
        ast.literal_eval(element)
        for node in _tree(module).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for element in getattr(node.value, "elts", [])
        if isinstance(element, ast.Constant)
    ]
    imports = [node for node in _tree(module).body if isinstance(node, ast.ImportFrom)]
    aliases = [alias for node in imports for alias in node.names if alias.asname == alias.name]
    return [*dict.fromkeys([*names, *(alias.name for alias in aliases)])]


def definition(module: str, name: str) -> tuple[str, str, list[ast.stmt]]:
    """Return the module that defines a name, its name there, and its statements; none for a module."""
    if _path(f"{module}.{name}") is not None:
        return f"{module}.{name}", "", []
    nodes: list[ast.stmt] = []
    for node in _statements(_tree(module).body):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name and (node.module or "").startswith(
                    "fairlead"
                ):
                    return definition(node.module or "", alias.name)
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            nodes += [node] if node.name == name else []
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            nodes += [node] if name in _bound(targets) else []
    overloads = [node for node in nodes if _has_decorator(node, "overload")]
    return module, name, overloads or nodes[-1:]


def _bound(targets: list[ast.expr]) -> set[str]:
    return {
        node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
    }


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module; of conditions on type checkers and versions those of both sides."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            yield from _statements(node.body)
            yield from _statements(node.orelse)
        else:
            yield node


def _declared(node: ast.stmt, name: str, indent: str = "") -> Iterator[str]:
    """Yield a statement's lines in the listing, as the declaration of `name`."""
    if isinstance(node, _FUNCTIONS):
        for kind in ("overload", "property", "classmethod", "staticmethod"):
            if _has_decorator(node, kind):
                yield f"{indent}@{kind}"
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        yield f"{indent}def {name}({ast.unparse(node.args)}){result}: ..."
    elif isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        yield f"{indent}class {name}({bases}):" if bases else f"{indent}class {name}:"
        members = [line for each in _statements(node.body) for line in _member(each, indent)]
        yield from members or [f"{indent}    ..."]
    elif isinstance(node, ast.AnnAssign):
        value = "" if node.value is None else f" = {ast.unparse(node.value)}"
        alias = "TypeAlias" in ast.unparse(node.annotation)
        yield f"{indent}{name}: {ast.unparse(node.annotation)}{value if alias else ''}"
    else:
        yield f"{indent}{name} = ..."


def _member(node: ast.stmt, indent: str) -> Iterator[str]:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        if not node.name.startswith("_") or node.name in ("__init__", "__call__", "__getitem__"):
            yield from _declared(node, node.name, indent + "    ")
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for name in sorted(_bound(targets)):
            if not name.startswith("_"):
                yield from _declared(node, name, indent + "    ")


def _has_decorator(node: ast.stmt, name: str) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(ast.unparse(each).rpartition(".")[2] == name for each in decorators)


def _path(module: str) -> Path | None:
    base = ROOT.joinpath(*module.split("."))
    candidates = (base / "__init__.pyi", base / "__init__.py")
    candidates += (base.with_suffix(".pyi"), base.with_suffix(".py"))
    return next((path for path in candidates if path.exists()), None)


@functools.cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    assert path is not None, f"no module {module}"
    return ast.parse(path.read_text())


if __name__ == "__main__":
    LISTING.write_text(listing())
