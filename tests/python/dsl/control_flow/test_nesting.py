"""Deep nesting: the work of rewriting a function is in proportion to the depth of its loops."""

import ast

import dsl_support as support
import numpy as np
import pytest

from fairlead import Int32, cute
from fairlead._tracing import names

_DEPTH = 18  # of statically nested blocks, Python allows 20


def _nested(heads):
    """The source of a function that adds 1 in the innermost of loops; ``heads(level)`` gives the lines of one."""
    lines = ["def function(n):", "    total = Int32(0)"]
    for level in range(_DEPTH):
        lines += ["    " * (level + 1) + line for line in heads(level)]
    lines.append("    " * (_DEPTH + 1) + "total = total + 1")
    return "\n".join([*lines, "    return total"])


def _for(level):
    return [f"for i{level} in range(n):"]


def _while(level):
    return [f"i{level} = Int32(0)", f"while i{level} < n:", f"    i{level} = i{level} + 1"]


@pytest.mark.parametrize("heads", [_for, _while])
def test_each_statement_is_looked_at_in_proportion_to_the_depth(heads, monkeypatch):
    looked = 0
    original = names.Flow._live_before

    def counted(self, *arguments):
        nonlocal looked
        looked += 1
        return original(self, *arguments)

    monkeypatch.setattr(names.Flow, "_live_before", counted)
    function = ast.parse(_nested(heads)).body[0]
    names.Flow(frozenset(["n"]), function.body)
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(function))
    assert looked <= statements * (_DEPTH + 2)


@pytest.mark.parametrize("heads", [_for, _while])
def test_deeply_nested_loops(heads, tmp_path):
    path = tmp_path / "nested.py"
    path.write_text(_nested(heads))
    scope = {"Int32": Int32, "__name__": "nested"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    counts = np.array([0, 1, 2], np.int32)
    found = support.run_map(cute.jit(scope["function"]), np.int32, counts)
    np.testing.assert_array_equal(found, counts**_DEPTH)
