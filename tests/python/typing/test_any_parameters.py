"""Parameters of the package have types: `Any`, which checks nothing, is an exception."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "fairlead"
#: Percent of the parameters that are `Any` at most, of all rooms together and of some; lowered when fewer are. `Any`
#: remains where code asks a value of the traced program for attributes that only some kinds of values have.
MOST_OF_ALL = 4.3
MOST = {"compat": 11.1, "": 3.4}


def parameters(source: str) -> Counter[bool]:
    """Count the parameters in a source but `self` and `cls`, by whether they are `Any`."""
    counts: Counter[bool] = Counter()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            args = node.args
            named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            for parameter in named:
                if parameter is not None and parameter.arg not in ("self", "cls"):
                    annotation = parameter.annotation
                    counts[annotation is None or ast.unparse(annotation) == "Any"] += 1
    return counts


def of_room(room: str) -> Counter[bool]:
    """Count the parameters of a room; of "" those of all others."""
    counts: Counter[bool] = Counter()
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]:
        first = path.relative_to(PACKAGE).parts[0]
        if first == "_make_error.pyi":  # generated, without any
            continue
        if first == room or (not room and first not in MOST):
            counts += parameters(path.read_text())
    return counts


@pytest.mark.parametrize("room", MOST)
def test_few_parameters_are_any(room):
    counts = of_room(room)
    assert counts.total() > 500
    assert 100 * counts[True] / counts.total() <= MOST[room]


def test_few_parameters_of_the_package_are_any():
    counts = of_room("compat") + of_room("")
    assert counts.total() > 10_000
    assert 100 * counts[True] / counts.total() <= MOST_OF_ALL


def test_parameters_are_counted():
    source = "class A:\n    def f(self, a: Any, b, *c: int, d: Any | None = None): ...\n"
    assert parameters(source) == Counter({True: 2, False: 2})
