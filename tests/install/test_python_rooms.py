"""The rooms of the Python package: a module imports only from rooms below its own, and no circle goes through modules.

Imports inside functions count like those at the top of a module; those for type checkers alone do not.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "fairlead"
# A row of HACKING.md's table, from below: the room, its content, the rooms and extension modules it may import from.
ROW = re.compile(r"^\| `([a-z_]+)` \|[^|]*\|([^|]*)\|$", re.MULTILINE)
ROOMS = {
    room: set(re.findall(r"`(\w+)`", uses))
    for room, uses in ROW.findall((ROOT / "HACKING.md").read_text())
}
EXTENSIONS = {"_core", "_compiler"}
# Packages that hand out names of other modules, each loaded on first use.
FRONTS = ("fairlead", "fairlead.cute")


class Imports:
    """The imports of each module of a package, wherever in it: ``of[module]``. A name that a front hands out counts as
    one of its home; ``front.*`` is a front with all that it hands out, as ``import front`` gives it."""

    def __init__(self, folder: Path, fronts: dict[str, dict[str, str]]) -> None:
        self.name, self.fronts = folder.name, fronts
        self.paths: dict[str, Path] = {}
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            self.paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        self.of = {module: set(self._imports(module)) for module in self.paths}
        for front, homes in fronts.items():
            self.of[f"{front}.*"] = {self._module(home) for home in homes.values()}

    def _imports(self, module: str) -> Iterator[str]:
        for node in self._nodes(ast.parse(self.paths[module].read_text())):
            if isinstance(node, ast.Import):
                names = [each.name + ".*" * (each.name in self.fronts) for each in node.names]
            else:
                base = node.module or ""
                if node.level:
                    own = module.split(".")
                    depth = node.level - (self.paths[module].name == "__init__.py")
                    base = ".".join([*own[: len(own) - depth], *([base] if base else [])])
                names = [f"{base}.{alias.name}" for alias in node.names]
            for name in names:
                if name.partition(".")[0] == self.name and (found := self._module(name)) != module:
                    yield found

    def _nodes(self, tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield node
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                # `if not TYPE_CHECKING:` is for programs, whose other arm is not.
                negated = isinstance(node.test, ast.UnaryOp)
                for each in node.body if negated else node.orelse:
                    yield from self._nodes(ast.Module([each], []))
            else:
                yield from self._nodes(node)

    def _module(self, name: str) -> str:
        """The module that a dotted name is, or is in."""
        if name.endswith(".*"):
            return name
        while name not in self.paths and name.split(".")[1] not in EXTENSIONS:
            name, _, last = name.rpartition(".")
            if last in self.fronts.get(name, {}):
                name = self.fronts[name][last]
        return name

    def circles(self) -> list[list[str]]:
        """Modules that import one another, by groups."""
        reach: dict[str, set[str]] = {}
        for module in self.of:
            seen, waiting = set(), [module]
            while waiting:
                for each in self.of.get(waiting.pop(), ()):
                    if each not in seen:
                        seen.add(each)
                        waiting.append(each)
            reach[module] = seen
        groups = {
            tuple(sorted(other for other in reach[module] if module in reach.get(other, ())))
            for module in self.of
        }
        return sorted([*group] for group in groups if group)

    def rooms_of(self, room: str) -> set[tuple[str, str]]:
        """(module of the room, room that it imports from), other rooms alone."""
        return {
            (module, other)
            for module, imported in self.of.items()
            for each in imported
            if room_of(module) == room and (other := room_of(each)) not in ("", room)
        }


def room_of(module: str) -> str:
    """The first part below the package; "" for the package itself, which has the version."""
    return module.removesuffix(".*").split(".")[1] if "." in module.removesuffix(".*") else ""


@pytest.fixture(scope="module")
def imports() -> Imports:
    fronts = {}
    for name in FRONTS:
        front = importlib.import_module(name)
        fronts[name] = {**front._HOMES, **{each: f"{name}.{each}" for each in front._MODULES}}
    return Imports(PACKAGE, fronts)


def test_the_table_is_in_order():
    below = set(EXTENSIONS)
    for room, may in ROOMS.items():
        assert may <= below, f"{room} may import from rooms above it"
        below.add(room)


def test_every_module_has_a_room(imports):
    assert len(imports.of) > 100
    assert {room_of(module) for module in imports.of} - {""} == ROOMS.keys()


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_from_rooms_below(imports, room):
    upward = {found for found in imports.rooms_of(room) if found[1] not in ROOMS[room]}
    assert upward == set()


def test_no_circle_of_imports(imports):
    assert imports.circles() == []


@pytest.mark.parametrize(
    "path",
    [path for path in PACKAGE.rglob("*.py") if "ffi" not in path.relative_to(PACKAGE).parts],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_the_runtime_is_chosen_before_the_call_path_is_loaded(path):
    """fairlead.ffi picks the one library of the process, which the extension modules then find."""
    body = [ast.unparse(node) for node in ast.parse(path.read_text()).body]
    extension = [i for i, text in enumerate(body) if text.startswith("from fairlead._core")]
    first = [
        i
        for i, t in enumerate(body)
        if t.startswith(("import fairlead.ffi", "from fairlead import _compiler"))
    ]
    assert not extension or (first and first[0] < extension[0])


def test_circles_and_upward_imports_are_found(tmp_path):
    folder = tmp_path / "package"
    (folder / "low").mkdir(parents=True)
    (folder / "high").mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "low" / "__init__.py").write_text("")
    (folder / "high" / "__init__.py").write_text("")
    (folder / "low" / "a.py").write_text("def f():\n    from package import Late\n")
    (folder / "low" / "b.py").write_text("from . import a\n")
    (folder / "low" / "c.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import package.high.d\n"
    )
    (folder / "high" / "d.py").write_text("import package.low.b\nimport os\n")
    found = Imports(folder, {"package": {"Late": "package.high.d"}})
    assert found.of["package.low.a"] == {"package.high.d"}
    assert found.of["package.low.c"] == set()
    assert found.circles() == [["package.high.d", "package.low.a", "package.low.b"]]
    assert found.rooms_of("low") == {("package.low.a", "high")}
